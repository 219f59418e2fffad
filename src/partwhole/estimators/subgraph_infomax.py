"""The paper's method with scikit-learn's face."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch

from partwhole.config import FitConfig, RecipeConfig
from partwhole.estimators.base import EMBED_GRAPHS
from partwhole.estimators.subgraph_method import SubgraphMethod
from partwhole.graphs.store import GraphStore
from partwhole.model import PartWhole
from partwhole.recipes.graph_vectors import MOST_GRAPHS, Blocks, Summary, described, signed_log
from partwhole.recipes.weights import LAYERS, PAPER, RANDOM, RECIPES


class SubgraphInfoMax(SubgraphMethod, RecipeConfig):
    """Vectors for whole graphs by aggregating learned subgraphs (Wang & Liu).

    `fit` takes graphs and no labels; `transform` gives an array [graphs, hidden]. Graphs may be a
    `GraphStore`, a data set name or path, or a list of PyTorch Geometric `Data`, networkx graphs,
    SMILES strings or RDKit molecules. The parameters are the fields of `RecipeConfig`.
    """

    method = "subgraph-infomax"
    config_class: type[RecipeConfig] = RecipeConfig

    def _model(self, config: FitConfig, widths: Mapping[str, int], edge_width: int) -> PartWhole:
        model = super()._model(config, widths, edge_width)
        if self.recipe != PAPER:
            layers, random = self.layers * self.hidden, self.seed_ if self.recipe == RANDOM else None
            model.summary = Summary(RECIPES[self.recipe], layers, self.hidden, random)
        return model

    @property
    def width(self) -> int:
        return super().width if self.recipe == PAPER else self.hidden

    def _finisher(self, store: GraphStore) -> Callable[[], None]:
        """Learns the main directions of all that is said of the graphs, with the weights of now."""
        if self.recipe == PAPER:
            return super()._finisher(store)
        rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_GRAPHS)).astype(np.int64))
        sample, model = store.take(rows), self.model_
        blocks = described(sample, RECIPES[self.recipe])
        said = model.summary.part(blocks, most=2 * self.hidden)  # training does not change it

        def finish() -> None:
            learned = self._learned(sample)
            model.summary.learn(said, *([model.summary.part(learned, len(blocks))] if learned else []))

        return finish

    def _learned(self, store: GraphStore) -> Blocks:
        """What the network says of the graphs, if it has a part in the recipe."""
        if LAYERS not in RECIPES[self.recipe]:
            return []
        sums = torch.cat(list(self._outputs(store, self._encoder().layer_sums)))
        return [signed_log(sums.cpu().numpy())]

    def _in_pieces(self, store: GraphStore) -> Iterator[np.ndarray]:
        if self.recipe == PAPER:
            yield from super()._in_pieces(store)
            return
        for start in range(0, len(store), EMBED_GRAPHS):
            piece = store[start : start + EMBED_GRAPHS]
            blocks = [*described(piece, RECIPES[self.recipe]), *self._learned(piece)]
            yield self._encoder().summary(blocks)
            store.release_pages()
