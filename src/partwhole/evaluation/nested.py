"""Nested cross-validation: C is chosen inside the training folds, never on the test fold.

Folds and choice are those of scikit-learn's `GridSearchCV(…, {"C": C_GRID}, cv=5)` inside the
training folds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

C_GRID = [10.0**k for k in range(-3, 4)]  # the paper's 1e-3 … 1e3
INNER_FOLDS = 5

Folds = list[tuple[np.ndarray, np.ndarray]]  # (training indices, test indices) of each
Setting = TypeVar("Setting", float, tuple[int, float])  # C, or a kernel and its C
Predictor = Callable[[np.ndarray, np.ndarray, list[Setting]], list[np.ndarray]]
Decider = Callable[[np.ndarray, np.ndarray, Setting], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class FoldResult:
    """What comes out of one outer fold."""

    chosen: float | tuple[int, float] | None  # inside the training folds: C, or a kernel and its C
    predictions: np.ndarray  # [n] labels of the test fold
    decisions: np.ndarray | None = None  # [n, classes] by which its graphs are ordered, where there are such


def by_class(decisions: np.ndarray) -> np.ndarray:
    """Give the decisions of an SVM as [n, classes]; for two classes it has one number."""
    return np.stack([-decisions, decisions], axis=1) if decisions.ndim == 1 else decisions


def nested(
    labels: np.ndarray,
    folds: Folds,
    predict: Predictor[Setting],
    grid: Sequence[Setting],
    decide: Decider[Setting] | None = None,
) -> list[FoldResult]:
    """Choose a setting of the grid inside the training folds of each fold, and predict its test fold.

    `predict(train, test, grid)` gives, for each setting, the labels predicted for `test`;
    `decide(train, test, setting)` the labels for one setting and [n, classes] what they follow from.
    """

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
    """Number the vectors [n], with the same number for those that differ by rounding only.

    Isomorphic graphs have one vector (1,500 graphs of IMDB-MULTI have about 410), and a loss summed
    over k equal samples is k times the loss of one.
    """
    scale = np.abs(vectors).max() or 1.0
    rounded = np.round(vectors / scale, 6)  # float32 sums agree to about 1e-7 of the largest
    return np.asarray(np.unique(rounded, axis=0, return_inverse=True)[1]).ravel()


def merged(train: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keep one index of `train` for each (vector, label), in order of appearance, and count how often it
    occurs."""
    _, first, counts = np.unique(
        np.stack([groups[train], labels[train]]), axis=1, return_index=True, return_counts=True
    )
    order = np.argsort(first)
    return train[first[order]], counts[order].astype(float)
