"""From several views of a graph to one vector: the main directions of all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.numerics.directions import main_directions, random_directions
from partwhole.recipes.weights import COLUMNWISE, LAYERS
from partwhole.registry import DESCRIPTIONS

MOST_GRAPHS = 4096  # that directions are learned from, spread evenly over all

Blocks = list[np.ndarray]  # [graphs, width] each


def described(store: GraphStore, recipe: Iterable[str]) -> Blocks:
    """The blocks of all descriptions of a recipe, in its order."""
    return [block for view in recipe if view != LAYERS for block in DESCRIPTIONS.get(view)(store)]


def signed_log(sums: np.ndarray) -> np.ndarray:
    """sign(x) log(1 + |x|): sums over nodes span orders of magnitude, and a kernel has one width."""
    return np.asarray(np.sign(sums) * np.log1p(np.abs(sums)))


@dataclass(frozen=True)
class Part:
    """Blocks x of some graphs side by side, as rows (x - mean) M."""

    mean: np.ndarray  # [columns]
    map: np.ndarray  # M [columns, k]
    rows: np.ndarray  # [graphs, k]


class Summary(nn.Module):
    """y = (x - mean) M for the blocks x side by side; M scales the blocks and keeps `width` main directions.

    Every block is centred and has the share of the variance that its view has in the recipe, which the
    blocks of a view divide equally. The mean and M are learned from the graphs of a fit, so that a vector
    depends on its own graph only.
    """

    mean: Tensor  # [columns]
    map: Tensor  # [columns, width]

    def __init__(self, recipe: Mapping[str, float], layers: int, width: int, random: int | None = None):
        """`random`: the seed of directions that are drawn, not learned."""
        super().__init__()
        nothing = GraphStore.from_arrays(np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
        blocks = {view: [b.shape[1] for b in described(nothing, [view])] for view in recipe if view != LAYERS}
        if LAYERS in recipe:
            blocks[LAYERS] = [layers]
        self.width, self.random = width, random
        self.widths = [w for widths in blocks.values() for w in widths]
        self.weights = [recipe[view] / len(widths) for view, widths in blocks.items() for _ in widths]
        self.columnwise = [view in COLUMNWISE for view, widths in blocks.items() for _ in widths]
        self.register_buffer("mean", torch.zeros(sum(self.widths)))
        self.register_buffer("map", torch.zeros(sum(self.widths), width))

    def part(self, blocks: Blocks, first: int = 0, most: int | None = None) -> Part:
        """Of the graphs of a fit: the blocks from number `first` on, centred and scaled; `most`: in at most
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
        return Part(np.concatenate(means), scaled, rows @ directions)

    def learn(self, *parts: Part) -> None:
        """From all blocks of the graphs of a fit, in their order."""
        rows = np.hstack([part.rows for part in parts])
        if self.random is None:
            directions = main_directions(rows, self.width)
        else:
            directions = random_directions(rows.shape[1], self.width, self.random)
        turned = directions @ _rotation(self.width)[: directions.shape[1]]
        pieces = np.split(turned, np.cumsum([part.rows.shape[1] for part in parts])[:-1])
        self.mean.copy_(torch.from_numpy(np.concatenate([part.mean for part in parts])))
        self.map.copy_(torch.from_numpy(np.vstack([p.map @ piece for p, piece in zip(parts, pieces)])))

    def forward(self, blocks: Sequence[np.ndarray]) -> np.ndarray:
        """[graphs, width] float32; in double precision, so that no batch rounds it otherwise."""
        x = np.hstack(blocks).astype(np.float64) - self.mean.cpu().numpy()
        return np.asarray(x @ self.map.cpu().numpy().astype(np.float64), np.float32)


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
