"""How far the nodes are from the centre."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.graphs.store import GraphStore
from partwhole.recipes.descriptions.walks import ending_walks
from partwhole.recipes.histogram import hashed_histogram
from partwhole.registry import DESCRIPTIONS

WIDTH = 128
EQUAL = 1 - 1e-9  # counts above 2^53 are rounded, and nodes that are alike must stay alike


@DESCRIPTIONS.register
def depth(store: GraphStore) -> list[np.ndarray]:
    """One block: how the nodes share out over the steps to the nearest centre."""
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    return [hashed_histogram(graph, steps_to_center(store).view(np.uint64), len(store), WIDTH)]


def steps_to_center(store: GraphStore) -> np.ndarray:
    """[N] from each node to the nearest of the nodes in which the most walks of five steps end; -1 where no
    path leads to one."""
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    *_, ending = ending_walks(store)
    most = np.zeros(len(store))
    np.maximum.at(most, graph, ending)
    centers = np.flatnonzero(ending >= EQUAL * most[graph])
    first_node = store.node_ptr[:-1][graph]
    return _steps_from(centers, np.asarray(store.edge_ptr), np.asarray(store.neighbor), first_node)


@njit(cache=True, nogil=True)
def _steps_from(
    start: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray, first_node: np.ndarray
) -> np.ndarray:
    """[N] steps to the nearest of `start`, -1 where there is no path; each edge is looked at twice."""
    away, queue = np.full(len(first_node), -1, np.int64), np.empty(len(first_node), np.int64)
    queue[: len(start)] = start
    away[start] = 0
    end, i = len(start), 0
    while i < end:
        node = queue[i]
        i += 1
        for e in range(edge_ptr[node], edge_ptr[node + 1]):
            other = neighbor[e] + first_node[node]
            if away[other] < 0:
                away[other] = away[node] + 1
                queue[end] = other
                end += 1
    return away
