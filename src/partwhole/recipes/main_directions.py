"""Several blocks of numbers about graphs to one vector: the main directions of all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.numerics.directions import main_directions, random_directions

Blocks = list[np.ndarray]  # [graphs, width] each


@dataclass(frozen=True)
class Measured:
    """Blocks x of the graphs of a fit side by side, as rows (x - mean) M."""

    mean: np.ndarray  # [columns]
    map: np.ndarray  # M [columns, k]
    rows: np.ndarray  # [graphs, k]


class MainDirections:
    """y = (x - mean) M for the blocks x side by side; M scales the blocks and keeps `width` main directions.

    Every block is centred and has the share of the variance that its view has in the recipe, which the
    blocks of a view divide equally. The mean and M are learned from the graphs of a fit, so that a vector
    depends on its own graph only.
    """

    def __init__(
        self,
        blocks: Mapping[str, Sequence[int]],
        weights: Mapping[str, float],
        columnwise: Sequence[str],
        width: int,
        random: int | None = None,
    ):
        """Begin with nothing learned.

        Parameters
        ----------
        blocks : mapping
            The widths of the blocks of each view.
        weights : mapping
            The share of the variance of each view.
        columnwise : sequence
            Views whose columns have scales of their own.
        width : int
            Directions that are kept.
        random : int, optional
            The seed of directions that are drawn, not learned.
        """
        self.width, self.random = width, random
        self.widths = [w for widths in blocks.values() for w in widths]
        self.weights = [weights[view] / len(widths) for view, widths in blocks.items() for _ in widths]
        self.columnwise = [view in columnwise for view, widths in blocks.items() for _ in widths]
        self.mean = np.zeros(sum(self.widths), np.float32)  # [columns]
        self.map = np.zeros((sum(self.widths), width), np.float32)  # M [columns, width]

    def measured(self, blocks: Blocks, first: int = 0, most: int | None = None) -> Measured:
        """The blocks from number `first` on, of the graphs of a fit, centred and scaled; `most`: in at most
        so many main directions."""
        if not all(np.isfinite(block).all() for block in blocks):
            raise PartwholeError(
                "The network gives these graphs numbers that are not finite: their attributes are too large; "
                "scale them down, or leave out the graphs that have them."
            )
        means = [block.mean(axis=0, dtype=np.float64) for block in blocks]
        deviations = [block.std(axis=0, dtype=np.float64) for block in blocks]
        scales = [_scales(*b) for b in zip(deviations, self.weights[first:], self.columnwise[first:])]
        differ = [s > 0 for s in scales]  # columns that say nothing would only cost time and memory
        rows = np.hstack([(b[:, d] - m[d]) * s[d] for b, m, s, d in zip(blocks, means, scales, differ)])
        kept, scale = np.concatenate(differ), np.concatenate(scales)
        if most is None or self.random is not None:
            directions = np.eye(rows.shape[1])
        else:
            # Where there are more graphs than columns, single precision, half the time, is precise enough.
            precision = np.float32 if len(rows) > rows.shape[1] else np.float64
            directions = main_directions(rows.astype(precision), most)
        scaled = np.zeros((len(scale), directions.shape[1]))
        scaled[kept] = scale[kept, None] * directions
        return Measured(np.concatenate(means), scaled, rows @ directions)

    def learn(self, *measured: Measured) -> None:
        """Take the mean and M from all blocks of the graphs of a fit, in their order."""
        rows = np.hstack([m.rows for m in measured])
        if self.random is None:
            directions = main_directions(rows, self.width)
        else:
            directions = random_directions(rows.shape[1], self.width, self.random)
        turned = directions @ _rotation(self.width)[: directions.shape[1]]
        pieces = np.split(turned, np.cumsum([m.rows.shape[1] for m in measured])[:-1])
        self.mean = np.concatenate([m.mean for m in measured]).astype(np.float32)
        self.map = np.vstack([m.map @ piece for m, piece in zip(measured, pieces)]).astype(np.float32)

    def restore(self, mean: np.ndarray, directions: np.ndarray) -> None:
        """Take back what was learned once; a ValueError where it is of other blocks."""
        if (mean.shape, directions.shape) != (self.mean.shape, self.map.shape):
            raise ValueError("main directions of other blocks")
        self.mean, self.map = mean, directions

    def __call__(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        """[graphs, width] float32; in double precision, so that no batch rounds it otherwise."""
        x = np.hstack(blocks).astype(np.float64) - self.mean
        return np.asarray(x @ self.map.astype(np.float64), np.float32)


def _rotation(width: int) -> np.ndarray:
    """[width, width] orthogonal, always the same. It leaves distances as they are and spreads the variance
    over all columns, so that standardising, as many pipelines do, does not make faint directions loud."""
    q, r = np.linalg.qr(np.random.default_rng(0).normal(size=(width, width)))
    return np.asarray(q * np.sign(np.diagonal(r)))


def _scales(deviation: np.ndarray, weight: float, columnwise: bool) -> np.ndarray:
    """[columns] factors that give a block the variance `weight`; columns in which all graphs are equal say
    nothing."""
    varies = deviation > 1e-6
    if columnwise:
        return np.where(varies, (weight / max(varies.sum(), 1)) ** 0.5 / np.maximum(deviation, 1e-6), 0.0)
    spread = np.sqrt((deviation**2).sum())
    return np.full(len(deviation), weight**0.5 / spread if varies.any() else 0.0)
