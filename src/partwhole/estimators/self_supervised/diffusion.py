"""Batches in two views: the graph itself, and how far a walk that starts anew spreads in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from partwhole.errors import TooLarge
from partwhole.estimators.encoder import EMBED_GRAPHS
from partwhole.graphs.csr import concatenated_ranges
from partwhole.graphs.graph import InputRows, Movable
from partwhole.graphs.store import GraphStore
from partwhole.nn.sparse import Sparse
from partwhole.numerics.segment import segment_ids

RESTART = 0.2  # of personalised PageRank, as in its paper
MOST_PAIRS = 100_000_000  # of nodes, in all graphs together
MOST_IN_BATCH = 30_000_000  # 2 GB while a batch is made


@dataclass(frozen=True, eq=False)
class TwoViews(Movable):
    """Graphs with their adjacency, and with the diffusion on them."""

    inputs: InputRows
    adjacency: Sparse  # [n, n] normalised, with self-loops
    diffusion: Sparse  # [n, n]
    node_ptr: Tensor  # [B + 1] int64

    @property
    def num_graphs(self) -> int:
        """Graphs in the batch."""
        return len(self.node_ptr) - 1

    @cached_property
    def graph_of_node(self) -> Tensor:
        """[n] int64"""
        return segment_ids(self.node_ptr, int(self.node_ptr[-1]))


class Diffused:
    """A store with the diffusion of each graph, computed once: all its pairs of nodes have a weight."""

    def __init__(self, store: GraphStore):
        squares = store.num_nodes.astype(np.int64) ** 2
        pairs, in_batch = int(squares.sum()), int(np.sort(squares)[-EMBED_GRAPHS:].sum())
        if pairs > MOST_PAIRS or in_batch > MOST_IN_BATCH:
            raise TooLarge(
                f"mvgrl weighs every pair of nodes of a graph, {pairs / 1e6:.0f} million in {store.name} and "
                f"up to {in_batch / 1e6:.0f} million at a time; give smaller graphs (at most "
                f"{MOST_PAIRS / 1e6:.0f} and {MOST_IN_BATCH / 1e6:.0f} million), or use infograph."
            )
        self.store = store
        self.ptr = np.concatenate([[0], np.cumsum(squares)])
        self.weight = np.empty(pairs, np.float32)
        for g in range(len(store)):
            self.weight[self.ptr[g] : self.ptr[g + 1]] = pagerank(adjacency_matrix(store, g)).ravel()

    def batch(self, index: np.ndarray) -> TwoViews:
        """The batch of these graphs, in both views."""
        store = self.store
        nodes, node_ptr, edge_ptr, neighbor = store.batch_structure(index)
        size = len(nodes)
        row = np.repeat(np.arange(size), np.diff(edge_ptr))
        other = row != neighbor
        row = np.concatenate([row[other], np.arange(size)])
        column = np.concatenate([neighbor[other], np.arange(size)])
        order = np.argsort(row, kind="stable")
        row, column = row[order], column[order]
        scale = 1 / np.sqrt(np.bincount(row, minlength=size))
        counts = store.num_nodes[index]
        starts = np.repeat(node_ptr[:-1], counts)  # [n] the first node of the graph of each node
        every_row = np.repeat(np.arange(size), np.repeat(counts, counts))
        every_column = concatenated_ranges(starts, np.repeat(counts, counts))
        entries = concatenated_ranges(self.ptr[index], counts.astype(np.int64) ** 2)
        return TwoViews(
            inputs=store.inputs(nodes),
            adjacency=_sparse(row, column, (scale[row] * scale[column]).astype(np.float32), size),
            diffusion=_sparse(every_row, every_column, self.weight[entries], size),
            node_ptr=torch.from_numpy(node_ptr),
        )


def adjacency_matrix(store: GraphStore, g: int) -> np.ndarray:
    """[n, n] of one graph, without self-loops."""
    first, last = store.node_ptr[g], store.node_ptr[g + 1]
    matrix = np.zeros((last - first, last - first))
    degree = np.diff(store.edge_ptr[first : last + 1])
    row = np.repeat(np.arange(last - first), degree)
    matrix[row, store.neighbor[store.edge_ptr[first] : store.edge_ptr[last]]] = 1
    np.fill_diagonal(matrix, 0)
    return matrix


def pagerank(adjacency: np.ndarray) -> np.ndarray:
    """S = a (I - (1 - a) D^(-1/2) A D^(-1/2))^(-1), personalised PageRank in closed form."""
    degree = adjacency.sum(axis=1)
    scale = np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    walk = adjacency * scale[:, None] * scale[None, :]
    return RESTART * np.linalg.inv(np.eye(len(walk)) - (1 - RESTART) * walk)


def _sparse(row: np.ndarray, column: np.ndarray, weight: np.ndarray, size: int) -> Sparse:
    rows, columns, weights = (torch.from_numpy(array) for array in (row, column, weight))
    return Sparse.from_entries(rows, columns, weights, (size, size))
