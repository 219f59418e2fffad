"""Random walks in compiled loops."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.numerics.hashing import STEP, below, mix, share


@njit(cache=True, nogil=True)
def biased_walks(
    edge_ptr: np.ndarray,
    neighbor: np.ndarray,
    starts: np.ndarray,
    length: int,
    back: float,
    away: float,
    seed: int,
) -> np.ndarray:
    """[starts, length] nodes of node2vec's walks; -1 after the end of a walk from a node without edges.

    From v, reached from u, a step to x has weight 1 / back when x is u, 1 when x is a neighbour of u,
    and 1 / away otherwise (the paper's p and q). Neighbours are sorted.
    """
    state = mix(np.uint64(seed))
    out = np.full((len(starts), length), -1, np.int64)
    largest = max(1.0, 1.0 / back, 1.0 / away)
    for s in range(len(starts)):
        before, v = np.int64(-1), starts[s]
        out[s, 0] = v
        for step in range(1, length):
            degree = edge_ptr[v + 1] - edge_ptr[v]
            if degree == 0:
                break
            while True:  # by rejection: no table of the weights of every pair is needed
                state += STEP
                x = np.int64(neighbor[edge_ptr[v] + below(state, degree)])
                if before < 0:
                    break
                weight = 1.0 / away
                if x == before:
                    weight = 1.0 / back
                else:
                    row = neighbor[edge_ptr[before] : edge_ptr[before + 1]]
                    at = np.searchsorted(row, x)
                    if at < len(row) and row[at] == x:
                        weight = 1.0
                state += STEP
                if share(state) * largest <= weight:
                    break
            before, v = v, x
            out[s, step] = v
    return out
