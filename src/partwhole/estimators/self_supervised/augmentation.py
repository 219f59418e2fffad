"""GraphCL's ways to change a graph and leave its meaning: each takes a store and draws from `random`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numba import njit

from partwhole.graphs.store import GraphStore
from partwhole.graphs.streaming import concatenate
from partwhole.numerics.hashing import STEP, below

SHARE = 0.2  # of nodes or edges that are changed


def drop_nodes(store: GraphStore, random: np.random.Generator) -> GraphStore:
    """A fifth of the nodes of each graph goes, with its edges."""
    rank = _rank_within(store.node_ptr, random.random(len(store.edge_ptr) - 1))
    gone = np.repeat((SHARE * store.num_nodes).astype(np.int64), store.num_nodes)
    return induced(store, rank >= gone)


def walked_subgraph(store: GraphStore, random: np.random.Generator) -> GraphStore:
    """What a random walk sees until it has seen four fifths of the nodes, or ten times as many steps."""
    wanted = np.ceil((1 - SHARE) * store.num_nodes).astype(np.int64)
    seed = np.uint64(random.integers(2**63))
    return induced(store, _walked(store.node_ptr, store.edge_ptr, store.neighbor, wanted, seed))


def move_edges(store: GraphStore, random: np.random.Generator) -> GraphStore:
    """A fifth of the edges of each graph joins two other nodes of it, with what it carries."""
    nodes = np.repeat(np.arange(len(store.edge_ptr) - 1), np.diff(store.edge_ptr))
    graph = np.repeat(np.arange(len(store)), store.num_nodes)[nodes]
    others = store.neighbor + store.node_ptr[graph]
    once = np.flatnonzero(nodes <= others)  # an edge has two entries
    edges, graph = np.stack([nodes[once], others[once]], axis=1), graph[once]
    moved = random.random(len(edges)) < SHARE
    ends = random.random((int(moved.sum()), 2)) * store.num_nodes[graph[moved], None]
    edges[moved] = store.node_ptr[graph[moved], None] + ends.astype(np.int64)
    changed = GraphStore.from_arrays(
        store.num_nodes,
        edges,
        schema=store.schema,
        node_codes=store.node_codes,
        node_values=store.node_values,
        edge_codes=store.edge_codes[once],
        edge_values=store.edge_values[once],
        targets=store.targets,
        ids=store.ids,
        marks=store.marks,
        name=store.name,
    )
    return replace(changed, structure=store.structure)


def mask_attributes(store: GraphStore, random: np.random.Generator) -> GraphStore:
    """A fifth of the nodes takes the attributes of other nodes of the batch."""
    nodes = np.arange(len(store.edge_ptr) - 1)
    masked = random.random(len(nodes)) < SHARE
    nodes[masked] = random.integers(0, max(len(nodes), 1), int(masked.sum()))
    return replace(
        store,
        node_codes=store.node_codes[nodes],
        node_values=store.node_values[nodes],
        structure={kind: x[nodes] for kind, x in store.structure.items()},
    )


AUGMENTATIONS: tuple[Callable[[GraphStore, np.random.Generator], GraphStore], ...] = (
    drop_nodes,
    walked_subgraph,
    move_edges,
    mask_attributes,
)


def augmented(store: GraphStore, random: np.random.Generator) -> GraphStore:
    """Each graph in one of the ways, drawn for it."""
    way = random.integers(0, len(AUGMENTATIONS), len(store))
    parts = [np.flatnonzero(way == k) for k in range(len(AUGMENTATIONS))]
    changed = [f(store.take(part), random) for f, part in zip(AUGMENTATIONS, parts) if len(part)]
    structure = {kind: np.concatenate([part.structure[kind] for part in changed]) for kind in store.structure}
    whole = replace(concatenate(changed), structure=structure)
    return whole.take(np.argsort(np.concatenate(parts)))


def induced(store: GraphStore, kept: np.ndarray) -> GraphStore:
    """The subgraphs that the nodes `kept` [N] bool induce."""
    count = np.concatenate([[0], np.cumsum(kept)])
    degree = np.diff(store.edge_ptr)
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    source = np.repeat(np.arange(len(kept)), degree)
    target = store.neighbor + store.node_ptr[graph[source]]
    edges = kept[source] & kept[target]
    node_ptr = count[store.node_ptr]
    place = count[target[edges]] - node_ptr[graph[source[edges]]]
    return replace(
        store,
        node_ptr=node_ptr,
        edge_ptr=np.concatenate([[0], np.cumsum(np.bincount(source[edges], minlength=len(kept))[kept])]),
        neighbor=place.astype(np.int32),
        node_codes=store.node_codes[kept],
        node_values=store.node_values[kept],
        edge_codes=store.edge_codes[edges],
        edge_values=store.edge_values[edges],
        marks=store.marks[kept],
        structure={kind: x[kept] for kind, x in store.structure.items()},
    )


def _rank_within(node_ptr: np.ndarray, values: np.ndarray) -> np.ndarray:
    """[N] the place of each node among those of its graph, by rising value."""
    graph = np.repeat(np.arange(len(node_ptr) - 1), np.diff(node_ptr))
    order = np.lexsort((values, graph))
    rank = np.empty(len(values), np.int64)
    rank[order] = np.arange(len(values)) - node_ptr[graph[order]]
    return rank


@njit(cache=True, nogil=True)
def _walked(
    node_ptr: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray, wanted: np.ndarray, seed: np.uint64
) -> np.ndarray:
    """[N] which nodes a random walk in each graph sees until it has seen as many as wanted."""
    seen = np.zeros(len(edge_ptr) - 1, np.bool_)
    state = seed
    for g in range(len(node_ptr) - 1):
        first, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        if n == 0:
            continue
        state += STEP
        v = first + below(state, n)
        seen[v] = True
        found = 1
        for _ in range(10 * n):
            degree = edge_ptr[v + 1] - edge_ptr[v]
            if found >= wanted[g] or degree == 0:
                break
            state += STEP
            v = first + neighbor[edge_ptr[v] + below(state, degree)]
            if not seen[v]:
                seen[v] = True
                found += 1
    return seen
