"""Main directions of rows of numbers, as kernels and summaries need them."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

DENSE = 3000  # rows or columns up to which all products are taken at once


def main_directions(rows: csr_array | np.ndarray, most: int) -> np.ndarray:
    """[columns, k] orthonormal, k at most `most`: products of the projected rows are the best approximation
    of those of the rows (the singular vectors)."""
    number, columns = rows.shape
    if not columns:
        return np.zeros((0, 0))
    if number <= min(DENSE, columns):
        values, left = strongest(_largest(rows @ rows.T, most), most)
        return np.asarray(rows.T @ (left / np.sqrt(values)))
    if columns <= DENSE:
        return strongest(_largest(rows.T @ rows, most), most)[1]
    _, sizes, right = svds(rows, k=min(most, min(rows.shape) - 1), v0=np.ones(min(rows.shape)))
    return strongest((sizes**2, right.T), most)[1]


def random_directions(columns: int, number: int, seed: int) -> np.ndarray:
    """[columns, number]: products of the projected rows are those of the rows, up to chance (Johnson and
    Lindenstrauss)."""
    return np.random.default_rng(seed).normal(size=(columns, number)) / number**0.5


def _largest(products: csr_array | np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    dense = products if isinstance(products, np.ndarray) else products.toarray()
    found = eigh(dense, subset_by_index=(max(0, len(dense) - most), len(dense) - 1))
    return found[0], found[1]


def strongest(spectrum: tuple[np.ndarray, np.ndarray], most: int) -> tuple[np.ndarray, np.ndarray]:
    """At most `most` eigenvalues, the largest first, and their vectors, from those in rising order.

    None is rounding error, and each vector has its largest entry positive.
    """
    values, vectors = spectrum
    rounding = 1e-10 if values.dtype == np.float64 else 1e-6
    kept = np.flatnonzero(values > rounding * max(values.max(initial=0.0), 1e-30))[::-1][:most]
    vectors = vectors[:, kept]
    largest = np.abs(vectors).argmax(axis=0)
    return values[kept], vectors * np.sign(vectors[largest, np.arange(len(kept))])
