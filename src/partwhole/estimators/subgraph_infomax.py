"""The paper's method with scikit-learn's face."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor, nn

from partwhole.config import DESCRIBED, RecipeConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Encoder, pieces
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs, carry_out, with_first_weights
from partwhole.estimators.start import start_from
from partwhole.graphs.store import GraphStore
from partwhole.losses.head_tail import IDEA
from partwhole.losses.head_tail import PAPER as THE_PAPER
from partwhole.model import PartWhole
from partwhole.recipes.graph_vectors import MAP, MEAN, Descriptions, GraphVectors, Said
from partwhole.recipes.weights import PAPER, RANDOM, RECIPES
from partwhole.training.feeds import DescribedFeed, GraphFeed
from partwhole.training.objectives import DescribedObjective, HeadTailObjective
from partwhole.training.plan import TrainingPlan, nothing_beside
from partwhole.training.threads import using_threads


class RecipeEncoder(Encoder):
    """A network and what else its graphs are described by: `recipes/graph_vectors.py` makes the vector."""

    def __init__(self, network: NetworkEncoder, vectors: GraphVectors):
        self.network, self.vectors = network, vectors

    @property
    def width(self) -> int:
        """Columns of a vector."""
        return self.vectors.width

    @property
    def model(self) -> nn.Module:
        """The network."""
        return self.network.model

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """Vectors y(G)."""
        for piece in pieces(self.network.inputs.prepared(store)):
            yield self.vectors(piece, self.network.layer_sums)
            store.release_pages()

    def tensors(self) -> dict[str, Tensor]:
        """The weights of the network, and the main directions."""
        return self.network.tensors() | self.vectors.tensors()

    @property
    def learns_subgraphs(self) -> bool:
        """Whether the subgraph generator has a part in training."""
        return self.network.learns_subgraphs

    def memberships(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[S, nodes] of each graph."""
        return self.network.memberships(store)


class SubgraphInfoMax(GraphEstimator[RecipeConfig]):
    """Vectors for whole graphs by aggregating learned subgraphs (Wang & Liu).

    `fit` takes graphs and no labels; `transform` gives an array [graphs, hidden].

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
    selection : str, default 'auto'
        How a node is put into a subgraph; auto: straight-through for the recipe paper, else balanced.
    estimator : str or class, default 'jsd'
        Mutual information estimator.
    pair_score : str, default 'auto'
        Score of a pair of vectors; auto: dot for the recipe paper, else scaled.
    temperature : float, default 0.2
        Divisor of the cosine score.
    start_from : str, default ''
        Begin with the weights of this run, or of a pretrained encoder (molecules-small), not with random
        ones.
    head_negatives : bool, default True
        Contrast with the permuted graph (off: BASE).
    subgraph_conv : bool, default True
        Mix the subgraphs before contrasting (off: BASE and BASE+NEG).
    objective : str, default 'auto'
        What is trained by; bound: the estimator alone; described: also agreement with what can be said
        of a graph without learning; auto: bound for the recipe paper, else described.
    recipe : str, default 'best'
        What the vector of a graph is; paper: h(G) to the letter.

    Attributes
    ----------
    learned_ : Encoder
        What the fit learned; `model_` is its network.
    schema_ : Schema
        The attributes of the graphs of the fit; new graphs are read in the same columns.
    history_ : list of dict
        The figures of each epoch.
    about_ : dict
        How the model came about: options, data, versions.
    vocabulary_ : Vocabulary or None
        Types of parts that mean the same in every graph; None in runs older than it.

    Examples
    --------
    >>> from partwhole import SubgraphInfoMax, make_motif_graphs
    >>> graphs = make_motif_graphs(20, random_state=0)
    >>> model = SubgraphInfoMax(epochs=1, hidden=8, layers=2).fit(graphs)
    >>> model.transform(graphs).shape
    (20, 8)
    >>> model.subgraphs(graphs[0]).shape[0]  # how much of each node each of four subgraphs holds
    4
    """

    method = "subgraph-infomax"
    idea, paper = IDEA, THE_PAPER
    config_class = RecipeConfig
    resumable = True

    def learn(self, fit: Fit[RecipeConfig]) -> Encoder:
        """Train the network by the Head-Tail bound, then learn the directions of all that is said of the
        graphs."""
        config = fit.config
        if config.objective == DESCRIBED and config.recipe == PAPER:
            raise PartwholeError(
                "The recipe paper describes nothing that training could agree with; leave objective out."
            )
        network, vectors = self._first(config, NetworkInputs.of(fit.store.schema, config))
        model: PartWhole = network.encoder  # type: ignore[assignment]
        start_from(config.start_from, model, fit)
        store = network.inputs.prepared(fit.store)
        with using_threads(network.threads(store, config.batch_size)):
            described = None if vectors is None else vectors.descriptions(store)
            said = None
            if described is not None and config.objective == DESCRIBED and config.epochs > 0:
                said = described.of(store)
            plan = self.plan(model, store, config, said)
            plan = replace(plan, finish=_finish(network, vectors, described, store))
            carry_out(plan, fit, spans_ranks=network.spans_ranks)
        return network if vectors is None else RecipeEncoder(network, vectors)

    def plan(
        self, model: PartWhole, store: GraphStore, config: RecipeConfig, said: Said | None = None
    ) -> TrainingPlan[PartWhole, Any]:
        """What is trained: the model, by the Head-Tail bound, on graphs and their permutations; by agreement
        with what is `said` of the graphs, too, if anything is."""
        feed = GraphFeed(store, model, config, corrupt=config.head_negatives, lift=config.lift)
        if said is None:
            return TrainingPlan(model, HeadTailObjective(config), feed)
        return TrainingPlan(model, DescribedObjective(config), DescribedFeed(feed, said, config))

    def restore(self, kept: Kept[RecipeConfig]) -> Encoder:
        """The network and the directions that were learned."""
        network, vectors = self._first(kept.config, NetworkInputs.of(kept.schema, kept.config))
        weights = {name: tensor for name, tensor in kept.tensors.items() if name not in (MEAN, MAP)}
        network.restore(weights, kept.path)
        if vectors is None:
            return network
        vectors.restore(kept.tensors, kept.path)
        return RecipeEncoder(network, vectors)

    def _first(
        self, config: RecipeConfig, inputs: NetworkInputs
    ) -> tuple[NetworkEncoder, GraphVectors | None]:
        """The network with its first weights, and what makes vectors; None: h(G) itself."""
        model = with_first_weights(
            config.random_state, lambda: PartWhole.from_config(config, inputs.widths, inputs.edge_width)
        )
        network = NetworkEncoder(model, model, inputs, config, lift=config.lift, subgraphs=True)
        if config.recipe == PAPER:
            return network, None
        random = config.random_state if config.recipe == RANDOM else None
        columns = config.layers * config.hidden
        return network, GraphVectors(RECIPES[config.recipe], columns, config.hidden, random)


def _finish(
    network: NetworkEncoder, vectors: GraphVectors | None, described: Descriptions | None, store: GraphStore
) -> Callable[[], Mapping[str, Tensor]]:
    """What is computed from the weights when they are kept: where parts are divided, and main directions."""
    learn_vectors = nothing_beside
    if vectors is not None and described is not None:
        learn_vectors = vectors.learning(described, network.layer_sums)

    def finish() -> Mapping[str, Tensor]:
        network.divide_parts(store)
        return learn_vectors()

    return finish
