"""What is predicted, under the names that users give it: numbers in their units, or labels."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import r2_score
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.estimators.semi_supervised.held_out import Guess, class_guesses, number_guesses
from partwhole.estimators.semi_supervised.labels import (
    as_codes,
    as_columns,
    as_labels,
    as_numbers,
    classes_of,
    missing,
)
from partwhole.estimators.semi_supervised.references import AtomReferences, element_counts
from partwhole.estimators.semi_supervised.tasks import Classification, Regression, Task
from partwhole.graphs.store import GraphStore


@dataclass(frozen=True)
class Targets(ABC):
    """The targets of a model: their names, and the task that the network learns."""

    names: list[str]
    single: bool  # one value for each graph was given, not a row of values

    @property
    @abstractmethod
    def task(self) -> Task:
        """Outputs, loss and error."""

    @abstractmethod
    def predictions(self, outputs: Tensor, store: GraphStore) -> np.ndarray:
        """[G, T] as the targets were given, from outputs [G, outputs]."""

    @abstractmethod
    def score(self, outputs: Tensor, store: GraphStore, y: Any, sample_weight: Any) -> float:
        """How good predictions are where `y` is known, as scikit-learn scores such estimators."""

    @abstractmethod
    def guesses(
        self, rows: np.ndarray, store: GraphStore, targets: np.ndarray, outputs: Tensor
    ) -> list[Guess]:
        """What outputs say of the graphs `store`, which are `rows` of those of the fit, beside their targets
        [n, T]."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What a run folder keeps."""

    def shaped(self, predictions: np.ndarray) -> np.ndarray:
        """[G] where one value a graph was given, else [G, T]."""
        return predictions[:, 0] if self.single else predictions

    def wanted(self, y: Any, graphs: int) -> np.ndarray:
        """[G, T] objects to compare with, of which some are known."""
        columns = as_columns(y, graphs)
        if columns.shape[1] != len(self.names):
            raise PartwholeError(
                f"There are {columns.shape[1]} targets to compare with, and the model has "
                f"{len(self.names)} ({', '.join(self.names)}); give all of these."
            )
        if missing(columns).all():
            raise PartwholeError("No graph has a label to compare with; give some.")
        return columns


def _tell_constant(names: list[str], targets: np.ndarray) -> None:
    for name, column in zip(names, targets.T):
        known = column[~np.isnan(column)]
        if len(known) > 1 and known.min() == known.max():
            warnings.warn(
                f"All {len(known)} labels of {name} are {known[0]:g}, so that nothing can be learned of it; "
                "give labels that differ.",
                stacklevel=2,
            )


@dataclass(frozen=True)
class NumberTargets(Targets):
    """Numbers, by mean squared error on standardised targets."""

    regression: Regression
    references: AtomReferences | None = None  # terms for each element that are taken off first

    @classmethod
    def learned(
        cls,
        columns: np.ndarray,
        names: list[str],
        single: bool,
        train: np.ndarray,
        store: GraphStore,
        *,
        references: bool = False,
    ) -> tuple[NumberTargets, np.ndarray]:
        """From targets as given [G, T] and the graphs to learn from: these, and what the loss sees [G, T]."""
        targets, terms = as_numbers(columns, names), None
        if references:
            counts = element_counts(store)
            terms = AtomReferences.fitted(counts[train], targets[train])
            targets = targets - terms.of(counts)
        _tell_constant(names, targets[train])
        return cls(names, single, Regression.of(targets[train]), terms), targets

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> NumberTargets:
        """What `to_dict` gave, with the names."""
        kept = content.get("references")
        task = Regression(tuple(content["means"]), tuple(content["scales"]))
        terms = AtomReferences.from_dict(kept) if kept else None
        return cls(content["targets"], content["single"], task, terms)

    def to_dict(self) -> dict[str, Any]:
        """What a run folder keeps."""
        references = {"references": self.references.to_dict()} if self.references else {}
        return {"kind": "regression", **self.regression.to_dict(), **references}

    @property
    def task(self) -> Regression:
        """Standardised numbers."""
        return self.regression

    def _known_without(self, store: GraphStore) -> np.ndarray | float:
        """What is known of the targets without the network."""
        return 0.0 if self.references is None else self.references.of(element_counts(store))

    def predictions(self, outputs: Tensor, store: GraphStore) -> np.ndarray:
        """[G, T] in the units of y."""
        numbers: np.ndarray = self.task.predictions(outputs) + self._known_without(store)
        return numbers

    def score(self, outputs: Tensor, store: GraphStore, y: Any, sample_weight: Any) -> float:
        """R², the mean over targets; graphs without a label do not count."""
        predictions = self.predictions(outputs, store)
        wanted = as_numbers(self.wanted(y, len(predictions)), self.names)
        weights = np.ones(len(wanted)) if sample_weight is None else np.asarray(sample_weight)
        known = ~np.isnan(wanted)
        scores = [
            r2_score(w[k], p[k], sample_weight=weights[k])
            for w, p, k in zip(wanted.T, predictions.T, known.T)
            if k.any()
        ]
        return float(np.mean(scores))

    def guesses(
        self, rows: np.ndarray, store: GraphStore, targets: np.ndarray, outputs: Tensor
    ) -> list[Guess]:
        """Known and predicted numbers in the units of y."""
        beside = self._known_without(store)
        predicted = self.task.predictions(outputs) + beside
        return number_guesses(self.names, rows, store.ids, targets + beside, predicted)


@dataclass(frozen=True)
class ClassTargets(Targets):
    """Classes, by cross-entropy."""

    classes: Sequence[np.ndarray]  # the labels of each target, in the order of their scores

    @classmethod
    def learned(cls, columns: np.ndarray, names: list[str], single: bool) -> tuple[ClassTargets, np.ndarray]:
        """From labels as given [G, T]: these, and their codes [G, T]."""
        classes = classes_of(columns, names)
        return cls(names, single, classes), as_codes(columns, classes, names)

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> ClassTargets:
        """What `to_dict` gave, with the names."""
        classes = [as_labels(known) for known in content["classes"]]
        return cls(content["targets"], content["single"], classes)

    def to_dict(self) -> dict[str, Any]:
        """What a run folder keeps."""
        return {"kind": "classification", "classes": [known.tolist() for known in self.classes]}

    @property
    def task(self) -> Classification:
        """Cross-entropy over the classes of each target."""
        return Classification(tuple(len(known) for known in self.classes))

    def probabilities(self, outputs: Tensor) -> list[np.ndarray]:
        """[G, classes] for each target."""
        return self.task.probabilities(outputs)

    def predictions(self, outputs: Tensor, store: GraphStore) -> np.ndarray:
        """[G, T] the likeliest labels."""
        chosen = [known[p.argmax(axis=1)] for known, p in zip(self.classes, self.probabilities(outputs))]
        mixed = len({labels.dtype.kind for labels in chosen}) > 1
        return np.stack([c.astype(object) if mixed else c for c in chosen], axis=1)

    def score(self, outputs: Tensor, store: GraphStore, y: Any, sample_weight: Any) -> float:
        """Share of right labels; graphs without a label do not count."""
        shares = self.probabilities(outputs)
        wanted = as_codes(self.wanted(y, len(shares[0])), list(self.classes), self.names)
        chosen = np.stack([p.argmax(axis=1) for p in shares], axis=1)
        weights = np.ones(len(wanted)) if sample_weight is None else np.asarray(sample_weight)
        weights = weights[:, None] * ~np.isnan(wanted)
        return float(np.average(chosen == wanted, weights=weights))

    def guesses(
        self, rows: np.ndarray, store: GraphStore, targets: np.ndarray, outputs: Tensor
    ) -> list[Guess]:
        """Known and predicted labels, with their probabilities."""
        shares = self.probabilities(outputs)
        return class_guesses(self.names, rows, store.ids, targets, shares, list(self.classes))
