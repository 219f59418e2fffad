"""A cell of Table 3: one target of QM9, learned by one method from 5,000 labels."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from partwhole.estimators.predictors import SubgraphInfoMaxRegressor
from partwhole.reproduce.cells import Measured, load_once, store_of
from partwhole.reproduce.labelled_cell import LabelledCell
from partwhole.sources.readers.qm9 import UNITS

LABELLED, HELD_OUT, TEST = 5_000, 10_000, 10_000  # all others are unlabelled
QM9_OPTIONS = {  # "the same settings as InfoGraph", ledger row 23
    "backbone": "edge-network",
    "readout": "set2set",
    "hidden": 64,
    "layers": 3,
    "batch_size": 20,
    "snapshot_every": 0,
}


@dataclass(frozen=True)
class Split:
    labelled: np.ndarray
    held_out: np.ndarray  # choose the epoch
    test: np.ndarray
    rest: np.ndarray  # seen without labels


def split(graphs: int, seed: int) -> Split:
    order = np.random.default_rng(seed).permutation(graphs)
    ends = np.cumsum([LABELLED, HELD_OUT, TEST])
    return Split(*(np.sort(part) for part in np.split(order, ends)))


class TargetCell(LabelledCell):
    """Its part is the target: `QM9:mu`."""

    base = QM9_OPTIONS

    def measure(self, folder: Path) -> Measured:
        store = load_once(store_of(self.dataset))
        part = split(len(store), self.run)
        seen = np.sort(np.concatenate([part.labelled, part.held_out, part.rest]))
        graphs = replace(store.take(seen), name=self.dataset)
        known = np.isin(seen, part.labelled) | np.isin(seen, part.held_out)
        y = np.where(known, graphs.target(self.part), np.nan)
        estimator = SubgraphInfoMaxRegressor(**self.settings().options())
        held = np.flatnonzero(np.isin(seen, part.held_out))
        estimator.fit_run(graphs, folder, resume=True, y=y, held_out=held)
        trained = sum(epoch["seconds"] for epoch in estimator.history_)
        started = time.perf_counter()
        tested = store.take(part.test)
        error = float(np.abs(estimator.predict(tested) - tested.target(self.part)).mean())
        errors = [epoch["validation"] for epoch in estimator.history_]
        figures = {
            "split": {"seed": self.run, "labelled": LABELLED, "held_out": HELD_OUT, "test": TEST},
            "error": {"test": float(f"{error:.6g}"), "unit": UNITS[self.part]},
            "chosen": {"epoch": int(np.argmin(errors)) + 1},
            "validation": [float(f"{e:.5g}") for e in errors],
        }
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return Measured(graphs, estimator.history_, seconds, figures)
