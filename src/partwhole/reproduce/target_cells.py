"""A cell of Table 3: one target of QM9, learned by one method from 5,000 labels."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from partwhole.estimators.predictors import SubgraphInfoMaxRegressor
from partwhole.reproduce.cells import CellOutcome, load_once, set_of
from partwhole.reproduce.labelled_cells import LabelledCell, Split
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


def split(graphs: int, seed: int) -> Split:
    """Draw what each molecule is for, in the numbers of the paper."""
    order = np.random.default_rng(seed).permutation(graphs)
    ends = np.cumsum([LABELLED, HELD_OUT, TEST])
    labelled, held_out, test, rest = (np.sort(drawn) for drawn in np.split(order, ends))
    return Split(labelled, rest, test, held_out)


class TargetCell(LabelledCell):
    """A cell of Table 3, whose variant is the target: `QM9:mu`."""

    base = QM9_OPTIONS

    def measure(self, folder: Path) -> CellOutcome:
        """Learn the target, and take the mean absolute error on the test molecules."""
        store = load_once(set_of(self.dataset))
        drawn = split(len(store), self.run)
        seen = drawn.seen
        graphs = replace(store.take(seen), name=self.dataset)
        known = np.isin(seen, drawn.labelled) | np.isin(seen, drawn.held_out)
        y = np.where(known, graphs.target(self.variant), np.nan)
        estimator = SubgraphInfoMaxRegressor(**self.settings().options())
        held = np.flatnonzero(np.isin(seen, drawn.held_out))
        estimator.fit_run(graphs, folder, resume=True, y=y, held_out=held)
        trained = sum(epoch["seconds"] for epoch in estimator.history_)
        started = time.perf_counter()
        tested = store.take(drawn.test)
        error = float(np.abs(estimator.predict(tested) - tested.target(self.variant)).mean())
        errors = [epoch["validation"] for epoch in estimator.history_]
        figures = {
            "split": {"seed": self.run, "labelled": LABELLED, "held_out": HELD_OUT, "test": TEST},
            "error": {"test": float(f"{error:.6g}"), "unit": UNITS[self.variant]},
            "chosen": {"epoch": int(np.argmin(errors)) + 1},
            "validation": [float(f"{e:.5g}") for e in errors],
        }
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return CellOutcome(graphs, estimator.history_, seconds, figures)
