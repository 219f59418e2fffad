"""The four protocols of the results tables, never mixed (docs/paper-ledger.md, row 12).

They differ in what they may choose by looking at the test folds: `untrained` and `label-free`
nothing, `paper` the epoch, `authors` the epoch and the classifier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.evaluation.classifiers import CLASSIFIERS, RBF, fold_accuracies
from partwhole.methods.base import load_run
from partwhole.store import GraphStore
from partwhole.training.checkpoint import RunFolder

SVM = (RBF,)


@dataclass(frozen=True)
class Protocol:
    about: str
    epochs: Callable[[RunFolder], list[int | None]]  # None: the final weights
    classifiers: tuple[str, ...]


def _kept(run: RunFolder) -> list[int | None]:
    """Every epoch that was kept after training began."""
    epochs = [e for e in run.snapshot_epochs() if e > 0]
    if not epochs:
        raise PartwholeError(
            f"{run.path} holds no snapshots; this protocol looks at every fifth epoch, so fit with "
            "`--snapshot-every 5`."
        )
    return list(epochs)


PROTOCOLS = {
    "untrained": Protocol("weights before the first step; RBF SVM", lambda run: [0], SVM),
    "label-free": Protocol("last epoch, nothing chosen on test folds; RBF SVM", lambda run: [None], SVM),
    "paper": Protocol("best kept epoch on the test folds; RBF SVM", _kept, SVM),
    "authors": Protocol(
        "best kept epoch and best of three classifiers on the test folds", _kept, CLASSIFIERS
    ),
}


def evaluate(
    path: str | Path,
    store: GraphStore,
    protocol: str = "label-free",
    *,
    folds: int = 10,
    runs: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Score the run in folder `path` on labelled graphs; `runs` repeats with other folds.

    Returns a plain dictionary: the protocol, the mean and standard deviation of the accuracy in
    percent over all test folds of all runs, and the score of every fold.
    """
    if protocol not in PROTOCOLS:
        raise PartwholeError(f"There is no protocol {protocol!r}.{near_miss(protocol, PROTOCOLS)}")
    if folds < 2 or runs < 1:
        raise PartwholeError("Evaluation needs at least 2 folds and 1 run.")
    rules, run = PROTOCOLS[protocol], RunFolder(path)
    labels, final = store.labels, run.read_config()["options"]["epochs"]
    tried = []
    epochs = rules.epochs(run)
    total, done = len(epochs) * len(rules.classifiers) * runs, 0
    for epoch in epochs:
        vectors = load_run(path, epoch).transform(store)
        for classifier in rules.classifiers:
            scores = []
            for k in range(runs):
                scores.append(
                    fold_accuracies(vectors, labels, classifier=classifier, folds=folds, seed=seed + k)
                )
                done += 1
                progress(done, total)
            tried.append((float(np.mean(scores)), epoch, classifier, np.array(scores)))
    mean, epoch, classifier, scores_of_best = max(tried, key=lambda t: t[0])
    return {
        "protocol": protocol,
        "chosen": rules.about,
        "data": store.name,
        "accuracy": {"mean": mean, "std": float(scores_of_best.std())},
        "std_over": "test folds",
        "folds": folds,
        "runs": runs,
        "seed": seed,
        "epoch": final if epoch is None else epoch,
        "classifier": classifier,
        "scores": scores_of_best.tolist(),
        "evaluated": len(tried),
    }
