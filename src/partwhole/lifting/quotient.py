"""Sparse matrices between classes, in compiled loops."""

from __future__ import annotations

import numpy as np
from numba import njit

# A CSR matrix as arrays: row pointers [rows + 1], columns, weights. Of its transpose also the place
# of each entry in the original, so that weights that change need not be sorted again.


@njit(cache=True, nogil=True)
def quotient(
    before: np.ndarray, first: np.ndarray, classes: int, edge_ptr: np.ndarray, neighbor: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row c: the node `first[c]` and its neighbours, by their classes `before`, with multiplicities.

    Nodes from len(edge_ptr) - 1 on are those of the permuted copy, which has the same edges.
    """
    n = len(edge_ptr) - 1
    most = 0
    for v in first:
        base = v % n
        most += edge_ptr[base + 1] - edge_ptr[base] + 1
    ptr = np.empty(len(first) + 1, np.int32)
    column = np.empty(most, np.int32)
    weight = np.empty(most, np.float32)
    entry_of = np.full(classes, -1, np.int32)
    at = 0
    ptr[0] = 0
    for c in range(len(first)):
        v = first[c]
        base = v % n
        shift = v - base
        start = at
        own = before[v]
        entry_of[own] = at
        column[at] = own
        weight[at] = 1
        at += 1
        for e in range(edge_ptr[base], edge_ptr[base + 1]):
            other = before[neighbor[e] + shift]
            if entry_of[other] < start:
                entry_of[other] = at
                column[at] = other
                weight[at] = 1
                at += 1
            else:
                weight[entry_of[other]] += 1
        ptr[c + 1] = at
    return ptr, column[:at].copy(), weight[:at].copy()


@njit(cache=True, nogil=True)
def transpose(ptr: np.ndarray, column: np.ndarray, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pointers, rows and original places of the entries, column by column."""
    t_ptr = np.zeros(columns + 1, np.int32)
    for c in column:
        t_ptr[c + 1] += 1
    for c in range(columns):
        t_ptr[c + 1] += t_ptr[c]
    fill = t_ptr[:-1].copy()
    rows = np.empty(len(column), np.int32)
    place = np.empty(len(column), np.int32)
    for r in range(len(ptr) - 1):
        for e in range(ptr[r], ptr[r + 1]):
            at = fill[column[e]]
            rows[at] = r
            place[at] = e
            fill[column[e]] = at + 1
    return t_ptr, rows, place


@njit(cache=True, nogil=True)
def graph_classes(
    of_node: np.ndarray, node_ptr: np.ndarray, classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The classes that occur in each graph, and how often.

    Returns pointers [G + 1], the class and the count of each (graph, class) pair, and the pair that
    each node belongs to.
    """
    n, graphs = len(of_node), len(node_ptr) - 1
    ptr = np.empty(graphs + 1, np.int32)
    column = np.empty(n, np.int32)
    count = np.empty(n, np.float32)
    pair_of_node = np.empty(n, np.int32)
    pair_of = np.full(classes, -1, np.int32)
    at = 0
    ptr[0] = 0
    for g in range(graphs):
        start = at
        for v in range(node_ptr[g], node_ptr[g + 1]):
            c = of_node[v]
            if pair_of[c] < start:
                pair_of[c] = at
                column[at] = c
                count[at] = 0
                at += 1
            count[pair_of[c]] += 1
            pair_of_node[v] = pair_of[c]
        ptr[g + 1] = at
    return ptr, column[:at].copy(), count[:at].copy(), pair_of_node


@njit(cache=True, nogil=True)
def first_nodes(pair_of_node: np.ndarray, pairs: int) -> np.ndarray:
    """The first node of each (graph, class) pair."""
    out = np.empty(pairs, np.int32)
    for v in range(len(pair_of_node) - 1, -1, -1):
        out[pair_of_node[v]] = v
    return out
