"""The node vectors X_G of a batch, as readouts and generators see them.

Both only ever project X_G to a few numbers per node, sum it over nodes with weights, and ask how many nodes a
row stands for. That is all the interface offers, so that vectors can also be kept in a compressed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from partwhole.numerics.segment import segment_sum


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of nodes, graph after graph; a row may stand for several nodes of its graph."""

    ptr: Tensor  # [G + 1] int64, graph g owns rows ptr[g] : ptr[g + 1]
    graph: Tensor  # [rows] int64
    count: Tensor | None  # [rows] float, nodes in each row; None: one each

    def first(self, graphs: int) -> Rows:
        """The rows of the first `graphs` graphs."""
        end = int(self.ptr[graphs])
        count = None if self.count is None else self.count[:end]
        return Rows(self.ptr[: graphs + 1], self.graph[:end], count)

    def total(self, values: Tensor) -> Tensor:
        """[rows, m] -> [G, m]: the sum over nodes."""
        if self.count is not None:
            values = values * self.count[:, None].to(values.dtype)
        return segment_sum(values.contiguous(), self.ptr, self.graph)


class NodeVectors(Protocol):
    """X_G [n, d] in whatever form it is kept."""

    @property
    def rows(self) -> Rows:
        """Which graph each row belongs to, and how many nodes it stands for."""
        ...

    def first(self, graphs: int) -> NodeVectors:
        """The vectors of the first `graphs` graphs."""
        ...

    def project(self, weight: Tensor) -> Tensor:
        """X_G W, W [d, m] -> [rows, m]"""
        ...

    def sum(self, weight: Tensor | None = None) -> Tensor:
        """[G, d]: the sum over the nodes of each graph, a node counted weight [rows] times."""
        ...

    def layer_sums(self, graphs: int) -> Tensor:
        """[graphs, L d]: the sums over the nodes of the first graphs of each layer that X_G is mixed from."""
        ...


@dataclass(frozen=True, eq=False)
class PlainNodes:
    """One row per node."""

    x: Tensor  # [n, d]
    rows: Rows
    layers: Sequence[Tensor] = ()  # [n, d] each, what x is mixed from

    def first(self, graphs: int) -> PlainNodes:
        """The vectors of the first `graphs` graphs, over the same memory."""
        rows = self.rows.first(graphs)
        nodes = len(rows.graph)
        return PlainNodes(self.x[:nodes], rows, [layer[:nodes] for layer in self.layers])

    def project(self, weight: Tensor) -> Tensor:
        """X_G W, [n, m]"""
        return self.x @ weight

    def sum(self, weight: Tensor | None = None) -> Tensor:
        """[G, d]: the sum over the nodes of each graph, times weight [n]."""
        return segment_sum(self.x, self.rows.ptr, self.rows.graph, weight)

    def layer_sums(self, graphs: int) -> Tensor:
        """[graphs, L d]: the sum of each layer over the nodes of the first graphs."""
        first = self.first(graphs)
        return torch.cat([segment_sum(x, first.rows.ptr, first.rows.graph) for x in first.layers], dim=1)


def node_total(nodes: NodeVectors, weight: Tensor | None) -> Tensor:
    """[G, 1]: the nodes of each graph, a node counted weight [rows] times."""
    if weight is None:
        weight = torch.ones(len(nodes.rows.graph), device=nodes.rows.graph.device)
    return nodes.rows.total(weight[:, None])
