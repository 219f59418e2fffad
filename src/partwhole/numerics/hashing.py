"""64-bit words in compiled loops: hashes, and random numbers that are a function of a seed."""

from __future__ import annotations

import numpy as np
from numba import njit

STEP = np.uint64(0x9E3779B97F4A7C15)  # between the states of the random numbers (SplitMix64)


@njit(inline="always")
def mix(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit words that spreads every bit (the finaliser of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(inline="always")
def below(state: np.uint64, count: int) -> np.int64:
    """A number from 0 to count - 1; the next state is `state + STEP`."""
    return np.int64(mix(state) % np.uint64(count))


@njit(inline="always")
def share(state: np.uint64) -> np.float64:
    """A number from 0 up to 1."""
    return (mix(state) >> np.uint64(11)) * 2.0**-53


@njit(cache=True, nogil=True)
def signs(rows: int, columns: int) -> np.ndarray:
    """[rows, columns] float32 of 1 and -1, always the same."""
    out = np.empty((rows, columns), np.float32)
    for i in range(rows):
        for j in range(columns):
            bits = mix(np.uint64(i) * STEP + np.uint64(j))
            out[i, j] = 1 if bits & np.uint64(1) else -1
    return out
