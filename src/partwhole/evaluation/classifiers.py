"""Classifiers on frozen vectors or on similarities, scored by cross-validation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.model_selection import StratifiedKFold

from partwhole.errors import PartwholeError
from partwhole.estimators.semi_supervised.measures import Measures, class_measures
from partwhole.evaluation.kernel_svm import nested_kernel_svm
from partwhole.evaluation.linear_svm import nested_linear_svm
from partwhole.evaluation.logistic import logistic_regression
from partwhole.evaluation.nested import FoldResult, Folds
from partwhole.evaluation.svm import nested_svm

RBF = "rbf-svm"  # unscaled, gamma = "scale": InfoGraph's and the paper's
KERNEL = "kernel-svm"  # on the similarities of a kernel, in place of vectors
CLASSIFIERS: dict[str, Callable[[np.ndarray, np.ndarray, Folds], list[FoldResult]]] = {
    RBF: nested_svm,
    "linear-svm": nested_linear_svm,
    "logistic-regression": lambda x, y, folds: [
        FoldResult(None, p) for p in logistic_regression(x, y, folds)
    ],
    KERNEL: nested_kernel_svm,
}


def outer_folds(labels: np.ndarray, folds: int, seed: int) -> Folds:
    """Draw stratified folds, shuffled by the seed: (training indices, test indices) of each."""
    if labels.dtype.kind == "f":
        raise PartwholeError(
            "This target is a number, and accuracy is of classes; learn it with `partwhole fit --target` "
            "instead."
        )
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise PartwholeError("All graphs have the same label; a classifier needs at least two classes.")
    if counts.min() < folds:
        raise PartwholeError(
            f"Class {classes[counts.argmin()]} has {counts.min()} graphs, too few for {folds} folds; use "
            "`--folds` with a smaller number."
        )
    if counts.min() - -(-counts.min() // folds) < 2:  # what is left of it in the training folds
        raise PartwholeError(
            f"Class {classes[counts.argmin()]} has {counts.min()} graphs, too few to choose C inside the "
            "training parts; give at least three of each class, and as many folds."
        )
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))


def fold_accuracies(
    seen: np.ndarray, labels: np.ndarray, *, classifier: str = RBF, folds: int = 10, seed: int = 0
) -> np.ndarray:
    """Give the accuracy in percent on each test fold [folds]; `seen` are vectors, or similarities for a
    kernel."""
    measured = fold_measures(seen, labels, classifier=classifier, folds=folds, seed=seed)
    return np.array([measures["accuracy"] for measures in measured])


def fold_measures(
    seen: np.ndarray, labels: np.ndarray, *, classifier: str = RBF, folds: int = 10, seed: int = 0
) -> list[Measures]:
    """Give all measures of each test fold; `seen` are vectors, or similarities for a kernel."""
    outer = outer_folds(labels, folds, seed)
    results = CLASSIFIERS[classifier](seen, labels, outer)
    classes, codes = np.unique(labels, return_inverse=True)
    return [
        class_measures(codes[test], np.searchsorted(classes, r.predictions), r.decisions)
        for r, (_, test) in zip(results, outer)
    ]
