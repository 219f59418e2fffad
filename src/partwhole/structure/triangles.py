"""Triangles through each node, as a structure attribute."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.graphs.store import GraphStore
from partwhole.registry import STRUCTURE


@STRUCTURE.register
def triangles(store: GraphStore) -> np.ndarray:
    """How many triangles go through each node, [N]."""
    first_node = np.repeat(store.node_ptr[:-1], store.num_nodes)
    return _triangles(np.asarray(store.edge_ptr), np.asarray(store.neighbor), first_node)


@njit(cache=True, nogil=True)
def _triangles(edge_ptr: np.ndarray, neighbor: np.ndarray, first_node: np.ndarray) -> np.ndarray:
    """Every triangle is found once, from its corner of lowest degree on, along edges that lead to higher
    degrees only. A node has few of these, so that hubs cost little."""
    n = len(first_node)
    found, marked = np.zeros(n), np.full(n, -1, np.int64)
    start, after = np.zeros(n + 1, np.int64), np.empty(len(neighbor), np.int64)
    for u in range(n):
        start[u + 1] = start[u]
        for e in range(edge_ptr[u], edge_ptr[u + 1]):
            v = neighbor[e] + first_node[u]
            if _before(u, v, edge_ptr):
                after[start[u + 1]] = v
                start[u + 1] += 1
    for u in range(n):
        for v in after[start[u] : start[u + 1]]:
            marked[v] = u
        for v in after[start[u] : start[u + 1]]:
            for w in after[start[v] : start[v + 1]]:
                if marked[w] == u:
                    found[u] += 1
                    found[v] += 1
                    found[w] += 1
    return found


@njit(inline="always")
def _before(u: int, v: int, edge_ptr: np.ndarray) -> bool:
    """By degree, then by number; never of a node and itself."""
    a, b = edge_ptr[u + 1] - edge_ptr[u], edge_ptr[v + 1] - edge_ptr[v]
    return a < b or (a == b and u < v)
