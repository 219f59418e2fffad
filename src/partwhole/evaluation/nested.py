"""Nested cross-validation: C is chosen inside each training part, never on its test fold.

Folds and choice are those of scikit-learn's `GridSearchCV(…, {"C": C_GRID}, cv=5)` in every
training part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

C_GRID = [10.0**k for k in range(-3, 4)]  # the paper's 1e-3 … 1e3
INNER_FOLDS = 5

Folds = list[tuple[np.ndarray, np.ndarray]]  # (training indices, test indices) of each
Predictor = Callable[[np.ndarray, np.ndarray, list[Any]], list[np.ndarray]]


@dataclass(frozen=True)
class FoldResult:
    """One outer fold."""

    chosen: Any  # inside the training part: C, or a kernel and its C
    predictions: np.ndarray  # of the test part
    decisions: np.ndarray | None = (
        None  # [n, classes] by which the test part is ordered, where there are such
    )


def by_class(decisions: np.ndarray) -> np.ndarray:
    """[n, classes] of an SVM, which has one number for two classes."""
    return np.stack([-decisions, decisions], axis=1) if decisions.ndim == 1 else decisions


def nested(
    labels: np.ndarray,
    folds: Folds,
    predict: Predictor,
    grid: Sequence[Any] = C_GRID,
    decide: Callable[[np.ndarray, np.ndarray, Any], tuple[np.ndarray, np.ndarray]] | None = None,
) -> list[FoldResult]:
    """`predict(train, test, grid)` gives, for each C of the grid, the labels predicted for `test`;
    `decide(train, test, C)` the labels for one C and [n, classes] what they follow from."""

    def one(fold: tuple[np.ndarray, np.ndarray]) -> FoldResult:
        train, test = fold
        smallest = int(np.unique(labels[train], return_counts=True)[1].min())
        inner = StratifiedKFold(max(2, min(INNER_FOLDS, smallest)))
        scores = np.empty((len(grid), inner.n_splits))
        for j, (a, b) in enumerate(inner.split(np.zeros(len(train)), labels[train])):
            predictions = predict(train[a], train[b], list(grid))
            scores[:, j] = [np.mean(p == labels[train[b]]) for p in predictions]
        best = grid[int(np.average(scores, axis=1).argmax())]  # the first of equal ones
        if decide is None:
            return FoldResult(best, predict(train, test, [best])[0])
        return FoldResult(best, *decide(train, test, best))

    # LIBSVM and LAPACK leave Python's lock while they work, so threads will do; each works alone.
    with threadpool_limits(1), ThreadPoolExecutor(torch.get_num_threads()) as pool:
        return list(pool.map(one, folds))


def groups_of_equals(vectors: np.ndarray) -> np.ndarray:
    """[n] a number for each vector, the same for vectors that differ by rounding only.

    Isomorphic graphs have one vector (1,500 graphs of IMDB-MULTI have about 410), and a loss summed
    over k equal samples is k times the loss of one.
    """
    scale = np.abs(vectors).max() or 1.0
    rounded = np.round(vectors / scale, 6)  # float32 sums agree to about 1e-7 of the largest
    return np.asarray(np.unique(rounded, axis=0, return_inverse=True)[1]).ravel()


def merged(train: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One index of `train` for each (vector, label), in order of appearance, and how often it occurs."""
    _, first, counts = np.unique(
        np.stack([groups[train], labels[train]]), axis=1, return_index=True, return_counts=True
    )
    order = np.argsort(first)
    return train[first[order]], counts[order].astype(float)
