"""A batch on classes of nodes instead of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from partwhole.graph import InputRows, Movable
from partwhole.nn.sparse import Sparse
from partwhole.nodes import NodeVectors, Rows
from partwhole.segment import segment_ids


@dataclass(frozen=True, eq=False)
class Depth(Movable):
    """The classes of one depth."""

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
        last = self.depths[-1]
        return Rows(self.row_ptr, segment_ids(self.row_ptr, len(last.pair_of_row)), last.graphs.weight)

    def start(self, x0: Tensor) -> Tensor:
        return x0

    def aggregate(self, depth: int, x: Tensor) -> Tensor:
        return self.depths[depth - 1].neighbors @ x

    def sizes(self, depth: int) -> Tensor | None:
        return self.depths[depth - 1].sizes

    def nodes(self, layers: Sequence[Tensor], weight: Tensor, bias: Tensor) -> NodeVectors:
        return LiftedNodes(self, list(layers), weight, bias, self.rows, originals_only=False)


@dataclass(frozen=True, eq=False)
class LiftedNodes:
    """X_G = sum_k w_k X^(k) + b, kept as its layers: each has rows of its own depth.

    Projection and sum are linear, so they are applied to the layers and mixed afterwards.
    """

    batch: LiftedBatch
    layers: list[Tensor]  # [classes of depth k, d]
    weight: Tensor  # [L]
    bias: Tensor  # [1]
    rows: Rows
    originals_only: bool

    def first(self, graphs: int) -> LiftedNodes:
        if graphs == len(self.rows.ptr) - 1:
            return self
        assert graphs == self.batch.num_graphs
        return LiftedNodes(self.batch, self.layers, self.weight, self.bias, self.rows.first(graphs), True)

    def project(self, weight: Tensor) -> Tensor:
        out = self.bias * weight.sum(0)
        for w, x, depth in zip(self.weight, self.layers, self.batch.depths):
            out = out + (x @ (w * weight)).index_select(0, depth.class_of_row[: len(self.rows.graph)])
        return out

    def sum(self, weight: Tensor | None = None) -> Tensor:
        out: Tensor | None = None
        count = self.rows.count
        assert count is not None
        count = count.to(self.layers[0].dtype)
        counted = count if weight is None else weight * count
        for w, x, depth in zip(self.weight, self.layers, self.batch.depths):
            matrix = depth.originals if self.originals_only else depth.graphs
            if weight is not None:
                entries = torch.zeros_like(matrix.weight, dtype=x.dtype)
                matrix = matrix.with_weight(entries.index_add(0, depth.pair_of_row[: len(count)], counted))
            term = w * (matrix @ x)
            out = term if out is None else out + term
        total = torch.zeros(len(self.rows.ptr) - 1, dtype=counted.dtype, device=counted.device)
        total = total.index_add(0, self.rows.graph, counted)
        assert out is not None
        return out + self.bias * total[:, None]
