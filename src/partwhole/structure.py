"""Structure attributes: what the shape of a graph says about each node.

They are further kinds of node attribute for attribute-conv (the text after Eq. 4). Each is a
function of a store to one number per node, and depends on the node's own graph only. Degree is
used by itself where a data set has no node attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from partwhole.registry import STRUCTURE
from partwhole.schema import Schema
from partwhole.store import GraphStore


def structure_kinds(schema: Schema, chosen: Sequence[str]) -> tuple[str, ...]:
    """The structure attributes a model of this schema uses."""
    if not schema.node and not chosen:
        return ("degree",)
    return tuple(chosen)


def with_structure(store: GraphStore, kinds: Sequence[str]) -> GraphStore:
    """The store with the structure attributes `kinds` computed, once for all batches."""
    columns = {kind: STRUCTURE.get(kind)(store).astype(np.float32)[:, None] for kind in kinds}
    return replace(store, structure=columns)


@STRUCTURE.register("degree")
def degree(store: GraphStore) -> np.ndarray:
    return np.diff(store.edge_ptr)


@STRUCTURE.register("log-degree")
def log_degree(store: GraphStore) -> np.ndarray:
    """log(1 + degree), for networks whose degrees span orders of magnitude."""
    return np.log1p(np.diff(store.edge_ptr))


@STRUCTURE.register("triangles")
def triangles(store: GraphStore) -> np.ndarray:
    """Triangles through each node: half the paths of length two that close."""
    a = _adjacency(store)
    a.setdiag(0)
    a.eliminate_zeros()
    return np.asarray((a @ a).multiply(a).sum(axis=1)).ravel() / 2


@STRUCTURE.register("core-number")
def core_number(store: GraphStore) -> np.ndarray:
    """The largest k such that the node stays when nodes of degree below k are peeled off."""
    a = _adjacency(store)
    a.setdiag(0)
    a.eliminate_zeros()
    left = np.asarray(a.sum(axis=1)).ravel()
    core = np.zeros(len(left))
    alive = np.ones(len(left), dtype=bool)
    k = 0
    while alive.any():
        peel = alive & (left <= k)
        if not peel.any():
            k = int(left[alive].min())
            continue
        core[peel] = k
        alive &= ~peel
        left = left - a @ peel.astype(float)
    return core


def _adjacency(store: GraphStore) -> csr_array:
    """All graphs as one block-diagonal matrix [N, N]."""
    degrees = np.diff(store.edge_ptr)
    graph_of_node = np.repeat(np.arange(len(store)), store.num_nodes)
    first_node = np.repeat(store.node_ptr[graph_of_node], degrees)
    ones = np.ones(len(store.neighbor))
    size = len(degrees)
    columns = store.neighbor + first_node
    return csr_array((ones, columns, np.asarray(store.edge_ptr)), shape=(size, size))
