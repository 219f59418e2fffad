"""Ridge or logistic regression, the penalty and the scale of columns chosen by the labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from partwhole.estimators.linear import PENALTIES, STRENGTHS, best_logistic, best_ridge, column_scales
from partwhole.estimators.property.heads import Head, Said, Views


@dataclass(frozen=True)
class LinearHead(Head):
    """A linear map of the vector."""

    name = "linear"

    weight: np.ndarray  # [d, outputs]
    bias: np.ndarray  # [outputs]
    classes: bool

    @classmethod
    def fit(cls, x: np.ndarray, y: np.ndarray, views: Views, *, classes: bool, seed: int) -> Self:
        """By the scale of columns that errs least inside the labelled graphs."""
        center, scales = column_scales(x)
        found = []
        for scale in scales.values():
            scaled = (x - center) / scale
            if classes:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    warnings.filterwarnings("ignore", "The least populated class")
                    solved = best_logistic(scaled, y.argmax(axis=1), y.shape[1], list(STRENGTHS), seed)
            else:
                solved = best_ridge(scaled, y[:, 0], list(PENALTIES))
            found.append((solved, scale))
        best, scale = min(found, key=lambda entry: entry[0].bad)
        weight = best.weight / scale[:, None]
        return cls(weight, best.bias - center @ weight, classes)

    def say(self, x: np.ndarray) -> Said:
        """x W + b, of classes its softmax"""
        out = x @ self.weight + self.bias
        return Said(softmax(out, axis=1) if self.classes else out)

    def arrays(self) -> dict[str, np.ndarray]:
        """Weights."""
        return {"weight": self.weight, "bias": self.bias, "classes": np.array(self.classes)}

    @classmethod
    def restored(cls, arrays: Mapping[str, np.ndarray], views: Views) -> Self:
        """The same."""
        return cls(arrays["weight"], arrays["bias"], bool(arrays["classes"].item()))
