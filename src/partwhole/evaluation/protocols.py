"""The four protocols of the results tables, never mixed (docs/paper-ledger.md, row 12).

They differ in what they may choose by looking at the test folds: `untrained` and `label-free`
nothing, `paper` the epoch, `authors` the epoch and the classifier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.evaluation.classifiers import CLASSIFIERS, KERNEL, RBF, fold_accuracies
from partwhole.kernels.base import Kernel
from partwhole.method import load_run
from partwhole.store import GraphStore
from partwhole.training.checkpoint import RunFolder

LABEL_FREE = "label-free"
Scores = dict[str, dict[int, np.ndarray]]  # classifier -> epoch -> accuracies [runs, folds], in percent
SVM = (RBF,)
VALIDATED = "validated-network"  # at the epoch chosen inside its training part
NETWORK = "network"  # at every kept epoch
HOW = {  # where it is not as the protocol says
    KERNEL: "nothing chosen on test folds; SVM on similarities",
    VALIDATED: "epoch chosen by a tenth of the training part",
    NETWORK: "best kept epoch on the test folds",
}
WITHOUT_EPOCHS = "nothing chosen on test folds; RBF SVM"
VECTORS = tuple(name for name in CLASSIFIERS if name != KERNEL)


@dataclass(frozen=True)
class Protocol:
    about: str
    epochs: Callable[[list[int]], list[int]]  # which of the kept epochs it looks at
    classifiers: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """What a protocol makes of the scores of one run."""

    epoch: int
    classifier: str
    scores: np.ndarray  # [runs, folds]
    among: int  # how many (epoch, classifier) pairs it chose from

    @property
    def accuracy(self) -> float:
        return float(self.scores.mean())

    def how(self, protocol: str) -> str:
        """What was chosen by what, in words."""
        if self.classifier == RBF and self.epoch == 0 and protocol == LABEL_FREE:
            return WITHOUT_EPOCHS
        return HOW.get(self.classifier, protocol_named(protocol).about)


def _trained(kept: list[int]) -> list[int]:
    return [epoch for epoch in kept if epoch > 0]


PROTOCOLS = {
    "untrained": Protocol("weights before the first step; RBF SVM", lambda kept: [0], SVM),
    LABEL_FREE: Protocol("last epoch, nothing chosen on test folds; RBF SVM", lambda kept: kept[-1:], SVM),
    "paper": Protocol("best kept epoch on the test folds; RBF SVM", _trained, SVM),
    "authors": Protocol("best kept epoch and best of three classifiers on the test folds", _trained, VECTORS),
}


def protocol_named(name: str) -> Protocol:
    if name not in PROTOCOLS:
        raise PartwholeError(f"There is no protocol {name!r}.{near_miss(name, PROTOCOLS)}")
    return PROTOCOLS[name]


def choose(protocol: str, scores: Scores) -> Choice | None:
    """Apply a protocol to scores; None where these lack something that it looks at."""
    rules = protocol_named(protocol)
    classifiers = _classifiers(protocol, scores)
    if not classifiers or any(classifier not in scores for classifier in classifiers):
        return None
    tried = [
        (classifier, epoch, scores[classifier].get(epoch))
        for epoch in rules.epochs(sorted(scores[classifiers[0]]))
        for classifier in classifiers
    ]
    whole = [(classifier, epoch, s) for classifier, epoch, s in tried if s is not None]
    if len(whole) < len(tried) or not whole:
        return None
    classifier, epoch, best = max(whole, key=lambda t: t[2].mean())
    return Choice(epoch, classifier, best, len(whole))


def _classifiers(protocol: str, scores: Scores) -> tuple[str, ...]:
    """Those of the protocol, or what stands for them where there are no vectors to classify."""
    if protocol == LABEL_FREE:
        return next(((name,) for name in (KERNEL, VALIDATED) if name in scores), SVM)
    if NETWORK in scores:
        return (NETWORK,) if protocol == "paper" else ()
    return protocol_named(protocol).classifiers


def score_run(
    path: str | Path,
    store: GraphStore,
    protocols: Iterable[str],
    *,
    folds: int = 10,
    runs: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Scores:
    """All that these protocols look at in the run in folder `path`; `runs` repeats with other folds."""
    if folds < 2 or runs < 1:
        raise PartwholeError("Evaluation needs at least 2 folds and 1 run.")
    run = RunFolder(path)
    final = run.read_config()["options"].get("epochs")
    if final is None:
        return _score_without_epochs(run, store, list(protocols), folds, runs, seed)
    kept = sorted({*run.snapshot_epochs(), final})
    if "task" in run.read_config():
        raise PartwholeError(
            f"The run in {run.path} learned from labels, so that no fold is unseen to its vectors; use "
            "`partwhole predict` on graphs that it has not seen."
        )
    wanted: set[tuple[int, str]] = set()
    for name in protocols:
        rules = protocol_named(name)
        if rules.epochs is _trained and not run.snapshot_epochs():
            raise PartwholeError(
                f"{run.path} holds no snapshots; this protocol looks at every fifth epoch, so fit with "
                "`--snapshot-every 5`."
            )
        wanted |= {(epoch, classifier) for epoch in rules.epochs(kept) for classifier in rules.classifiers}
    scores: Scores = {}
    epochs = sorted({epoch for epoch, _ in wanted})
    for done, epoch in enumerate(epochs):
        vectors = load_run(path, None if epoch == final else epoch).transform(store)
        for classifier in [c for c in CLASSIFIERS if (epoch, c) in wanted]:
            scores.setdefault(classifier, {})[epoch] = np.stack(
                [
                    fold_accuracies(vectors, store.labels, classifier=classifier, folds=folds, seed=seed + k)
                    for k in range(runs)
                ]
            )
        progress(done + 1, len(epochs))
    return scores


def _score_without_epochs(
    run: RunFolder, store: GraphStore, protocols: list[str], folds: int, runs: int, seed: int
) -> Scores:
    """Of a method that is not trained epoch by epoch: a kernel, word vectors, counts."""
    for name in protocols:
        protocol_named(name)
        if name != LABEL_FREE:
            raise PartwholeError(
                f"The run in {run.path} has no epochs, which the protocol {name!r} looks at; use "
                f"{LABEL_FREE!r}."
            )
    estimator = load_run(run.path)
    if isinstance(estimator, Kernel):
        seen, classifier = estimator.gram(store), KERNEL
    else:
        seen, classifier = estimator.transform(store), RBF
    accuracies = [
        fold_accuracies(seen, store.labels, classifier=classifier, folds=folds, seed=seed + k)
        for k in range(runs)
    ]
    return {classifier: {0: np.stack(accuracies)}}


def evaluate(
    path: str | Path,
    store: GraphStore,
    protocol: str = LABEL_FREE,
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
    scores = score_run(path, store, [protocol], folds=folds, runs=runs, seed=seed, progress=progress)
    chosen = choose(protocol, scores)
    assert chosen is not None  # the scores are those that the protocol asks for
    return {
        "protocol": protocol,
        "chosen": chosen.how(protocol),
        "data": store.name,
        "accuracy": {"mean": chosen.accuracy, "std": float(chosen.scores.std())},
        "std_over": "test folds",
        "folds": folds,
        "runs": runs,
        "seed": seed,
        "epoch": chosen.epoch,
        "classifier": chosen.classifier,
        "scores": chosen.scores.tolist(),
        "evaluated": chosen.among,
    }
