"""Classifiers on frozen vectors, scored by nested cross-validation.

The outer folds give the accuracy; C is chosen inside each training part, never on its test fold.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

from partwhole.errors import PartwholeError
from partwhole.evaluation.svm import C_GRID, INNER_FOLDS, nested_svm

LINEAR: dict[str, Any] = {
    "linear-svm": lambda: LinearSVC(random_state=0),
    "logistic-regression": lambda: LogisticRegression(max_iter=1000),
}
RBF = "rbf-svm"  # unscaled, gamma = "scale": InfoGraph's and the paper's
CLASSIFIERS = (RBF, *LINEAR)


def outer_folds(labels: np.ndarray, folds: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Stratified folds, shuffled by the seed: (training indices, test indices) of each."""
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise PartwholeError("All graphs have the same label; a classifier needs at least two classes.")
    if counts.min() < folds:
        raise PartwholeError(
            f"Class {classes[counts.argmin()]} has {counts.min()} graphs, too few for {folds} folds; use "
            "`--folds` with a smaller number."
        )
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))


def fold_accuracies(
    vectors: np.ndarray, labels: np.ndarray, *, classifier: str = RBF, folds: int = 10, seed: int = 0
) -> np.ndarray:
    """[folds] accuracy in percent on each test fold."""
    outer = outer_folds(labels, folds, seed)
    if classifier == RBF:
        results = nested_svm(vectors, labels, outer)
        return np.array([100.0 * np.mean(r.predictions == labels[t]) for r, (_, t) in zip(results, outer)])
    scores = []
    for train, test in outer:
        inner = min(INNER_FOLDS, int(np.unique(labels[train], return_counts=True)[1].min()))
        search = GridSearchCV(LINEAR[classifier](), {"C": C_GRID}, cv=max(inner, 2))
        with warnings.catch_warnings():
            # Unscaled sums of hundreds of nodes: the linear solvers stop at their iteration limit.
            warnings.simplefilter("ignore", ConvergenceWarning)
            search.fit(vectors[train], labels[train])
        scores.append(100.0 * search.score(vectors[test], labels[test]))
    return np.array(scores)
