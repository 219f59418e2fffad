"""The nested SVM on similarities that a kernel gives."""

from __future__ import annotations

import itertools

import numpy as np
from sklearn.svm import SVC

from partwhole.evaluation.nested import C_GRID, FoldResult, Folds, groups_of_equals, merged, nested


def nested_kernel_svm(grams: np.ndarray, labels: np.ndarray, folds: Folds) -> list[FoldResult]:
    """Choose one of the kernels [K, n, n] and C by inner cross-validation in each training part, fit, and
    predict its test part. Graphs that are alike to every kernel are one weighted sample."""
    classes, targets = np.unique(labels, return_inverse=True)
    groups = groups_of_equals(grams[-1])  # the richest tells most graphs apart

    def predict(train: np.ndarray, test: np.ndarray, grid: list[tuple[int, float]]) -> list[np.ndarray]:
        kept, counts = merged(train, targets, groups)
        out = []
        for k, settings in itertools.groupby(grid, key=lambda setting: setting[0]):
            among, across = grams[k][np.ix_(kept, kept)], grams[k][np.ix_(test, kept)]
            for _, c in settings:
                fit = SVC(C=c, kernel="precomputed").fit(among, targets[kept], counts)
                out.append(classes[fit.predict(across)])
        return out

    return nested(labels, folds, predict, list(itertools.product(range(len(grams)), C_GRID)))
