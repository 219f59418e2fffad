"""A batch on classes of nodes instead of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import torch
from torch import Tensor

from partwhole.graphs.graph import InputRows, Movable
from partwhole.graphs.node_vectors import NodeVectors, Rows
from partwhole.nn.sparse import Sparse
from partwhole.numerics.segment import segment_ids


@dataclass(frozen=True, eq=False)
class Depth(Movable):
    """The classes of nodes of one depth, and how they are joined to those of the depth before."""

    sizes: Tensor  # [C] float, nodes in each class
    neighbors: Sparse  # [C, classes one depth before]: a node and its neighbours
    graphs: Sparse  # [all graphs, C]: how often each graph has each class
    originals: Sparse  # [B, C]: the same for G without G^
    pair_of_row: Tensor  # [rows] int64: the entry of `graphs` that holds a row of the last depth
    class_of_row: Tensor  # [rows] int64: and the class


@dataclass(frozen=True, eq=False)
class LiftedBatch(Movable):
    """B graphs, and their corruptions after them if there are any, on classes.

    A row of the last depth is a (graph, class) pair.
    """

    inputs: InputRows  # of the classes of depth 0, which G and G^ share
    depths: list[Depth]  # 1 … L
    row_ptr: Tensor  # [all graphs + 1] int64
    num_graphs: int

    @cached_property
    def rows(self) -> Rows:
        """The rows of the last depth: which graph each belongs to, and how many nodes it stands for."""
        last = self.depths[-1]
        return Rows(self.row_ptr, segment_ids(self.row_ptr, len(last.pair_of_row)), last.graphs.weight)

    def start(self, x0: Tensor) -> Tensor:
        """X^(0) itself: G and G^ share the classes of depth 0."""
        return x0

    def aggregate(self, depth: int, x: Tensor) -> Tensor:
        """[classes of depth - 1, d] -> [classes of depth, d]: a node plus the sum of its neighbours."""
        return self.depths[depth - 1].neighbors @ x

    def sizes(self, depth: int) -> Tensor | None:
        """[classes] how many nodes each class of this depth has."""
        return self.depths[depth - 1].sizes

    def nodes(self, layers: Sequence[Tensor], weight: Tensor, bias: Tensor) -> NodeVectors:
        """X_G by layer-conv (Eq. 5), which is applied when X_G is projected or summed."""
        return MixedLayers(self, list(layers), self.rows, False, weight, bias)

    def side_by_side(self, layers: Sequence[Tensor]) -> NodeVectors:
        """[X^(1) … X^(L)], each layer on its own classes."""
        return LiftedLayers(self, list(layers), self.rows, False)


@dataclass(frozen=True, eq=False)
class LiftedLayers:
    """[X^(1) … X^(L)] side by side, each kept with the rows of its own depth.

    Projection and sum are linear, so they are applied to the layers.
    """

    batch: LiftedBatch
    layers: list[Tensor]  # [classes of depth k, d]
    rows: Rows
    originals_only: bool

    def first(self, graphs: int) -> Self:
        """The vectors of the first `graphs` graphs: all of them, or G without G^."""
        if graphs == len(self.rows.ptr) - 1:
            return self
        assert graphs == self.batch.num_graphs
        return replace(self, rows=self.rows.first(graphs), originals_only=True)

    def project(self, weight: Tensor) -> Tensor:
        """[X^(1) … X^(L)] W, W [L d, m] -> [rows, m]"""
        return self._projected(weight.chunk(len(self.layers)))

    def sum(self, weight: Tensor | None = None) -> Tensor:
        """[G, L d]: the sum over the nodes of each graph, times weight [rows]."""
        return torch.cat(self._sums(weight), dim=1)

    def layer_sums(self, graphs: int) -> Tensor:
        """[graphs, L d]: the sum of each layer over the nodes of the first graphs."""
        return torch.cat([sums[:graphs] for sums in self._plain_sums], dim=1)

    def _projected(self, weights: Sequence[Tensor], out: Tensor | None = None) -> Tensor:
        """sum_k X^(k) W_k on the rows of the last depth, added to `out`."""
        for w, x, depth in zip(weights, self.layers, self.batch.depths):
            term = (x @ w).index_select(0, depth.class_of_row[: len(self.rows.graph)])
            out = term if out is None else out + term
        assert out is not None
        return out

    def _counted(self, weight: Tensor | None) -> Tensor:
        """[rows] nodes of each row, times their weight."""
        assert self.rows.count is not None
        count = self.rows.count.to(self.layers[0].dtype)
        return count if weight is None else weight * count

    @cached_property
    def _plain_sums(self) -> list[Tensor]:
        """[G, d] for each layer, every node counted once; h(G) and `layer_sums` share them."""
        return [
            (depth.originals if self.originals_only else depth.graphs) @ x
            for x, depth in zip(self.layers, self.batch.depths)
        ]

    def _sums(self, weight: Tensor | None) -> list[Tensor]:
        """[G, d] for each layer."""
        if weight is None:
            return self._plain_sums
        sums, counted = [], self._counted(weight)
        for x, depth in zip(self.layers, self.batch.depths):
            matrix = depth.originals if self.originals_only else depth.graphs
            entries = torch.zeros_like(matrix.weight, dtype=x.dtype)
            entries = entries.index_add(0, depth.pair_of_row[: len(counted)], counted)
            sums.append(matrix.with_weight(entries) @ x)
        return sums


@dataclass(frozen=True, eq=False)
class MixedLayers(LiftedLayers):
    """X_G = sum_k w_k X^(k) + b (Eq. 5)."""

    weight: Tensor  # [L]
    bias: Tensor  # [1]

    def project(self, weight: Tensor) -> Tensor:
        """X_G W, W [d, m] -> [rows, m]"""
        return self._projected([w * weight for w in self.weight], self.bias * weight.sum(0))

    def sum(self, weight: Tensor | None = None) -> Tensor:
        """[G, d]: the sum over the nodes of each graph, times weight [rows]."""
        mixed: Tensor | None = None
        for w, term in zip(self.weight, self._sums(weight)):
            mixed = w * term if mixed is None else mixed + w * term
        assert mixed is not None
        counted = self._counted(weight)
        total = torch.zeros(len(self.rows.ptr) - 1, dtype=counted.dtype, device=counted.device)
        total = total.index_add(0, self.rows.graph, counted)
        return mixed + self.bias * total[:, None]
