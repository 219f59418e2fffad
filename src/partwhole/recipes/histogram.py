"""Histograms of any number of keys in a few columns."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.numerics.hashing import STEP, mix


def hashed_histogram(graph: np.ndarray, key: np.ndarray, graphs: int, width: int) -> np.ndarray:
    """[graphs, width] float32: sum over the keys of a graph of sqrt(share of the key) times its signs.

    Graph g has the keys `key[graph == g]`, uint64. The square roots of shares have length one, whatever the
    size of the graph, and their products tell how alike two distributions are (Bhattacharyya). The signs of a
    key, +-1 / sqrt(width), are bits of its hash, so that products are kept up to chance (Johnson and
    Lindenstrauss), and a key that no other graph has needs no place of its own.
    """
    order = np.lexsort((key, graph))
    out = np.zeros((graphs, width), np.float32)
    _add(graph[order], key[order], np.bincount(graph, minlength=graphs), out)
    return out


@njit(cache=True, nogil=True)
def _add(graph: np.ndarray, key: np.ndarray, total: np.ndarray, out: np.ndarray) -> None:
    width = out.shape[1]
    start = 0
    while start < len(graph):
        g, k = graph[start], key[start]
        end = start
        while end < len(graph) and graph[end] == g and key[end] == k:
            end += 1
        size = np.float32(np.sqrt((end - start) / (total[g] * width)))
        bits = np.uint64(0)
        for j in range(width):
            if j % 64 == 0:
                bits = mix(k + STEP * np.uint64(j // 64 + 1))
            out[g, j] += size if bits & np.uint64(1) else -size
            bits >>= np.uint64(1)
        start = end
