"""What an evaluation finds, as plain values that `--json` prints."""

from __future__ import annotations

from typing import NotRequired, TypedDict

import numpy as np

from partwhole.estimators.semi_supervised.measures import ALL_MEASURES, Measures


class Spread(TypedDict):
    """One measure over all test folds."""

    mean: float
    std: float


class EvaluationResult(TypedDict):
    """How well one target is told, by one protocol or by a method that is fitted anew for each fold."""

    protocol: str
    chosen: str  # what was chosen by what, in words
    data: str
    target: str
    measures: dict[str, Spread]  # of classes in percent
    std_over: str
    folds: int
    runs: int
    seed: int
    method: NotRequired[str]  # of a method that is fitted anew; what follows is of a protocol
    graphs: NotRequired[int]  # that have the target
    unlabelled: NotRequired[int]
    accuracy: NotRequired[Spread]  # of classes
    epoch: NotRequired[int]
    classifier: NotRequired[str]
    scores: NotRequired[list[list[float]]]  # [runs, folds] accuracies, or of numbers the RMSE
    evaluated: NotRequired[int]  # how many (epoch, classifier) pairs the protocol chose from


def spreads(folds: list[Measures]) -> dict[str, Spread]:
    """Mean and standard deviation of each measure over the folds that have it."""
    found: dict[str, Spread] = {}
    for name in ALL_MEASURES:
        values = [fold[name] for fold in folds if name in fold]
        if values:
            found[name] = {"mean": float(np.mean(values)), "std": float(np.std(values))}
    return found
