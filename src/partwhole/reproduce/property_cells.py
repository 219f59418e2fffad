"""A cell of the table of properties: molecules of MoleculeNet, split by scaffold, few of them labelled."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from partwhole.config import Options
from partwhole.estimators.labelled import AnyLabelled
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.reproduce.cells import Cell, Measured, Record, load_once, part_of, store_of
from partwhole.sources.datasets.moleculenet import SETS
from partwhole.sources.rebuilt import rebuilt_molecule

TEST = 0.2  # share of the molecules
EVERY = "all"  # labels of the training part

# What a row is called for numbers and for classes.
METHOD = {"linear": ("ridge", "logistic"), "network": ("regressor", "classifier")}


@dataclass(frozen=True)
class Split:
    labelled: np.ndarray
    rest: np.ndarray  # of the training part: seen without labels
    test: np.ndarray


@functools.lru_cache(maxsize=1)
def scaffolds(name: str) -> np.ndarray:
    """[G] the number of each molecule's scaffold: its rings and what joins them (Bemis and Murcko). All
    molecules without rings have the same, and so have all forms of one molecule."""
    from rdkit import Chem
    from rdkit.Chem.Scaffolds import MurckoScaffold

    store, found = load_once(name), []
    for i in range(len(store)):
        found.append(Chem.MolToSmiles(MurckoScaffold.GetScaffoldForMol(rebuilt_molecule(store[i]))))
    return np.unique(found, return_inverse=True)[1]


def split(groups: np.ndarray, known: np.ndarray, labels: str, seed: int) -> Split:
    """A fifth to test, no scaffold of which is seen in training: scaffolds in an order drawn by the seed;
    those that do not fit any more are left to training. So many of the training part keep their label."""
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


class PropertyCell(Cell):
    """Its part is the number of labels: `ESOL:300`, `ESOL:all`."""

    def settings(self) -> Options:
        own = {"epochs": self.epochs} if self.method == "network" else {}
        chosen: Options = self._entry().config_class.from_options(
            {**self.options, **own, "random_state": self.run}
        )
        return chosen

    def _entry(self) -> Any:
        return METHODS.get(METHOD[self.method][not SETS[store_of(self.dataset)].unit])

    def answered_by(self, record: Record) -> bool:
        return self.is_that_of(record)

    def measure(self, folder: Path) -> Measured:
        name = store_of(self.dataset)
        store, targets = load_once(name), SETS[name].targets
        y = np.stack([np.asarray(store.target(target), dtype=object) for target in targets], axis=1)
        present = np.array([[_is_known(value) for value in row] for row in y])
        part = split(scaffolds(name), np.asarray(present.any(axis=1)), part_of(self.dataset), self.run)
        seen = np.sort(np.concatenate([part.labelled, part.rest]))
        graphs = store.take(seen)
        given = np.where((np.isin(seen, part.labelled)[:, None] & present[seen]), y[seen], None)
        estimator = self._entry()(**self.settings().options())
        begun = time.perf_counter()
        estimator.fit_run(graphs, folder, resume=True, y=given, names=list(targets))
        trained = sum(epoch["seconds"] for epoch in estimator.history_) or time.perf_counter() - begun
        started = time.perf_counter()
        figures = {
            "split": {"seed": self.run, **{k: len(getattr(part, k)) for k in ("labelled", "rest", "test")}},
            "score": score(estimator, store.take(part.test), y[part.test], present[part.test]),
        }
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return Measured(graphs, estimator.history_, seconds, figures)


def _is_known(value: Any) -> bool:
    return value is not None and value == value  # NaN is not itself


def score(estimator: AnyLabelled, store: GraphStore, y: np.ndarray, known: np.ndarray) -> dict[str, Any]:
    """The root of the mean squared error of numbers, or the mean over targets of the area under the ROC curve
    of two classes, in percent; a target with one class among the test molecules has none."""
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
