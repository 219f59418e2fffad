"""Colour refinement in compiled loops.

Colours are 64-bit hashes: a node's next colour mixes its own with the sum of its neighbours' mixed
colours. The sum does not depend on their order, and two different multisets collide with a chance
of about 2^-64: for a million nodes that differ, less than one in ten million.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.graphs.csr import concatenated_ranges
from partwhole.graphs.store import GraphStore
from partwhole.numerics.hashing import STEP, mix


@njit(cache=True, nogil=True)
def hash_rows(words: np.ndarray) -> np.ndarray:
    """[n, m] uint64 -> [n]: equal rows have equal hashes."""
    out = np.empty(len(words), np.uint64)
    for i in range(len(words)):
        h = STEP + np.uint64(words.shape[1])  # never 0, which refinement could not leave
        for word in words[i]:
            h = mix(h * STEP + mix(word + np.uint64(1)))
        out[i] = h
    return out


@njit(cache=True, nogil=True)
def add_incident(colors: np.ndarray, entries: np.ndarray, edge_ptr: np.ndarray) -> np.ndarray:
    """Mix into each node's colour the multiset of its incident entries' hashes."""
    out = np.empty_like(colors)
    for v in range(len(colors)):
        total = np.uint64(0)
        for e in range(edge_ptr[v], edge_ptr[v + 1]):
            total += mix(entries[e])
        out[v] = mix(colors[v] * STEP + total)
    return out


@njit(cache=True, nogil=True)
def refine(colors: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray) -> np.ndarray:
    """One round: colours [n] of one depth to those of the next."""
    mixed = np.empty_like(colors)
    for v in range(len(colors)):
        mixed[v] = mix(colors[v])
    out = np.empty_like(colors)
    for v in range(len(colors)):
        total = np.uint64(0)
        for e in range(edge_ptr[v], edge_ptr[v + 1]):
            total += mixed[neighbor[e]]
        out[v] = mix(colors[v] * STEP + total)
    return out


@njit(cache=True, nogil=True)
def classes(colors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the distinct colours in order of appearance.

    Returns each node's class [n], the first node of each class and the size of each class.
    """
    n = len(colors)
    size = 16
    while size < 2 * n:
        size *= 2
    mask = np.uint64(size - 1)
    table = np.full(size, -1, np.int32)
    of_node = np.empty(n, np.int32)
    first = np.empty(n, np.int32)
    count = np.zeros(n, np.float32)
    found = 0
    for v in range(n):
        slot = colors[v] & mask
        while True:
            c = table[slot]
            if c < 0:
                table[slot] = c = found
                first[c] = v
                found += 1
                break
            if colors[first[c]] == colors[v]:
                break
            slot = (slot + np.uint64(1)) & mask
        of_node[v] = c
        count[c] += 1
    return of_node, first[:found].copy(), count[:found].copy()


def start_colors(store: GraphStore, nodes: np.ndarray) -> np.ndarray:
    """Colours of depth 0 of nodes (numbered throughout): all that X^(0) depends on, which is the
    node's attributes and those of its incident edges."""
    columns = [store.node_codes[nodes].astype(np.uint64), _bits(store.node_values[nodes])]
    columns += [_bits(x[nodes]) for x in store.structure.values()]
    colors = hash_rows(np.hstack(columns))
    if store.schema.edge:
        start = store.edge_ptr[nodes]
        degree = store.edge_ptr[nodes + 1] - start
        edges = concatenated_ranges(start, degree)
        words = np.hstack([store.edge_codes[edges].astype(np.uint64), _bits(store.edge_values[edges])])
        colors = add_incident(colors, hash_rows(words), np.concatenate([[0], np.cumsum(degree)]))
    return colors


def _bits(values: np.ndarray) -> np.ndarray:
    """Numbers as words, so that equal means equal to the last bit (and 0 equals -0)."""
    return (np.ascontiguousarray(values, np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)
