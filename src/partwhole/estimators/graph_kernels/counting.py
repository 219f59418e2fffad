"""Compiled loops over the patterns of graphs."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
from numba import int64, njit
from numba.typed import Dict, List

from partwhole.numerics.hashing import STEP, below, mix


@njit(cache=True, nogil=True)
def path_lengths(
    node_ptr: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray, labels: np.ndarray, kinds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For every graph, how many ordered pairs of nodes have labels a, b < kinds and distance d.

    Returns graph, d, a, b and the count, each [m].
    """
    graph, key, count = List.empty_list(int64), List.empty_list(int64), List.empty_list(int64)
    most = 0
    for g in range(len(node_ptr) - 1):
        most = max(most, node_ptr[g + 1] - node_ptr[g])
    distance, queue = np.empty(most, np.int32), np.empty(most, np.int32)
    for g in range(len(node_ptr) - 1):
        first, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        found = Dict.empty(int64, int64)
        for start in range(n):
            distance[:n] = -1
            distance[start] = 0
            queue[0] = start
            head, tail = 0, 1
            while head < tail:
                v = queue[head]
                head += 1
                if v != start:
                    k = (distance[v] * kinds + labels[first + start]) * kinds + labels[first + v]
                    found[k] = found.get(k, np.int64(0)) + 1
                for e in range(edge_ptr[first + v], edge_ptr[first + v + 1]):
                    u = neighbor[e]
                    if distance[u] < 0:
                        distance[u] = distance[v] + 1
                        queue[tail] = u
                        tail += 1
        for k in found:
            graph.append(g)
            key.append(k)
            count.append(found[k])
    graphs, keys, counts = np.empty((3, len(graph)), np.int64)
    for i in range(len(graph)):
        graphs[i], keys[i], counts[i] = graph[i], key[i], count[i]
    return graphs, keys // (kinds * kinds), keys // kinds % kinds, keys % kinds, counts


@cache
def graphlet_classes(size: int) -> np.ndarray:
    """[2 ** pairs] the class of each graph on `size` nodes, given as bits over its pairs of nodes."""
    pairs = list(itertools.combinations(range(size), 2))
    place = {pair: k for k, pair in enumerate(pairs)}
    codes = np.arange(2 ** len(pairs))
    least = codes.copy()  # of all numberings of the nodes, the smallest code
    for order in itertools.permutations(range(size)):
        moved = np.zeros_like(codes)
        for k, (i, j) in enumerate(pairs):
            a, b = sorted((order[i], order[j]))
            moved |= ((codes >> k) & 1) << place[a, b]
        np.minimum(least, moved, out=least)
    return np.unique(least, return_inverse=True)[1]


@njit(cache=True, nogil=True)
def sample_graphlets(
    node_ptr: np.ndarray,
    edge_ptr: np.ndarray,
    neighbor: np.ndarray,
    size: int,
    samples: int,
    classes: np.ndarray,
    seed: int,
) -> np.ndarray:
    """[graphs, classes] which graphs `samples` random sets of `size` nodes induce.

    A graph with fewer nodes has none. The draw of a graph depends on the seed and its size alone, so
    that a graph has the same counts in every store.
    """
    out = np.zeros((len(node_ptr) - 1, classes.max() + 1), np.float64)
    chosen = np.empty(size, np.int64)
    for g in range(len(node_ptr) - 1):
        first, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        if n < size:
            continue
        state = mix(np.uint64(seed) * STEP + np.uint64(n))
        for _ in range(samples):
            taken = 0
            while taken < size:
                state += STEP
                v = below(state, n)
                new = True
                for k in range(taken):
                    new = new and chosen[k] != v
                if new:
                    chosen[taken] = v
                    taken += 1
            code, bit = 0, 0
            for i in range(size):
                a = first + chosen[i]
                row = neighbor[edge_ptr[a] : edge_ptr[a + 1]]
                for j in range(i + 1, size):
                    at = np.searchsorted(row, chosen[j])
                    if at < len(row) and row[at] == chosen[j]:
                        code |= 1 << bit
                    bit += 1
            out[g, classes[code]] += 1
    return out
