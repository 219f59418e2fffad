"""The nested RBF SVM on shared distances.

Every fit of one evaluation (fold, inner fold, C) sees the same squared distances; only the width of
the kernel differs, with the variance of the training part. They are computed once, and LIBSVM is
given kernels. Folds, chosen C and predictions are those of scikit-learn's
`GridSearchCV(SVC(), {"C": C_GRID}, cv=5)` in every training part.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

C_GRID = [10.0**k for k in range(-3, 4)]  # the paper's 1e-3 … 1e3
INNER_FOLDS = 5


@dataclass(frozen=True)
class FoldResult:
    """One outer fold."""

    c: float  # chosen inside the training part
    predictions: np.ndarray  # of the test part


def nested_svm(
    vectors: np.ndarray, labels: np.ndarray, folds: list[tuple[np.ndarray, np.ndarray]]
) -> list[FoldResult]:
    """Choose C by inner cross-validation in each training part, fit, and predict its test part."""
    x = np.ascontiguousarray(vectors, dtype=np.float64)
    squares = (x * x).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * (x @ x.T)  # [n, n], squared

    def one(fold: tuple[np.ndarray, np.ndarray]) -> FoldResult:
        train, test = fold
        smallest = int(np.unique(labels[train], return_counts=True)[1].min())
        inner = StratifiedKFold(max(2, min(INNER_FOLDS, smallest)))
        scores = np.empty((len(C_GRID), inner.n_splits))
        for j, (a, b) in enumerate(inner.split(np.zeros(len(train)), labels[train])):
            predictions = _predictions(x, labels, distances, train[a], train[b], C_GRID)
            scores[:, j] = [np.mean(p == labels[train[b]]) for p in predictions]
        best = C_GRID[int(np.average(scores, axis=1).argmax())]  # the smallest of equal ones
        return FoldResult(best, _predictions(x, labels, distances, train, test, [best])[0])

    # LIBSVM leaves Python's lock while it fits, so threads will do.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2) as pool:
        return list(pool.map(one, folds))


def _predictions(
    x: np.ndarray,
    labels: np.ndarray,
    distances: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    grid: list[float],
) -> list[np.ndarray]:
    """For each C of the grid, the labels predicted for `test` by an SVM fitted to `train`."""
    variance = x[train].var()
    gamma = 1.0 / (x.shape[1] * variance) if variance != 0 else 1.0  # scikit-learn's "scale"
    kernel = np.exp(-gamma * distances[np.ix_(train, train)])
    across = np.exp(-gamma * distances[np.ix_(test, train)])
    return [SVC(C=c, kernel="precomputed").fit(kernel, labels[train]).predict(across) for c in grid]
