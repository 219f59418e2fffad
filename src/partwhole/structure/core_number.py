"""Core number of each node, as a structure attribute."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.graphs.store import GraphStore
from partwhole.registry import STRUCTURE


@STRUCTURE.register
def core_number(store: GraphStore) -> np.ndarray:
    """[N] the largest k such that the node stays when nodes of degree below k are peeled off."""
    first_node = np.repeat(store.node_ptr[:-1], store.num_nodes)
    return _peel(np.asarray(store.edge_ptr), np.asarray(store.neighbor), first_node)


@njit(cache=True, nogil=True)
def _peel(edge_ptr: np.ndarray, neighbor: np.ndarray, first_node: np.ndarray) -> np.ndarray:
    """Each edge is looked at twice, and each node once for every core that it outlives."""
    n = len(first_node)
    left, core = np.zeros(n, np.int64), np.full(n, -1, np.int64)  # degree among the nodes not yet peeled
    for u in range(n):
        for e in range(edge_ptr[u], edge_ptr[u + 1]):
            left[u] += neighbor[e] + first_node[u] != u
    staying, waiting = np.arange(n), np.empty(n, np.int64)
    while len(staying):
        k, number = left[staying].min(), 0
        for node in staying:
            if left[node] <= k:
                waiting[number] = node
                number += 1
        while number:
            number -= 1
            node = waiting[number]
            core[node] = k
            for e in range(edge_ptr[node], edge_ptr[node + 1]):
                other = neighbor[e] + first_node[node]
                if other == node or core[other] >= 0:
                    continue
                left[other] -= 1
                if left[other] == k:  # now, so that it waits once
                    waiting[number] = other
                    number += 1
        staying = staying[core[staying] < 0]
    return core.astype(np.float64)
