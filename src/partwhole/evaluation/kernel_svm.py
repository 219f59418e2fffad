"""The nested SVM on similarities that a kernel gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from partwhole.evaluation.nested import C_GRID, FoldResult, Folds, by_class, groups_of_equals, merged, nested


def nested_kernel_svm(grams: np.ndarray, labels: np.ndarray, folds: Folds) -> list[FoldResult]:
    """Choose one of the kernels [K, n, n] and C by inner cross-validation in the training folds, fit, and
    predict the test fold. Graphs that are alike to every kernel are one weighted sample."""
    classes, codes = np.unique(labels, return_inverse=True)
    groups = groups_of_equals(grams[-1])  # the richest tells most graphs apart

    def fitted(
        train: np.ndarray, test: np.ndarray, grid: list[tuple[int, float]]
    ) -> Iterator[tuple[SVC, np.ndarray]]:
        """An SVM for each kernel and C, and the kernel between test and training folds."""
        kept, counts = merged(train, codes, groups)
        for k, settings in itertools.groupby(grid, key=lambda setting: setting[0]):
            among, across = grams[k][np.ix_(kept, kept)], grams[k][np.ix_(test, kept)]
            for _, c in settings:
                yield SVC(C=c, kernel="precomputed").fit(among, codes[kept], counts), across

    def predict(train: np.ndarray, test: np.ndarray, grid: list[tuple[int, float]]) -> list[np.ndarray]:
        return [classes[fit.predict(across)] for fit, across in fitted(train, test, grid)]

    def decide(
        train: np.ndarray, test: np.ndarray, setting: tuple[int, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        ((fit, across),) = fitted(train, test, [setting])
        return classes[fit.predict(across)], by_class(fit.decision_function(across))

    grid = list(itertools.product(range(len(grams)), C_GRID))
    return nested(labels, folds, predict, grid, decide)
