"""One cell of a table: one method on one data set, trained and scored once.

Run k has seed k and folds shuffled by k. What comes out is a plain record that tells all that is
needed to obtain the same number again.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from partwhole.config import FOLDS, Options
from partwhole.errors import TooLarge
from partwhole.evaluation.protocols import Scores, choose
from partwhole.evaluation.scoring import score_run
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.reproduce.journal import Record
from partwhole.reproduce.provenance import forget_peak, peak_mib, versions
from partwhole.sources.loading import load_graphs

SNAPSHOT_EVERY = 5  # "we report evaluation results … per 5 epochs"


def set_of(dataset: str) -> str:
    """Give `QM9` of `QM9:mu`, a data set that a table takes in several variants."""
    return dataset.partition(":")[0]


def variant_of(dataset: str) -> str:
    """Give `mu` of `QM9:mu`."""
    return dataset.partition(":")[2]


@dataclass(frozen=True)
class Cell:
    """One run of a row on a data set, scored by all protocols of its table."""

    dataset: str
    row: str
    method: str
    options: Mapping[str, Any]  # of the row
    epochs: int
    run: int
    protocols: tuple[str, ...]

    @property
    def key(self) -> str:
        """The name that a user gives it: data set/method/epochs/run."""
        return f"{self.dataset}/{self.row}/{self.epochs}/{self.run}"

    @functools.cached_property
    def folder(self) -> str:
        """The folder of the run while it lasts: another configuration never goes on from its state."""
        options = json.dumps(self.configuration(), sort_keys=True)
        return f"{self.key.replace('/', '-')}-{hashlib.sha256(options.encode()).hexdigest()[:8]}"

    def settings(self) -> Options:
        """Give every option of the fit: the row's, and those of the cell that the method has."""
        entry = METHODS.get(self.method).config_class
        own = {"epochs": self.epochs, "random_state": self.run, "snapshot_every": SNAPSHOT_EVERY}
        known = {f.name for f in dataclasses.fields(entry)}
        chosen: Options = entry.from_options({**{k: v for k, v in own.items() if k in known}, **self.options})
        return chosen.settled()

    def configuration(self) -> dict[str, object]:
        """The settings as a record keeps them."""
        return deciding_options(self.settings())

    def is_that_of(self, record: Record) -> bool:
        """Whether the record is of this very configuration, which may be older than some options."""
        settings = self.settings()
        kept = {k: v for k, v in settings.completed(record["configuration"]).items() if k != "verbose"}
        return record["cell"] == self.key and kept == deciding_options(settings)

    def answered_by(self, record: Record) -> bool:
        """Whether the record is of this very configuration, and its scores serve the protocols."""
        if not self.is_that_of(record):
            return False
        return "refused" in record or all(choose(p, scores_of(record)) for p in self.protocols)

    def stage(self, folder: Path) -> str:
        """Tell where a cell that is being run stands, as its folder shows it."""
        if self.epochs == 0:
            return "fitting"
        epoch = finished_epochs(folder)
        return f"epoch {epoch}/{self.epochs}" if epoch < self.epochs else "scoring"

    def measure(self, folder: Path) -> CellOutcome:
        """Train in the folder, from the last state in it, and score."""
        store = load_once(self.dataset)
        estimator = METHODS.get(self.method)(**self.settings().options())
        begun = time.perf_counter()
        estimator.fit_run(store, folder, resume=True)
        started = time.perf_counter()
        scores = score_run(folder, store, self.protocols, folds=FOLDS, seed=self.run)
        # A network that was stopped has trained for longer than it took now.
        trained = sum(epoch["seconds"] for epoch in estimator.history_) or started - begun
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return CellOutcome(store, estimator.history_, seconds, accuracies_of(scores, self.run))


@dataclass(frozen=True)
class CellOutcome:
    """What comes out of a cell before it is a record."""

    store: GraphStore  # what was fitted to
    history: list[dict[str, Any]]  # of training, epoch by epoch
    seconds: dict[str, float]  # training, scoring
    figures: dict[str, object]  # entries of the record: scores, and what they are of


Place = tuple[str, str]  # data set, row
Plan = Mapping[Place, list[Cell]]  # the cells of a table, run by run


def finished_epochs(run: Path) -> int:
    """Count the epochs that a run folder has behind it."""
    try:
        return (run / "metrics.jsonl").read_bytes().count(b"\n")
    except OSError:  # not begun, or just being removed
        return 0


def accuracies_of(scores: Scores, run: int) -> dict[str, object]:
    """Give the accuracies of the folds of a run as a record keeps them."""
    accuracies = {
        classifier: {str(epoch): np.round(values[0], 4).tolist() for epoch, values in by_epoch.items()}
        for classifier, by_epoch in scores.items()
    }
    return {"folds": {"number": FOLDS, "seed": run}, "accuracies": accuracies}


def deciding_options(config: Options) -> dict[str, object]:
    """Give the options that decide a result, as JSON gives them back."""
    return {name: value for name, value in config.plain_options().items() if name != "verbose"}


def scores_of(record: Record) -> Scores:
    """Give the accuracies of a record as protocols take them; of one run."""
    return {
        classifier: {int(epoch): np.array([folds]) for epoch, folds in by_epoch.items()}
        for classifier, by_epoch in record["accuracies"].items()
    }


def run_cell(cell: Cell, work: Path, revision: str) -> Record:
    """Train, score, and record how. A cell that was killed goes on from its last state in `work`."""
    forget_peak()
    folder = work / cell.folder
    try:
        outcome = cell.measure(folder)
    except TooLarge as reason:
        store = load_once(set_of(cell.dataset))
        outcome = CellOutcome(store, [], {"training": 0.0, "scoring": 0.0}, {"refused": str(reason)})
    history, store = outcome.history, outcome.store
    record = {
        "cell": cell.key,
        "method": cell.method,
        "configuration": cell.configuration(),
        "data": {"name": store.name, "graphs": len(store), "digest": store.digest()},
        "seed": cell.run,
        **outcome.figures,
        "training": {"first": _rounded(history[0]), "last": _rounded(history[-1])} if history else {},
        "seconds": {name: round(value, 2) for name, value in outcome.seconds.items()},
        "peak_mib": peak_mib(),
        "threads": torch.get_num_threads(),
        "versions": versions(),
        "revision": revision,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    shutil.rmtree(folder, ignore_errors=True)  # a refused one may have none
    return record


@functools.lru_cache(maxsize=1)
def load_once(name: str) -> GraphStore:
    """Load a data set, and keep it for the next cell of this process."""
    return load_graphs(name)


def _rounded(metrics: Mapping[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.5g}") for name, value in metrics.items()}
