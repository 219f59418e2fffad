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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.recipes.main_directions import Blocks, MainDirections, Measured
from partwhole.recipes.weights import COLUMNWISE, LAYERS
from partwhole.registry import DESCRIPTIONS

MOST_GRAPHS = 4096  # that directions are learned from, spread evenly over all
MOST_DESCRIBED = 65_536  # that training looks at; the others have no description then
MEAN, MAP = "summary.mean", "summary.map"  # as run folders call them

LayerSums = Callable[[GraphStore], np.ndarray]  # [graphs, L d] what the network sums up in each layer


@dataclass(frozen=True)
class Descriptions:
    """What a recipe says of the graphs of a fit without learning. It does not change in training, so it is
    taken once."""

    recipe: Mapping[str, float]
    sample: GraphStore  # the graphs that directions are learned from
    blocks: int
    measured: Measured

    def of(self, store: GraphStore) -> Said:
        """What is said of all graphs of the fit, or of as many as little time suffices for."""
        if len(store) == len(self.sample):
            return Said.about(np.arange(len(store)), self.measured.rows, len(store))
        graphs, rows = spread(store, MOST_DESCRIBED), []
        for piece in np.split(graphs, range(MOST_GRAPHS, len(graphs), MOST_GRAPHS)):
            x = np.hstack(described(store.take(piece), self.recipe)) - self.measured.mean
            rows.append((x @ self.measured.map).astype(np.float32))
            store.release_pages()
        return Said.about(graphs, np.vstack(rows), len(store))


@dataclass(frozen=True)
class Said:
    """What is said of each of some graphs, in a store of more."""

    rows: Tensor  # [graphs that are described, and one, k] float32; NaN in the last
    row_of: np.ndarray  # [graphs] int64, the row of each; the last for those that are not described

    @classmethod
    def about(cls, graphs: np.ndarray, rows: np.ndarray, number: int) -> Said:
        """Rows about these graphs, of so many."""
        row_of = np.full(number, len(rows))
        row_of[graphs] = np.arange(len(rows))
        return cls(torch.from_numpy(np.pad(rows, [(0, 1), (0, 0)], constant_values=np.nan)).float(), row_of)

    def of(self, graphs: np.ndarray) -> Tensor:
        """[n, k] for these graphs; NaN where nothing is said."""
        return self.rows[self.row_of[graphs]]


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

    def descriptions(self, store: GraphStore) -> Descriptions:
        """What is said without learning of the graphs of a fit, in main directions."""
        sample = store.take(spread(store, MOST_GRAPHS))
        blocks = described(sample, self.recipe)
        return Descriptions(
            self.recipe, sample, len(blocks), self.directions.measured(blocks, most=2 * self.width)
        )

    def learning(
        self, descriptions: Descriptions, layer_sums: LayerSums
    ) -> Callable[[], Mapping[str, Tensor]]:
        """What learns the directions from the graphs of a fit, with the network of the moment."""

        def learn() -> Mapping[str, Tensor]:
            learned = self._learned(descriptions.sample, layer_sums)
            more = [self.directions.measured(learned, descriptions.blocks)] if learned else []
            self.directions.learn(descriptions.measured, *more)
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


def spread(store: GraphStore, most: int) -> np.ndarray:
    """Numbers of at most so many graphs, spread evenly over all."""
    return np.unique(np.linspace(0, len(store) - 1, min(len(store), most)).astype(np.int64))


def described(store: GraphStore, recipe: Iterable[str]) -> Blocks:
    """The blocks of all descriptions of a recipe, in its order."""
    return [block for view in recipe if view != LAYERS for block in DESCRIPTIONS.get(view)(store)]


def signed_log(sums: np.ndarray) -> np.ndarray:
    """sign(x) log(1 + |x|): sums over nodes span orders of magnitude, and a kernel has one width."""
    return np.asarray(np.sign(sums) * np.log1p(np.abs(sums)))
