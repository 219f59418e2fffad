"""A cell of the table of properties: molecules of MoleculeNet, split by scaffold, few of them labelled."""

from __future__ import annotations

import functools
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from partwhole.config import Options
from partwhole.estimators.labelled import AnyLabelled
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.reproduce.cells import CellOutcome, load_once, set_of
from partwhole.reproduce.labelled_cells import LabelledCell, Split
from partwhole.sources.datasets.moleculenet import SETS
from partwhole.sources.scaffolds import scaffolds_of

TEST = 0.2  # share of the molecules
EVERY = "all"  # labels of the molecules that are not tested

# What a row is called for numbers and for classes.
METHOD = {
    "linear": ("ridge", "logistic"),
    "auto": ("auto-regressor", "auto-classifier"),
    "network": ("regressor", "classifier"),
    "fine-tuned": ("fine-tuned-regressor", "fine-tuned-classifier"),
}


@functools.lru_cache(maxsize=1)
def scaffolds(name: str) -> np.ndarray:
    """Number the scaffold of each molecule of a set [G]."""
    return scaffolds_of(load_once(name))


def split(groups: np.ndarray, known: np.ndarray, labels: str, seed: int) -> Split:
    """Draw a fifth to test, no scaffold of which is seen in training, and so many others that keep their
    label.

    Scaffolds come in an order drawn by the seed; those that do not fit any more are left to training.
    `groups` [G] numbers them, `known` [G] tells which molecules have a label at all.
    """
    random = np.random.default_rng(seed)
    room, test = round(TEST * len(groups)), []
    sizes = np.bincount(groups)
    for group in random.permutation(len(sizes)):
        if sizes[group] <= room and sizes[group] <= TEST * len(groups) / 2:  # no test of one scaffold
            test.append(group)
            room -= sizes[group]
    tested = np.isin(groups, test)
    seen = random.permutation(np.flatnonzero(~tested & known))
    labelled = np.sort(seen if labels == EVERY else seen[: int(labels)])
    rest = np.setdiff1d(np.flatnonzero(~tested), labelled)
    return Split(labelled, rest, np.flatnonzero(tested & known))


class PropertyCell(LabelledCell):
    """A cell of properties, whose variant is the number of labels: `ESOL:300`, `ESOL:all`."""

    def settings(self) -> Options:
        """The options of the row and of the cell; only a network has epochs."""
        own = {"epochs": self.epochs} if self.epochs else {}
        chosen: Options = self._entry().config_class.from_options(
            {**self.options, **own, "random_state": self.run}
        )
        return chosen

    def _entry(self) -> type[AnyLabelled]:
        entry: type[AnyLabelled] = METHODS.get(METHOD[self.method][not SETS[set_of(self.dataset)].unit])
        return entry

    def measure(self, folder: Path) -> CellOutcome:
        """Learn the properties, and score them on the test molecules."""
        name = set_of(self.dataset)
        store, targets = load_once(name), SETS[name].targets
        y = np.stack([np.asarray(store.target(target), dtype=object) for target in targets], axis=1)
        present = np.array([[_is_known(value) for value in row] for row in y])
        drawn = split(scaffolds(name), np.asarray(present.any(axis=1)), self.variant, self.run)
        learned = [t for t in range(len(targets)) if _can_be_learned(y[drawn.labelled, t])]
        targets, y, present = tuple(targets[t] for t in learned), y[:, learned], present[:, learned]
        seen = drawn.seen
        graphs = store.take(seen)
        given = np.where((np.isin(seen, drawn.labelled)[:, None] & present[seen]), y[seen], None)
        estimator = self._entry()(**self.settings().options())
        begun = time.perf_counter()
        estimator.fit_run(graphs, folder, resume=True, y=given, names=list(targets))
        trained = sum(epoch["seconds"] for epoch in estimator.history_) or time.perf_counter() - begun
        started = time.perf_counter()
        figures = {
            "split": {"seed": self.run, **{k: len(getattr(drawn, k)) for k in ("labelled", "rest", "test")}},
            "score": score(estimator, store.take(drawn.test), y[drawn.test], present[drawn.test]),
        }
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return CellOutcome(graphs, estimator.history_, seconds, figures)


def _is_known(value: object) -> bool:
    return value is not None and value == value  # NaN is not itself


def _can_be_learned(labels: np.ndarray) -> bool:
    """Whether two of them differ; few labels may be all of one class."""
    return len({label for label in labels if _is_known(label)}) > 1


def score(
    estimator: AnyLabelled, store: GraphStore, y: np.ndarray, known: np.ndarray
) -> dict[str, str | float]:
    """Score predictions of G molecules against their targets `y` [G, T], where these are `known` [G, T].

    Of numbers it is the root of the mean squared error, of two classes the mean over targets of the area
    under the ROC curve, in percent; a target with one class among the test molecules has none.
    """
    if not hasattr(estimator, "probabilities"):
        wanted = y[:, 0].astype(float)
        error = float(np.sqrt(np.mean((estimator.predict(store).reshape(-1) - wanted) ** 2)))
        return {"measure": "RMSE", "value": float(f"{error:.6g}")}
    areas = []
    for t, (labels, chances) in enumerate(zip(estimator.labels(), estimator.probabilities(store))):
        right = y[known[:, t], t] == labels[-1]
        if 0 < right.sum() < len(right):
            areas.append(100 * roc_auc_score(right, chances[known[:, t], -1]))
    return {"measure": "ROC AUC", "value": float(f"{np.mean(areas):.6g}")}
