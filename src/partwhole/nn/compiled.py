"""Compiled loops behind `nn.fused`: each reads and writes a matrix of rows once.

Rows are cut into a fixed number of chunks, whatever the number of threads, and partial sums are
added in order: results do not depend on timing. Sums over rows are taken in double precision.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

CHUNKS = 16
COLUMN_CHUNKS = 4


@njit(cache=True, parallel=True, nogil=True)
def add_relu(x: np.ndarray, bias: np.ndarray) -> None:
    """x <- max(x + bias, 0), in place."""
    rows, width = x.shape
    for chunk in prange(CHUNKS):
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            for j in range(width):
                value = x[i, j] + bias[j]
                x[i, j] = value if value > 0 else 0


@njit(cache=True, parallel=True, nogil=True)
def relu_backward(grad: np.ndarray, y: np.ndarray, out: np.ndarray) -> np.ndarray:
    """out <- grad where y > 0, else 0. Returns the column sums of out."""
    rows, width = y.shape
    sums = np.zeros((CHUNKS, width))
    for chunk in prange(CHUNKS):
        total = np.zeros(width)
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            for j in range(width):
                value = grad[i, j] if y[i, j] > 0 else y.dtype.type(0)
                out[i, j] = value
                total[j] += value
        sums[chunk] = total
    return sums.sum(axis=0)


@njit(cache=True, parallel=True, nogil=True)
def add_relu_moments(x: np.ndarray, bias: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x <- max(x + bias, 0), in place. Returns the sums over rows of x and of x * x, weighted by share."""
    rows, width = x.shape
    sums, squares = np.zeros((CHUNKS, width)), np.zeros((CHUNKS, width))
    for chunk in prange(CHUNKS):
        total, square = np.zeros(width), np.zeros(width)
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            weight = np.float64(share[i])
            for j in range(width):
                value = x[i, j] + bias[j]
                value = value if value > 0 else x.dtype.type(0)
                x[i, j] = value
                weighted = weight * value
                total[j] += weighted
                square[j] += weighted * value
        sums[chunk], squares[chunk] = total, square
    return sums.sum(axis=0), squares.sum(axis=0)


@njit(cache=True, parallel=True, nogil=True)
def scale_shift(x: np.ndarray, scale: np.ndarray, shift: np.ndarray, out: np.ndarray) -> None:
    """out <- x * scale + shift"""
    rows, width = x.shape
    for chunk in prange(CHUNKS):
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            for j in range(width):
                out[i, j] = x[i, j] * scale[j] + shift[j]


@njit(cache=True, parallel=True, nogil=True)
def norm_backward_sums(grad: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Column sums of grad and of grad * y."""
    rows, width = y.shape
    sums, products = np.zeros((CHUNKS, width)), np.zeros((CHUNKS, width))
    for chunk in prange(CHUNKS):
        total, product = np.zeros(width), np.zeros(width)
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            for j in range(width):
                total[j] += grad[i, j]
                product[j] += np.float64(grad[i, j]) * y[i, j]
        sums[chunk], products[chunk] = total, product
    return sums.sum(axis=0), products.sum(axis=0)


@njit(cache=True, parallel=True, nogil=True)
def norm_relu_backward(
    grad: np.ndarray,
    y: np.ndarray,
    share: np.ndarray,
    scale: np.ndarray,
    constant: np.ndarray,
    slope: np.ndarray,
    out: np.ndarray,
) -> np.ndarray:
    """out <- grad * scale - share * (constant + slope * y) where y > 0, else 0; returns column sums."""
    rows, width = y.shape
    sums = np.zeros((CHUNKS, width))
    for chunk in prange(CHUNKS):
        total = np.zeros(width)
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            weight = share[i]
            for j in range(width):
                value = grad[i, j] * scale[j] - weight * (constant[j] + slope[j] * y[i, j])
                value = value if y[i, j] > 0 else y.dtype.type(0)
                out[i, j] = value
                total[j] += value
        sums[chunk] = total
    return sums.sum(axis=0)


@njit(cache=True, parallel=True, nogil=True)
def entry_dots(x: np.ndarray, grad: np.ndarray, ptr: np.ndarray, column: np.ndarray, out: np.ndarray) -> None:
    """out[e] <- x[column[e]] . grad[r] for every entry e of every row r: the gradient of the weights."""
    rows, width = len(ptr) - 1, x.shape[1]
    for r in prange(rows):
        for e in range(ptr[r], ptr[r + 1]):
            c = column[e]
            dot = x.dtype.type(0)
            for j in range(width):
                dot += x[c, j] * grad[r, j]
            out[e] = dot


@njit(cache=True, parallel=True, nogil=True)
def edge_messages(
    x: np.ndarray,
    table: np.ndarray,
    pattern: np.ndarray,
    ptr: np.ndarray,
    neighbor: np.ndarray,
    out: np.ndarray,
) -> None:
    """out[i] <- sum of max(x[j] + table[p], 0) over the entries (j, p) of row i."""
    rows, width = x.shape
    for chunk in prange(CHUNKS):
        for i in range(rows * chunk // CHUNKS, rows * (chunk + 1) // CHUNKS):
            for k in range(width):
                out[i, k] = 0
            for e in range(ptr[i], ptr[i + 1]):
                j, p = neighbor[e], pattern[e]
                for k in range(width):
                    value = x[j, k] + table[p, k]
                    out[i, k] += value if value > 0 else x.dtype.type(0)


@njit(cache=True, parallel=True, nogil=True)
def edge_messages_backward(
    grad: np.ndarray,
    x: np.ndarray,
    table: np.ndarray,
    pattern: np.ndarray,
    ptr: np.ndarray,
    neighbor: np.ndarray,
    d_x: np.ndarray,
    d_table: np.ndarray,
) -> None:
    """Add grad[i] to d_x[j] and d_table[p] where x[j] + table[p] > 0, for the entries (j, p) of every row i.

    A chunk has some columns of all rows, so that no two threads write to one place."""
    rows, width = x.shape
    for chunk in prange(COLUMN_CHUNKS):
        first, last = width * chunk // COLUMN_CHUNKS, width * (chunk + 1) // COLUMN_CHUNKS
        for i in range(rows):
            for e in range(ptr[i], ptr[i + 1]):
                j, p = neighbor[e], pattern[e]
                for k in range(first, last):
                    value = grad[i, k] if x[j, k] + table[p, k] > 0 else x.dtype.type(0)
                    d_x[j, k] += value
                    d_table[p, k] += value
