"""How large a graph is."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.registry import DESCRIPTIONS, STRUCTURE


@DESCRIPTIONS.register
def sizes(store: GraphStore) -> list[np.ndarray]:
    """One block: logarithms of the numbers of nodes, edges and triangles."""
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    triangles = np.bincount(graph, STRUCTURE.get("triangles")(store), len(store)) / 3
    return [np.log1p(np.stack([store.num_nodes, store.num_edges, triangles], axis=1)).astype(np.float32)]
