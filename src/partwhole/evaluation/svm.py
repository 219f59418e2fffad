"""The nested RBF SVM on shared distances.

Every fit of one evaluation (fold, inner fold, C) sees the same squared distances; only the width of
the kernel differs, with the variance of the training folds. They are computed once, and LIBSVM is
given kernels, in which equal vectors are one weighted sample. Chosen C and predictions are those of
scikit-learn's `GridSearchCV(SVC(), {"C": C_GRID}, cv=5)`; only where C is so small that LIBSVM stops
within its tolerance at once may merged samples end at another side of a tie.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from partwhole.evaluation.nested import C_GRID, FoldResult, Folds, by_class, groups_of_equals, merged, nested


def nested_svm(vectors: np.ndarray, labels: np.ndarray, folds: Folds) -> list[FoldResult]:
    """Choose C by inner cross-validation in the training folds, fit, and predict the test fold."""
    x = np.ascontiguousarray(vectors, dtype=np.float64)
    classes, codes = np.unique(labels, return_inverse=True)
    groups = groups_of_equals(x)
    squares = (x * x).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * (x @ x.T)  # [n, n], squared

    def fitted(train: np.ndarray, test: np.ndarray, grid: list[float]) -> tuple[list[SVC], np.ndarray]:
        """An SVM for each C, and the kernel between test and training folds."""
        variance = x[train].var()
        gamma = 1.0 / (x.shape[1] * variance) if variance != 0 else 1.0  # scikit-learn's "scale"
        kept, counts = merged(train, codes, groups)
        kernel = np.exp(-gamma * distances[np.ix_(kept, kept)])
        across = np.exp(-gamma * distances[np.ix_(test, kept)])
        return [SVC(C=c, kernel="precomputed").fit(kernel, codes[kept], counts) for c in grid], across

    def predict(train: np.ndarray, test: np.ndarray, grid: list[float]) -> list[np.ndarray]:
        fits, across = fitted(train, test, grid)
        return [classes[fit.predict(across)] for fit in fits]

    def decide(train: np.ndarray, test: np.ndarray, c: float) -> tuple[np.ndarray, np.ndarray]:
        (fit,), across = fitted(train, test, [c])
        return classes[fit.predict(across)], by_class(fit.decision_function(across))

    return nested(labels, folds, predict, C_GRID, decide)
