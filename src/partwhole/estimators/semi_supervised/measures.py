"""How good predictions are: of classes in percent, of numbers in their unit, each beside a simple guess."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import mean_absolute_error, r2_score, roc_auc_score

Measures = dict[str, float]

# What people call them, in the order in which they are shown.
CLASS_MEASURES = {
    "accuracy": "accuracy %",
    "balanced_accuracy": "balanced accuracy %",
    "roc_auc": "ROC AUC %",
    "majority": "largest class %",
}
NUMBER_MEASURES = {"rmse": "RMSE", "mae": "MAE", "r2": "R²", "rmse_of_mean": "RMSE of the mean"}
ALL_MEASURES = CLASS_MEASURES | NUMBER_MEASURES
SIMPLE_GUESSES = ("majority", "rmse_of_mean")  # what needs no model


def class_measures(codes: np.ndarray, chosen: np.ndarray, scores: np.ndarray | None) -> Measures:
    """Measures of labels `codes` [n], predicted as `chosen` [n]; `scores` [n, classes] order graphs.

    `majority` is the accuracy of always naming the largest class. A measure that does not exist, such as the
    ROC AUC where all graphs are of one class, is not there.
    """
    classes, counts = np.unique(codes, return_counts=True)
    found = {"accuracy": 100.0 * np.mean(codes == chosen)}
    if len(classes) > 1:
        found["balanced_accuracy"] = 100.0 * np.mean([np.mean(chosen[codes == k] == k) for k in classes])
        if scores is not None:
            found["roc_auc"] = 100.0 * _roc_auc(codes, scores, classes)
    found["majority"] = 100.0 * counts.max() / len(codes)
    return {name: float(value) for name, value in found.items()}


def _roc_auc(codes: np.ndarray, scores: np.ndarray, classes: np.ndarray) -> float:
    """ROC AUC of each class against the others, the mean; of two classes it is the same for both."""
    if scores.shape[1] == 2:
        return float(roc_auc_score(codes == 1, scores[:, 1] - scores[:, 0]))
    return float(np.mean([roc_auc_score(codes == k, scores[:, k]) for k in classes.astype(int)]))


def number_measures(known: np.ndarray, predicted: np.ndarray) -> Measures:
    """`rmse_of_mean` is the error of always naming the mean of these numbers."""
    found = {
        "rmse": float(np.sqrt(np.mean((known - predicted) ** 2))),
        "mae": float(mean_absolute_error(known, predicted)),
        "rmse_of_mean": float(known.std()),
    }
    if len(known) > 1 and known.std() > 0:
        found["r2"] = float(r2_score(known, predicted))
    return {name: found[name] for name in NUMBER_MEASURES if name in found}
