"""How fast the number of walks grows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.registry import DESCRIPTIONS
from partwhole.structure.base import adjacency

LONGEST = 5


@DESCRIPTIONS.register
def walks(store: GraphStore) -> list[np.ndarray]:
    """One block: log(W_k / W_(k-1)) for k = 1 to 5, where W_k is the number of walks of k steps, and one
    where there is none. The first is the log of the mean degree; hubs make the later ones large, and all of
    them are the same for a graph and for several copies of it."""
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    counts = [np.bincount(graph, ending, len(store)) for ending in ending_walks(store)]
    return [np.diff(np.log(np.maximum(counts, 1)), axis=0).T.astype(np.float32)]


def ending_walks(store: GraphStore) -> Iterator[np.ndarray]:
    """[N] how many walks of k steps end in each node, for k = 0 to 5."""
    a = adjacency(store)
    ending = np.ones(a.shape[0])
    yield ending
    for _ in range(LONGEST):
        ending = a @ ending
        yield ending
