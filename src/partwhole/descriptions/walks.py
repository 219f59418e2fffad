"""How fast the number of walks grows."""

from __future__ import annotations

import numpy as np

from partwhole.registry import DESCRIPTIONS
from partwhole.store import GraphStore
from partwhole.structure.base import adjacency

LONGEST = 5


@DESCRIPTIONS.register
def walks(store: GraphStore) -> list[np.ndarray]:
    """One block: log(W_k / W_(k-1)) for k = 1 to 5, where W_k is the number of walks of k steps, and one
    where there is none. The first is the log of the mean degree; hubs make the later ones large, and all of
    them are the same for a graph and for several copies of it."""
    a = adjacency(store)
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    ending = np.ones(len(graph))  # walks that end in each node
    logs = [np.log(np.maximum(store.num_nodes, 1))]
    for _ in range(LONGEST):
        ending = a @ ending
        logs.append(np.log(np.maximum(np.bincount(graph, ending, len(store)), 1)))
    return [np.diff(np.stack(logs, axis=1)).astype(np.float32)]
