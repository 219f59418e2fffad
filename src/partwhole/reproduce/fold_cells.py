"""A cell of a network that learns from labels: one network for each fold, which never sees it."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np

from partwhole.config import FOLDS, Options, TrainConfig
from partwhole.evaluation.classifiers import outer_folds
from partwhole.evaluation.protocols import NETWORK, VALIDATED, Scores
from partwhole.registry import METHODS
from partwhole.reproduce.cells import (
    SNAPSHOT_EVERY,
    Cell,
    CellOutcome,
    accuracies_of,
    finished_epochs,
    load_once,
)
from partwhole.runs.folder import RunFolder


class FoldCell(Cell):
    """A cell that trains one network for each fold.

    A tenth of the labels of the training folds chooses the epoch. Every kept epoch is scored on the test fold
    as well, for the protocol that chooses there.
    """

    def settings(self) -> Options:
        """Give every option of the fits; the last epoch is always kept."""
        chosen = super().settings()
        assert isinstance(chosen, TrainConfig)
        every = 1 if self.epochs % SNAPSHOT_EVERY else SNAPSHOT_EVERY
        return dataclasses.replace(chosen, snapshot_every=every)

    def stage(self, folder: Path) -> str:
        """Tell the fold and the epoch that the cell stands at."""
        begun = max(1, len(list(folder.glob("fold-*"))))
        epoch = finished_epochs(folder / f"fold-{begun - 1}")
        return f"fold {begun}/{FOLDS}, epoch {epoch}/{self.epochs}"

    def measure(self, folder: Path) -> CellOutcome:
        """Train a network for each fold, and score it where it did not learn."""
        store = load_once(self.dataset)
        method, options = METHODS.get(self.method), self.settings().options()
        folds = outer_folds(store.labels, FOLDS, self.run)
        chosen, kept, histories = [], [], []
        scoring = 0.0
        for k, (train, test) in enumerate(folds):
            run = folder / f"fold-{k}"
            estimator = method(**options).fit_run(store.take(train), run, resume=True, y=store.labels[train])
            started = time.perf_counter()
            tested, labels = store.take(test), store.labels[test]
            chosen.append(100 * estimator.score(tested, labels))
            epochs = [epoch for epoch in RunFolder(run).snapshot_epochs() if epoch > 0]
            kept.append({epoch: 100 * method.load(run, epoch).score(tested, labels) for epoch in epochs})
            scoring += time.perf_counter() - started
            histories.append(estimator.history_)
        trained = sum(epoch["seconds"] for history in histories for epoch in history)
        by_epoch = {epoch: np.array([[of_fold[epoch] for of_fold in kept]]) for epoch in kept[0]}
        scores: Scores = {VALIDATED: {self.epochs: np.array([chosen])}, NETWORK: by_epoch}
        seconds = {"training": trained, "scoring": scoring}
        return CellOutcome(store, histories[0], seconds, accuracies_of(scores, self.run))
