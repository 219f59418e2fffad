"""Rows that were computed of graphs, kept for the next time that somebody asks for the same graphs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore

MOST_ROWS = 16_384  # that are kept, the last ones


class RememberedRows:
    """Rows of the last graphs of one schema at a time.

    Parameters
    ----------
    compute : callable
        From a store to rows [graphs, k], each of its graph alone.
    """

    def __init__(self, compute: Callable[[GraphStore], np.ndarray]):
        self.compute = compute
        self.rows: dict[bytes, np.ndarray] = {}  # in the order in which they were computed

    def of(self, store: GraphStore) -> np.ndarray:
        """[graphs, k], computed only for graphs that are not known."""
        schema = hashlib.blake2b(
            repr(store.schema.node + store.schema.edge).encode(), digest_size=16
        ).digest()
        keys = [schema + content_of(store[i]) for i in range(len(store))]
        new = [i for i, key in enumerate(keys) if key not in self.rows]
        found = self.compute(store.take(np.array(new, np.int64)))
        asked = {key: self.rows[key] for key in keys if key in self.rows}
        asked |= zip((keys[i] for i in new), found)
        self.rows |= asked
        for key in list(self.rows)[:-MOST_ROWS]:
            del self.rows[key]
        return np.stack([asked[key] for key in keys]) if keys else found


def content_of(graph: Graph) -> bytes:
    """What graphs of one schema share that are equal node by node."""
    content = hashlib.blake2b(digest_size=16)
    for array in (graph.node_codes, graph.node_values, graph.edges, graph.edge_codes, graph.edge_values):
        content.update(str(array.shape).encode())
        content.update(np.ascontiguousarray(array).data)
    return content.digest()
