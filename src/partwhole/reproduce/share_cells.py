"""A cell of the table of few labels: classes learned from a share of the labels."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from partwhole.estimators.predictors import SubgraphInfoMaxClassifier
from partwhole.reproduce.cells import CellOutcome, load_once, set_of
from partwhole.reproduce.labelled_cells import LabelledCell, Split

TEST = 0.2  # share of the graphs; they are not seen in training, with or without a label
OPTIONS = {"validation": 0.2, "snapshot_every": 0}


def split(labels: np.ndarray, share: float, seed: int) -> Split:
    """Draw a fifth to test and `share` of all graphs with a label, both with the classes in proportion."""
    graphs = np.arange(len(labels))
    seen, test = train_test_split(graphs, test_size=TEST, stratify=labels, random_state=seed)
    count = round(share * len(labels))
    labelled, rest = train_test_split(seen, train_size=count, stratify=labels[seen], random_state=seed)
    return Split(np.sort(labelled), np.sort(rest), np.sort(test))


class ShareCell(LabelledCell):
    """A cell of few labels, whose variant is the share of graphs that have one: `NCI1:1%`."""

    base = OPTIONS

    def measure(self, folder: Path) -> CellOutcome:
        """Learn the classes, and take the accuracy on the test graphs."""
        store = load_once(set_of(self.dataset))
        drawn = split(store.labels, float(self.variant.removesuffix("%")) / 100, self.run)
        seen = drawn.seen
        graphs = store.take(seen)
        y = np.where(np.isin(seen, drawn.labelled), store.labels[seen].astype(object), None)
        estimator = SubgraphInfoMaxClassifier(**self.settings().options())
        estimator.fit_run(graphs, folder, resume=True, y=y)
        trained = sum(epoch["seconds"] for epoch in estimator.history_)
        started = time.perf_counter()
        accuracy = 100 * estimator.score(store.take(drawn.test), store.labels[drawn.test])
        sizes = {"labelled": len(drawn.labelled), "unlabelled": len(drawn.rest), "test": len(drawn.test)}
        figures = {"split": {"seed": self.run, **sizes}, "accuracy": round(accuracy, 4)}
        seconds = {"training": trained, "scoring": time.perf_counter() - started}
        return CellOutcome(graphs, estimator.history_, seconds, figures)
