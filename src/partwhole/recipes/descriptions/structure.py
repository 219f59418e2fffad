"""What the shape around each node and edge says, in coarse steps."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.recipes.histogram import hashed_histogram
from partwhole.registry import DESCRIPTIONS, STRUCTURE
from partwhole.structure.base import adjacency

WIDTH = 128  # of a block
EXACT = 8  # small numbers are told apart
STEPS = 2  # for each doubling above


@DESCRIPTIONS.register
def structure(store: GraphStore) -> list[np.ndarray]:
    """Blocks of nodes: degree, mean degree of the neighbours, triangles, chance that a walk of two steps
    comes back, share of pairs of neighbours that are joined, core number; and of edges: the smaller degree
    as a share of the larger, and both degrees."""
    a = adjacency(store)
    node = np.repeat(np.arange(len(store)), store.num_nodes)
    source = np.repeat(np.arange(len(node)), np.diff(a.indptr))
    degree = np.diff(a.indptr).astype(np.float64)
    at_least = np.maximum(degree, 1)
    low, high = np.sort([degree[source], degree[a.indices]], axis=0)
    returns = (a @ (1 / at_least)) / at_least
    triangles = STRUCTURE.get("triangles")(store)
    of_nodes = (
        steps(degree),
        steps(a @ degree / at_least),
        steps(triangles),
        np.floor(STEPS * np.log2(np.maximum(returns, 1e-6))),
        np.floor(20 * triangles / np.maximum(degree * (degree - 1), 1)),  # tenths
        steps(STRUCTURE.get("core-number")(store)),
    )
    of_edges = np.floor(10 * low / np.maximum(high, 1)), 1000 * steps(low) + steps(high)
    keyed = [(node, values) for values in of_nodes] + [(node[source], values) for values in of_edges]
    return [
        hashed_histogram(graph, values.astype(np.int64).view(np.uint64), len(store), WIDTH)
        for graph, values in keyed
    ]


def steps(values: np.ndarray) -> np.ndarray:
    """Whole numbers below `EXACT` as they are, larger ones in `STEPS` steps for each doubling."""
    doublings = np.log2(np.maximum(values, EXACT) / EXACT)
    return np.where(values < EXACT, np.round(values), EXACT + np.floor(STEPS * doublings))
