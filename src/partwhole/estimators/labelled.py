"""Methods that learn from labels: what they share, for numbers and for classes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphMethod
from partwhole.estimators.semi_supervised.held_out import Guess, HeldOut, class_guesses, number_guesses
from partwhole.estimators.semi_supervised.labels import (
    as_codes,
    as_columns,
    as_labels,
    as_numbers,
    classes_of,
    is_single,
    missing,
    names_of,
    parts,
    require_known,
)
from partwhole.estimators.semi_supervised.tasks import Classification, Regression
from partwhole.graphs.store import GraphStore
from partwhole.parallel import ranks
from partwhole.runs.folder import RunFolder
from partwhole.sources.loading import load_graphs


class LabelledMethod(GraphMethod):
    """A method defines `_predicted`, and a task is mixed in: `Numbers` or `Classes`.

    `fit(graphs, y)`: NaN or None in `y` means unlabelled; `y` may have several columns, each with its
    own missing labels.
    """

    learns_from = "labels"
    validation = 0.0  # share of the labelled graphs that are held out
    seed_: int
    task_: Any  # Regression or Classification
    held_out_: HeldOut | None  # predictions for labelled graphs that the fit did not learn from
    choice_: list[str]  # what was chosen by the labels, in words

    def fit(self, graphs: Any, y: Any = None, held_out: Any = None, names: Any = None) -> Self:
        """Learn from graphs and the targets that are known.

        `held_out`: the places of graphs that are not learned from, in place of a drawn share; a network
        chooses its epoch by them.
        `names`: what the targets are called.
        """
        self._begin_fit(load_graphs(graphs), y=y, held_out=held_out, names=names)
        self._fit_started()
        return self

    def fit_run(self, graphs: Any, out: str | Path, **how: Any) -> Self:
        super().fit_run(graphs, out, **how)
        if ranks.is_first():
            self._keep_held_out(RunFolder(out))
        return self

    def save(self, path: str | Path, **how: Any) -> None:
        super().save(path, **how)
        self._keep_held_out(RunFolder(path))

    def predict(self, graphs: Any) -> np.ndarray:
        raise TypeError("a task defines predict")

    # ---------------------------------------------------------------- what a method and a task define

    def _predicted(self, store: GraphStore) -> Tensor:
        """What the task makes predictions of [G, outputs], for a store from `_prepared`."""
        raise TypeError("a method defines _predicted")

    def _learn_task(self, columns: np.ndarray, train: np.ndarray, store: GraphStore) -> np.ndarray:
        """From the targets as given [G, T] and the graphs to learn from: what the loss sees [G, T]."""
        raise TypeError("a task defines _learn_task")

    def _guesses(self, rows: np.ndarray, store: GraphStore, targets: np.ndarray, outputs: Tensor) -> Any:
        """What `outputs` say of the graphs `store`, which are `rows` of those of the fit, beside their
        targets [n, T]."""
        raise TypeError("a task defines _guesses")

    def _restore_task(self, about: dict[str, Any]) -> None:
        raise TypeError("a task defines _restore_task")

    def _task_about(self) -> dict[str, Any]:
        raise TypeError("a task defines _task_about")

    # ---------------------------------------------------------------- inside

    def _start(self, store: GraphStore, y: Any = None, held_out: Any = None, names: Any = None) -> None:
        if y is None:
            raise PartwholeError(
                "A fit with labels needs targets; give y, with NaN or None where a graph has no label."
            )
        columns = as_columns(y, len(store))
        self.single_ = is_single(y)
        self.target_names_ = names_of(y, columns, names)
        require_known(columns, self.target_names_, "")
        classes = isinstance(self, ClassifierMixin)
        train, held = parts(columns, held_out, self.validation, self.seed_, classes=classes)
        require_known(columns[train], self.target_names_, " that is not held out")
        self._parts = train, held, self._learn_task(columns, train, store)
        self.held_out_, self.choice_ = None, []
        super()._start(store)

    def _take_parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The graphs to learn from, those held out, and the targets [G, T]: needed once, by the fit."""
        taken: tuple[np.ndarray, np.ndarray, np.ndarray] = self.__dict__.pop("_parts")
        return taken

    def _restore_labels(self) -> None:
        """What a run folder tells about the targets."""
        about = self.about_["task"]
        self.single_, self.target_names_ = about["single"], about["targets"]
        self.held_out_, self.choice_ = None, []
        self._restore_task(about)

    def _about(self, store: GraphStore) -> dict[str, Any]:
        train, held, targets = self._parts
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(a).data for a in (train, held, targets)))
        names = {"single": self.single_, "targets": self.target_names_, "digest": digest.hexdigest()}
        names["labelled"] = len(train) + len(held)
        return {**super()._about(store), "task": names | self._task_about()}

    def _keep_held_out(self, run: RunFolder) -> None:
        if self.held_out_ is not None:
            self.held_out_.write(run.held_out_file)

    def _wanted(self, y: Any, graphs: int) -> np.ndarray:
        """Targets to compare with [G, T], of which some are known."""
        columns = as_columns(y, graphs)
        if columns.shape[1] != len(self.target_names_):
            raise PartwholeError(
                f"There are {columns.shape[1]} targets to compare with, and the model has "
                f"{len(self.target_names_)} ({', '.join(self.target_names_)}); give all of these."
            )
        if missing(columns).all():
            raise PartwholeError("No graph has a label to compare with; give some.")
        return columns

    def _shaped(self, predictions: np.ndarray) -> np.ndarray:
        return predictions[:, 0] if self.single_ else predictions


class Numbers(RegressorMixin, LabelledMethod):  # type: ignore[misc]
    """Numbers, by mean squared error on standardised targets."""

    def predict(self, graphs: Any) -> np.ndarray:
        """[graphs], or [graphs, targets] when there are several, in the units of y."""
        check_is_fitted(self, "about_")
        store = self._prepared(graphs)
        return self._shaped(self.task_.predictions(self._predicted(store)) + self._added(store))

    def score(self, graphs: Any, y: Any, sample_weight: Any = None) -> float:
        """R², the mean over targets; graphs without a label do not count."""
        predictions = self.predict(graphs).reshape(-1, self.task_.outputs)
        wanted = as_numbers(self._wanted(y, len(predictions)), self.target_names_)
        weights = np.ones(len(wanted)) if sample_weight is None else np.asarray(sample_weight)
        known = ~np.isnan(wanted)
        scores = [
            r2_score(w[k], p[k], sample_weight=weights[k])
            for w, p, k in zip(wanted.T, predictions.T, known.T)
            if k.any()
        ]
        return float(np.mean(scores))

    def _added(self, store: GraphStore) -> np.ndarray | float:
        """What is known of the targets without the network."""
        return 0.0

    def _learn_task(self, columns: np.ndarray, train: np.ndarray, store: GraphStore) -> np.ndarray:
        targets = as_numbers(columns, self.target_names_)
        self.task_ = Regression.of(targets[train])
        return targets

    def _guesses(
        self, rows: np.ndarray, store: GraphStore, targets: np.ndarray, outputs: Tensor
    ) -> list[Guess]:
        added = self._added(store)
        predicted = self.task_.predictions(outputs) + added
        return number_guesses(self.target_names_, rows, store.ids, targets + added, predicted)

    def _task_about(self) -> dict[str, Any]:
        return {"kind": "regression", **self.task_.to_dict()}

    def _restore_task(self, about: dict[str, Any]) -> None:
        self.task_ = Regression(tuple(about["means"]), tuple(about["scales"]))


class Classes(ClassifierMixin, LabelledMethod):  # type: ignore[misc]
    """Classes, by cross-entropy.

    `classes_` are the labels in the order of `predict_proba`; with several targets, one array each.
    """

    def predict_proba(self, graphs: Any) -> Any:
        """[graphs, classes]; with several targets, a list with one such array for each."""
        shares = self.probabilities(graphs)
        return shares[0] if self.single_ else shares

    def predict(self, graphs: Any) -> np.ndarray:
        """[graphs], or [graphs, targets] when there are several, as the labels were given."""
        chosen = [known[p.argmax(axis=1)] for known, p in zip(self.labels(), self.probabilities(graphs))]
        mixed = len({labels.dtype.kind for labels in chosen}) > 1
        return self._shaped(np.stack([c.astype(object) if mixed else c for c in chosen], axis=1))

    def score(self, graphs: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of right labels; graphs without a label do not count."""
        shares = self.probabilities(graphs)
        wanted = as_codes(self._wanted(y, len(shares[0])), self.labels(), self.target_names_)
        chosen = np.stack([p.argmax(axis=1) for p in shares], axis=1)
        weights = np.ones(len(wanted)) if sample_weight is None else np.asarray(sample_weight)
        weights = weights[:, None] * ~np.isnan(wanted)
        return float(np.average(chosen == wanted, weights=weights))

    def probabilities(self, graphs: Any) -> list[np.ndarray]:
        """[graphs, classes] for each target."""
        check_is_fitted(self, "about_")
        shares: list[np.ndarray] = self.task_.probabilities(self._predicted(self._prepared(graphs)))
        return shares

    def labels(self) -> list[np.ndarray]:
        """The classes of each target, in the order of their probabilities."""
        return [self.classes_] if isinstance(self.classes_, np.ndarray) else self.classes_

    def _learn_task(self, columns: np.ndarray, train: np.ndarray, store: GraphStore) -> np.ndarray:
        classes = classes_of(columns, self.target_names_)
        self.classes_ = classes[0] if self.single_ else classes
        self.task_ = Classification(tuple(len(known) for known in classes))
        return as_codes(columns, classes, self.target_names_)

    def _guesses(
        self, rows: np.ndarray, store: GraphStore, targets: np.ndarray, outputs: Tensor
    ) -> list[Guess]:
        shares = self.task_.probabilities(outputs)
        return class_guesses(self.target_names_, rows, store.ids, targets, shares, self.labels())

    def _task_about(self) -> dict[str, Any]:
        return {"kind": "classification", "classes": [known.tolist() for known in self.labels()]}

    def _restore_task(self, about: dict[str, Any]) -> None:
        classes = [as_labels(known) for known in about["classes"]]
        self.classes_ = classes[0] if self.single_ else classes
        self.task_ = Classification(tuple(len(known) for known in classes))
