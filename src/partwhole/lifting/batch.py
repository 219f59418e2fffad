"""A batch on classes of nodes instead of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from partwhole.graph import InputRows, Movable
from partwhole.lifting.colors import classes, refine, start_colors
from partwhole.lifting.quotient import first_nodes, graph_classes, quotient, transpose
from partwhole.lifting.sparse import Sparse
from partwhole.nodes import NodeVectors, Rows
from partwhole.packing import concatenated_ranges
from partwhole.segment import permute_within_graphs
from partwhole.store import GraphStore

MOST_STATIC_NODES = 5_000_000  # stores with more are coloured batch by batch, to bound memory


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
        graphs = torch.arange(len(self.row_ptr) - 1, device=self.row_ptr.device)
        graph = graphs.repeat_interleave(self.row_ptr.diff(), output_size=len(self.depths[-1].pair_of_row))
        return Rows(self.row_ptr, graph, self.depths[-1].graphs.weight)

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


class Lifter:
    """Makes lifted batches of a store for a network of `depth` layers."""

    def __init__(self, store: GraphStore, depth: int):
        self.store = store
        self.depth = depth
        self._static: list[np.ndarray] | None = None
        if len(store.edge_ptr) - 1 <= MOST_STATIC_NODES:
            first = np.repeat(store.node_ptr[:-1], store.num_nodes)
            nodes = slice(0, len(store.edge_ptr) - 1)
            edge_ptr, neighbor = np.asarray(store.edge_ptr), np.asarray(store.neighbor)
            colors = start_colors(store, nodes)
            self._static = [colors]
            for _ in range(depth):
                colors = refine(colors, edge_ptr, neighbor, first)
                self._static.append(colors)

    def batch(self, index: np.ndarray, corrupt: torch.Generator | None = None) -> LiftedBatch:
        """The lifted counterpart of `GraphStore.batch`."""
        store, depth = self.store, self.depth
        start, stop = store.node_ptr[index], store.node_ptr[index + 1]
        counts = stop - start
        nodes = concatenated_ranges(start, counts)
        n = len(nodes)
        node_ptr = np.concatenate([[0], np.cumsum(counts)])
        degree = store.edge_ptr[nodes + 1] - store.edge_ptr[nodes]
        edge_ptr = np.concatenate([[0], np.cumsum(degree)])
        edge_start = store.edge_ptr[start]
        edges = concatenated_ranges(edge_start, store.edge_ptr[stop] - edge_start)
        first_node = np.repeat(node_ptr[:-1], counts)
        neighbor = store.neighbor[edges] + np.repeat(first_node, degree)
        colors = self._colors(nodes, start, counts, edge_ptr, neighbor)
        if corrupt is not None:
            graph_of_node = torch.from_numpy(np.repeat(np.arange(len(index)), counts))
            order = permute_within_graphs(graph_of_node, corrupt).numpy()
            permuted = colors[0][order]
            zero = np.zeros(n, np.int64)
            colors[0] = np.concatenate([colors[0], permuted])
            for k in range(1, depth + 1):
                permuted = refine(permuted, edge_ptr, neighbor, zero)
                colors[k] = np.concatenate([colors[k], permuted])
            node_ptr = np.concatenate([node_ptr, node_ptr[1:] + n])
        return self._assemble(nodes, colors, node_ptr, edge_ptr, neighbor, len(index))

    def _colors(
        self, nodes: np.ndarray, start: np.ndarray, counts: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray
    ) -> list[np.ndarray]:
        if self._static is not None:
            return [colors[nodes] for colors in self._static]
        parts = [start_colors(self.store, slice(int(s), int(s + c))) for s, c in zip(start, counts)]
        colors = [np.concatenate(parts)]
        for _ in range(self.depth):
            colors.append(refine(colors[-1], edge_ptr, neighbor, np.zeros(len(nodes), np.int64)))
        return colors

    def _assemble(
        self,
        nodes: np.ndarray,
        colors: list[np.ndarray],
        node_ptr: np.ndarray,
        edge_ptr: np.ndarray,
        neighbor: np.ndarray,
        graphs: int,
    ) -> LiftedBatch:
        before, first, sizes = classes(colors[0])
        inputs = self.store.inputs(nodes[first])  # a class of depth 0 first appears in G, not in G^
        found = []
        for k in range(1, self.depth + 1):
            of_node, first, counts = classes(colors[k])
            matrix = quotient(before, first, len(sizes), edge_ptr, neighbor)
            ptr, column, count, pair_of_node = graph_classes(of_node, node_ptr, len(first))
            found.append((counts, _sparse(*matrix, len(sizes)), ptr, column, count, pair_of_node))
            before, sizes = of_node, counts
        rows = first_nodes(found[-1][5], len(found[-1][3]))
        depths = []
        for counts, neighbors, ptr, column, count, pair_of_node in found:
            pair_of_row = pair_of_node[rows].astype(np.int64)
            end = ptr[graphs]
            depths.append(
                Depth(
                    sizes=torch.from_numpy(counts),
                    neighbors=neighbors,
                    graphs=_sparse(ptr, column, count, len(counts)),
                    originals=_sparse(ptr[: graphs + 1], column[:end], count[:end], len(counts)),
                    pair_of_row=torch.from_numpy(pair_of_row),
                    class_of_row=torch.from_numpy(column[pair_of_row].astype(np.int64)),
                )
            )
        row_ptr = torch.from_numpy(found[-1][2].astype(np.int64))
        return LiftedBatch(inputs, depths, row_ptr, graphs)


def _sparse(ptr: np.ndarray, column: np.ndarray, weight: np.ndarray, columns: int) -> Sparse:
    arrays = (ptr, column, weight, *transpose(ptr, column, columns))
    return Sparse(*(torch.from_numpy(np.ascontiguousarray(a)) for a in arrays))
