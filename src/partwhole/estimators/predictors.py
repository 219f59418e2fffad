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
    """Numbers from graphs, by mean squared error on standardised targets and the unsupervised loss."""

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
