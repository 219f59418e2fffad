"""The paper's method with scikit-learn's face."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from torch import Tensor, nn

from partwhole.config import RecipeConfig
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Encoder, pieces
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs, carry_out, with_first_weights
from partwhole.estimators.start import start_from
from partwhole.graphs.store import GraphStore
from partwhole.losses.head_tail import IDEA
from partwhole.losses.head_tail import PAPER as THE_PAPER
from partwhole.model import PartWhole
from partwhole.recipes.graph_vectors import MAP, MEAN, GraphVectors
from partwhole.recipes.weights import PAPER
from partwhole.training.feeds import GraphFeed
from partwhole.training.objectives import HeadTailObjective
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
    """

    method = "subgraph-infomax"
    idea, paper = IDEA, THE_PAPER
    config_class = RecipeConfig
    resumable = True

    def learn(self, fit: Fit[RecipeConfig]) -> Encoder:
        """Train the network by the Head-Tail bound, then learn the directions of all that is said of the
        graphs."""
        config = fit.config
        network, vectors = self._first(config, NetworkInputs.of(fit.store.schema, config))
        model: PartWhole = network.encoder  # type: ignore[assignment]
        start_from(config.start_from, model, fit)
        store = network.inputs.prepared(fit.store)
        with using_threads(network.threads(store, config.batch_size)):
            plan = TrainingPlan(
                model,
                HeadTailObjective(config),
                GraphFeed(store, model, config, corrupt=config.head_negatives, lift=config.lift),
                finish=nothing_beside if vectors is None else vectors.learning(store, network.layer_sums),
            )
            carry_out(plan, fit, spans_ranks=network.spans_ranks)
        return network if vectors is None else RecipeEncoder(network, vectors)

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
        return network, GraphVectors(config.recipe, config.layers, config.hidden, config.random_state)
