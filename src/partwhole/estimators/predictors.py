"""Few labels, many graphs: the semi-supervised method with scikit-learn's face (Eq. 18)."""

from __future__ import annotations

import numpy as np

from partwhole.config import PredictorConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.encoder import Predictor
from partwhole.estimators.fits import Kept
from partwhole.estimators.labelled import LabelledEstimator, LabelledFit, Outcome
from partwhole.estimators.networks import NetworkInputs, NetworkPredictor, with_first_weights
from partwhole.estimators.semi_supervised.equation18 import SemiSupervisedObjective
from partwhole.estimators.semi_supervised.learning import learn_from_labels
from partwhole.estimators.semi_supervised.model import SemiSupervisedModel
from partwhole.estimators.semi_supervised.targets import NumberTargets, Targets
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.estimators.start import start_from
from partwhole.graphs.store import GraphStore
from partwhole.losses.head_tail import PAPER
from partwhole.model import PartWhole

SUBGRAPHS = "subgraph-infomax"  # what teaches subgraphs, of all that unlabelled graphs can teach


class SubgraphInfoMaxPredictor(LabelledEstimator[PredictorConfig]):
    """What the regressor and the classifier share: a supervised loss on the labelled graphs plus
    `unsupervised_weight` times one that needs no labels on all graphs."""

    paper = PAPER
    config_class = PredictorConfig
    resumable = True

    def learn_labels(self, fit: LabelledFit[PredictorConfig]) -> Outcome:
        """Train encoder and head by Eq. 18."""
        config, task = fit.config, fit.targets.task
        inputs = NetworkInputs.of(fit.store.schema, config)
        encoder = _encoder(config, inputs)
        start_from(config.start_from, encoder, fit)
        network = _with_head(config, inputs, encoder, task)
        predictor = _predictor(config, inputs, network)
        return learn_from_labels(
            fit,
            predictor,
            network,
            SemiSupervisedObjective(task, config.unsupervised_weight),
            unlabelled=config.unsupervised_weight > 0,
            corrupt=network.companion.corrupts,
            spans_ranks=predictor.learns_subgraphs or config.unsupervised_weight == 0,
        )

    def restore_predictor(self, kept: Kept[PredictorConfig], targets: Targets) -> Predictor:
        """Encoder and head with the weights that they had."""
        inputs = NetworkInputs.of(kept.schema, kept.config)
        network = _with_head(kept.config, inputs, _encoder(kept.config, inputs), targets.task)
        predictor = _predictor(kept.config, inputs, network)
        predictor.restore(kept.tensors, kept.path)
        return predictor


def _encoder(config: PredictorConfig, inputs: NetworkInputs) -> PartWhole:
    return with_first_weights(
        config.random_state, lambda: PartWhole.from_config(config, inputs.widths, inputs.edge_width)
    )


def _with_head(
    config: PredictorConfig, inputs: NetworkInputs, encoder: PartWhole, task: Task
) -> SemiSupervisedModel:
    def drawn_again() -> PartWhole:
        return PartWhole.from_config(config, inputs.widths, inputs.edge_width)

    return with_first_weights(
        config.random_state, lambda: SemiSupervisedModel(config, encoder, task, drawn_again)
    )


def _predictor(
    config: PredictorConfig, inputs: NetworkInputs, network: SemiSupervisedModel
) -> NetworkPredictor:
    subgraphs = config.unlabelled == SUBGRAPHS and config.unsupervised_weight > 0
    encoder = network.predictor.encoder
    return NetworkPredictor(network, encoder, inputs, config, lift=config.lift, subgraphs=subgraphs)


class SubgraphInfoMaxRegressor(SubgraphInfoMaxPredictor):
    """Numbers from graphs, by mean squared error on standardised targets and the unsupervised loss.

    Parameters
    ----------
    verbose : bool, default False
        Show progress on standard error.
    structure : list of str or function, default ()
        Structure attributes, each a kind of its own; degree where nodes have no attributes.
    hidden : int, default 128
        Width of every hidden layer.
    layers : int, default 4
        Number L of graph network layers.
    epochs : int, default 100
        Passes over the graphs; with labels, over the labelled ones.
    batch_size : int, default 128
        Graphs in a step; with labels, as many others besides.
    lr : float, default 0.001
        Learning rate of Adam.
    random_state : int, RandomState, Generator or None, default 0
        Seed of everything random.
    device : str, default 'auto'
        Where to compute; auto takes a GPU if there is one.
    threads : int, default 0
        Threads of a fit and of embedding; 0: one for small graphs, one for each core where that pays.
    snapshot_every : int, default 5
        Keep the weights every so many epochs, for the protocols that look at them; 0: never.
    backbone : str or class, default 'gin'
        Graph network; `pyg:NAME` takes a basic PyG model.
    readout : str or class, default 'sum'
        Node vectors to graph vector.
    lift : bool, default True
        Run on classes of equal nodes where that is exact and pays.
    generator : str or class, default 'tree-split'
        How subgraphs are made.
    num_subgraphs : int, default 4
        Number S of subgraphs.
    selection : str, default 'straight-through'
        How a node is put into a subgraph.
    estimator : str or class, default 'jsd'
        Mutual information estimator.
    pair_score : str, default 'dot'
        Score of a pair of vectors.
    temperature : float, default 0.2
        Divisor of the cosine score.
    start_from : str, default ''
        Begin with the weights of this run, or of a pretrained encoder (molecules-small), not with random
        ones.
    head_negatives : bool, default True
        Contrast with the permuted graph (off: BASE).
    subgraph_conv : bool, default True
        Mix the subgraphs before contrasting (off: BASE and BASE+NEG).
    validation : float, default 0.1
        Share of the labelled graphs that choose the epoch; 0: the last epoch.
    lr_decay : float, default 0.7
        Factor on the learning rate when validation no longer improves.
    patience : int, default 5
        Epochs without improvement that are let pass before that.
    unlabelled : str or class, default 'subgraph-infomax'
        What unlabelled graphs teach.
    unsupervised_weight : float, default 0.001
        Weight lambda of what they teach; 0: learn from the labels alone.
    atom_references : bool, default False
        Predict what is left of a target after a sum of terms, one for each element (molecules).

    Attributes
    ----------
    target_names_ : list of str
        What the targets are called.
    held_out_ : HeldOut or None
        Predictions for the labelled graphs that chose the epoch.
    choice_ : list of str
        What was chosen by the labels, in words.
    history_ : list of dict
        The figures of each epoch.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import SubgraphInfoMaxRegressor, make_motif_graphs
    >>> graphs = make_motif_graphs(20, random_state=0)
    >>> sizes = np.where(np.arange(20) < 12, graphs.num_nodes, np.nan)  # eight graphs have no label
    >>> model = SubgraphInfoMaxRegressor(epochs=1, hidden=8, layers=2).fit(graphs, sizes)
    >>> model.predict(graphs).shape
    (20,)
    """

    method = "regressor"
    idea = "numbers from few labels and many graphs"
    config_class = PredictorConfig
    learns_classes = False

    def learn_targets(
        self, columns: np.ndarray, names: list[str], single: bool, train: np.ndarray, store: GraphStore
    ) -> tuple[Targets, np.ndarray]:
        """Numbers, with terms for each element taken off first where that is asked for."""
        references: bool = self.atom_references
        return NumberTargets.learned(columns, names, single, train, store, references=references)


class SubgraphInfoMaxClassifier(SubgraphInfoMaxPredictor):
    """Classes from graphs, by cross-entropy and the unsupervised loss.

    `classes_` are the labels in the order of `predict_proba`; with several targets, one array each.

    Parameters
    ----------
    verbose : bool, default False
        Show progress on standard error.
    structure : list of str or function, default ()
        Structure attributes, each a kind of its own; degree where nodes have no attributes.
    hidden : int, default 128
        Width of every hidden layer.
    layers : int, default 4
        Number L of graph network layers.
    epochs : int, default 100
        Passes over the graphs; with labels, over the labelled ones.
    batch_size : int, default 128
        Graphs in a step; with labels, as many others besides.
    lr : float, default 0.001
        Learning rate of Adam.
    random_state : int, RandomState, Generator or None, default 0
        Seed of everything random.
    device : str, default 'auto'
        Where to compute; auto takes a GPU if there is one.
    threads : int, default 0
        Threads of a fit and of embedding; 0: one for small graphs, one for each core where that pays.
    snapshot_every : int, default 5
        Keep the weights every so many epochs, for the protocols that look at them; 0: never.
    backbone : str or class, default 'gin'
        Graph network; `pyg:NAME` takes a basic PyG model.
    readout : str or class, default 'sum'
        Node vectors to graph vector.
    lift : bool, default True
        Run on classes of equal nodes where that is exact and pays.
    generator : str or class, default 'tree-split'
        How subgraphs are made.
    num_subgraphs : int, default 4
        Number S of subgraphs.
    selection : str, default 'straight-through'
        How a node is put into a subgraph.
    estimator : str or class, default 'jsd'
        Mutual information estimator.
    pair_score : str, default 'dot'
        Score of a pair of vectors.
    temperature : float, default 0.2
        Divisor of the cosine score.
    start_from : str, default ''
        Begin with the weights of this run, or of a pretrained encoder (molecules-small), not with random
        ones.
    head_negatives : bool, default True
        Contrast with the permuted graph (off: BASE).
    subgraph_conv : bool, default True
        Mix the subgraphs before contrasting (off: BASE and BASE+NEG).
    validation : float, default 0.1
        Share of the labelled graphs that choose the epoch; 0: the last epoch.
    lr_decay : float, default 0.7
        Factor on the learning rate when validation no longer improves.
    patience : int, default 5
        Epochs without improvement that are let pass before that.
    unlabelled : str or class, default 'subgraph-infomax'
        What unlabelled graphs teach.
    unsupervised_weight : float, default 0.001
        Weight lambda of what they teach; 0: learn from the labels alone.
    atom_references : bool, default False
        Predict what is left of a target after a sum of terms, one for each element (molecules).

    Attributes
    ----------
    target_names_ : list of str
        What the targets are called.
    held_out_ : HeldOut or None
        Predictions for the labelled graphs that chose the epoch.
    choice_ : list of str
        What was chosen by the labels, in words.
    history_ : list of dict
        The figures of each epoch.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import SubgraphInfoMaxClassifier, make_motif_graphs
    >>> graphs = make_motif_graphs(20, random_state=0)
    >>> some = [label if place < 12 else None for place, label in enumerate(graphs.labels)]
    >>> model = SubgraphInfoMaxClassifier(epochs=1, hidden=8, layers=2).fit(graphs, some)
    >>> model.predict_proba(graphs).shape
    (20, 2)
    """

    method = "classifier"
    idea = "classes from few labels and many graphs"
    config_class = PredictorConfig
    learns_classes = True

    def learn_targets(
        self, columns: np.ndarray, names: list[str], single: bool, train: np.ndarray, store: GraphStore
    ) -> tuple[Targets, np.ndarray]:
        """Classes, which no terms can be taken off."""
        if self.atom_references:
            raise PartwholeError("Atom references are for numbers; leave them out where classes are learned.")
        return super().learn_targets(columns, names, single, train, store)
