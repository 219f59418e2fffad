"""A cell of the table of few labels: classes learned from a share of the labels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from partwhole.estimators.predictors import SubgraphInfoMaxClassifier
from partwhole.reproduce.cells import Measured, load_once, store_of
from partwhole.reproduce.labelled_cell import LabelledCell

TEST = 0.2  # share of the graphs; they are not seen in training, with or without a label
OPTIONS = {"validation": 0.2, "snapshot_every": 0}


@dataclass(frozen=True)
class Split:
    labelled: np.ndarray
    test: np.ndarray
    rest: np.ndarray  # seen without labels


def split(labels: np.ndarray, share: float, seed: int) -> Split:
    """A fifth to test, `share` of all graphs with a label, both with the classes in proportion."""
    graphs = np.arange(len(labels))
    seen, test = train_test_split(graphs, test_size=TEST, stratify=labels, random_state=seed)
    count = round(share * len(labels))
    labelled, rest = train_test_split(seen, train_size=count, stratify=labels[seen], random_state=seed)
    return Split(np.sort(labelled), np.sort(test), np.sort(rest))


class ShareCell(LabelledCell):
    """Its part is the share of graphs that have a label: `NCI1:1%`."""

    base = OPTIONS

    def measure(self, folder: Path) -> Measured:
        store = load_once(store_of(self.dataset))
        part = split(store.labels, float(self.part.removesuffix("%")) / 100, self.run)
        seen = np.sort(np.concatenate([part.labelled, part.rest]))
        graphs = store.take(seen)
        y = np.where(np.isin(seen, part.labelled), store.labels[seen].astype(object), None)
        estimator = SubgraphInfoMaxClassifier(**self.settings().options())
        estimator.fit_run(graphs, folder, resume=True, y=y)
        trained = sum(epoch["seconds"] for epoch in estimator.history_)
        started = time.perf_counter()
        accuracy = 100 * estimator.score(store.take(part.test), store.labels[part.test])
        sizes = {"labelled": len(part.labelled), "unlabelled": len(part.rest), "test": len(part.test)}
        figures = {"split": {"seed": self.run, **sizes}, "accuracy": round(accuracy, 4)}
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return Measured(graphs, estimator.history_, seconds, figures)
