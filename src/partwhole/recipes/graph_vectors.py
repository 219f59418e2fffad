"""The default vector of a graph, on one page.

descriptions of the graph (no learning)      sums over its nodes, layer by layer (the trained network)
                  \\                              /
                   blocks [graphs, columns], weighed by the recipe
                                   |
                 main directions of the graphs of the fit
                                   |
                         y(G) [graphs, width]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.recipes.main_directions import Blocks, MainDirections
from partwhole.recipes.weights import COLUMNWISE, LAYERS
from partwhole.registry import DESCRIPTIONS

MOST_GRAPHS = 4096  # that directions are learned from, spread evenly over all
MEAN, MAP = "summary.mean", "summary.map"  # as run folders call them

LayerSums = Callable[[GraphStore], np.ndarray]  # [graphs, L d] what the network sums up in each layer


class GraphVectors:
    """From a graph to its vector y(G): what is described, what the network sums up, and their directions."""

    def __init__(
        self, recipe: Mapping[str, float], layer_columns: int, width: int, random: int | None = None
    ):
        """Begin with nothing learned.

        Parameters
        ----------
        recipe : mapping
            The weight of each view, as in `recipes/weights.py`.
        layer_columns : int
            Columns of the layer sums: layers times their width.
        width : int
            Columns of a vector.
        random : int, optional
            The seed of directions that are drawn, not learned.
        """
        self.recipe = recipe
        nothing = GraphStore.from_arrays(np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
        blocks = {
            view: [block.shape[1] for block in described(nothing, [view])]
            for view in self.recipe
            if view != LAYERS
        }
        if LAYERS in self.recipe:
            blocks[LAYERS] = [layer_columns]
        self.directions = MainDirections(blocks, self.recipe, COLUMNWISE, width, random)

    @property
    def width(self) -> int:
        """Columns of a vector."""
        return self.directions.width

    def __call__(self, store: GraphStore, layer_sums: LayerSums) -> np.ndarray:
        """[graphs, width] float32"""
        return self.directions(self.blocks(store, layer_sums))

    def blocks(self, store: GraphStore, layer_sums: LayerSums) -> Blocks:
        """All that is said of the graphs, in the order of the recipe; the network speaks last."""
        return [*described(store, self.recipe), *self._learned(store, layer_sums)]

    def _learned(self, store: GraphStore, layer_sums: LayerSums) -> Blocks:
        return [signed_log(layer_sums(store))] if LAYERS in self.recipe else []

    def learning(self, store: GraphStore, layer_sums: LayerSums) -> Callable[[], Mapping[str, Tensor]]:
        """What learns the directions from the graphs of a fit, with the network of the moment it is called.

        Descriptions do not change in training, so they are taken once.
        """
        rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_GRAPHS)).astype(np.int64))
        sample = store.take(rows)
        blocks = described(sample, self.recipe)
        said = self.directions.measured(blocks, most=2 * self.width)

        def learn() -> Mapping[str, Tensor]:
            learned = self._learned(sample, layer_sums)
            more = [self.directions.measured(learned, len(blocks))] if learned else []
            self.directions.learn(said, *more)
            return self.tensors()

        return learn

    def tensors(self) -> dict[str, Tensor]:
        """What a run folder keeps."""
        return {MEAN: torch.from_numpy(self.directions.mean), MAP: torch.from_numpy(self.directions.map)}

    def restore(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Take back what `tensors` gave; `path` is told where it does not fit."""
        try:
            self.directions.restore(tensors[MEAN].numpy(), tensors[MAP].numpy())
        except (KeyError, ValueError) as error:
            raise PartwholeError(
                f"The weights in {path} are not those of the configuration beside them ({error}); fit again."
            ) from None


def described(store: GraphStore, recipe: Iterable[str]) -> Blocks:
    """The blocks of all descriptions of a recipe, in its order."""
    return [block for view in recipe if view != LAYERS for block in DESCRIPTIONS.get(view)(store)]


def signed_log(sums: np.ndarray) -> np.ndarray:
    """sign(x) log(1 + |x|): sums over nodes span orders of magnitude, and a kernel has one width."""
    return np.asarray(np.sign(sums) * np.log1p(np.abs(sums)))
