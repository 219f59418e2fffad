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
from partwhole.estimators.graph_kernels.base import GraphKernel
from partwhole.estimators.loading import load_run
from partwhole.estimators.semi_supervised.measures import ALL_MEASURES, Measures
from partwhole.evaluation.chosen_target import Labelled, with_target
from partwhole.evaluation.classifiers import CLASSIFIERS, KERNEL, RBF, fold_measures
from partwhole.evaluation.numbers import RIDGE, ridge_measures
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder

LABEL_FREE, UNTRAINED = "label-free", "untrained"
Scores = dict[str, dict[int, np.ndarray]]  # classifier -> epoch -> accuracies [runs, folds], in percent
Measured = dict[str, dict[int, list[list[Measures]]]]  # classifier -> epoch -> run -> fold
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
    UNTRAINED: Protocol("weights before the first step; RBF SVM", lambda kept: [0], SVM),
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


def measured_run(
    path: str | Path,
    labelled: Labelled,
    protocols: Iterable[str],
    *,
    folds: int = 10,
    runs: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Measured:
    """All that these protocols look at in the run in folder `path`; `runs` repeats with other folds."""
    if folds < 2 or runs < 1:
        raise PartwholeError("Evaluation needs at least 2 folds and 1 run.")
    run, store = RunFolder(path), labelled.store
    asked = list(protocols)
    for name in asked:
        _require_scorable(name, labelled)
    final = run.read_config()["options"].get("epochs")
    if "task" in run.read_config():
        raise PartwholeError(
            f"The run in {run.path} learned from labels, so that no fold is unseen to its vectors; use "
            "`partwhole evaluate`, which fits anew without each fold, or `partwhole predict` on new graphs."
        )

    def measures(seen: np.ndarray, classifier: str) -> list[list[Measures]]:
        """Of each run, fold by fold."""
        if labelled.is_number:
            return [ridge_measures(seen, labelled.values, folds, seed + k) for k in range(runs)]
        return [
            fold_measures(seen, labelled.values, classifier=classifier, folds=folds, seed=seed + k)
            for k in range(runs)
        ]

    if final is None:
        return _without_epochs(run, store, asked, measures, labelled.is_number)
    kept = sorted({*run.snapshot_epochs(), final})
    wanted: set[tuple[int, str]] = set()
    for name in asked:
        rules = protocol_named(name)
        if rules.epochs is _trained and not run.snapshot_epochs():
            raise PartwholeError(
                f"{run.path} holds no snapshots; this protocol looks at every fifth epoch, so fit with "
                "`--snapshot-every 5`."
            )
        classifiers = (RIDGE,) if labelled.is_number else rules.classifiers
        wanted |= {(epoch, classifier) for epoch in rules.epochs(kept) for classifier in classifiers}
    found: Measured = {}
    epochs = sorted({epoch for epoch, _ in wanted})
    for done, epoch in enumerate(epochs):
        vectors = load_run(path, None if epoch == final else epoch).transform(store)
        for classifier in [c for c in (*CLASSIFIERS, RIDGE) if (epoch, c) in wanted]:
            found.setdefault(classifier, {})[epoch] = measures(vectors, classifier)
        progress(done + 1, len(epochs))
    return found


def _require_scorable(protocol: str, labelled: Labelled) -> None:
    protocol_named(protocol)
    if labelled.is_number and protocol not in (LABEL_FREE, UNTRAINED):
        raise PartwholeError(
            f"{labelled.target!r} is a number, and the protocol {protocol!r} is of classes; use "
            f"{LABEL_FREE!r} or {UNTRAINED!r}."
        )


def _without_epochs(
    run: RunFolder,
    store: GraphStore,
    protocols: list[str],
    measures: Callable[[np.ndarray, str], list[list[Measures]]],
    numbers: bool,
) -> Measured:
    """Of a method that is not trained epoch by epoch: a kernel, word vectors, counts."""
    for name in protocols:
        if name != LABEL_FREE:
            raise PartwholeError(
                f"The run in {run.path} has no epochs, which the protocol {name!r} looks at; use "
                f"{LABEL_FREE!r}."
            )
    estimator = load_run(run.path)
    if isinstance(estimator, GraphKernel) and not numbers:
        return {KERNEL: {0: measures(estimator.gram(store), KERNEL)}}
    classifier = RIDGE if numbers else RBF
    return {classifier: {0: measures(estimator.transform(store), classifier)}}


def score_run(path: str | Path, store: GraphStore, protocols: Iterable[str], **how: Any) -> Scores:
    """The accuracies of `measured_run`, by the first target of the graphs."""
    return _accuracies(measured_run(path, with_target(store), protocols, **how))


def _accuracies(measured: Measured) -> Scores:
    return {
        classifier: {
            epoch: np.array([[fold["accuracy"] for fold in run] for run in runs])
            for epoch, runs in by_epoch.items()
        }
        for classifier, by_epoch in measured.items()
    }


def evaluate(
    path: str | Path,
    store: GraphStore,
    protocol: str = LABEL_FREE,
    *,
    target: str | None = None,
    folds: int = 10,
    runs: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Score the run in folder `path` on the graphs that have the target, the first if none is named; `runs`
    repeats with other folds.

    Returns a plain dictionary: the protocol, the target, the mean and standard deviation of each measure over
    all test folds of all runs (of classes in percent), and the score of every fold.
    """
    labelled = with_target(store, target)
    found = measured_run(path, labelled, [protocol], folds=folds, runs=runs, seed=seed, progress=progress)
    if labelled.is_number:
        ((epoch, by_run),) = found[RIDGE].items()
        chosen = Choice(epoch, RIDGE, np.array([[fold["rmse"] for fold in run] for run in by_run]), 1)
        how = (
            f"{'weights before the first step' if protocol == UNTRAINED else 'last epoch'}; ridge regression"
        )
    else:
        best = choose(protocol, _accuracies(found))
        assert best is not None  # the scores are those that the protocol asks for
        chosen, how = best, best.how(protocol)
    all_folds = [fold for run in found[chosen.classifier][chosen.epoch] for fold in run]
    measures = means_of(all_folds)
    return {
        "protocol": protocol,
        "chosen": how,
        "data": store.name,
        "target": labelled.target,
        "graphs": len(labelled.store),
        "unlabelled": labelled.unlabelled,
        **({} if labelled.is_number else {"accuracy": measures["accuracy"]}),
        "measures": measures,
        "std_over": "test folds",
        "folds": folds,
        "runs": runs,
        "seed": seed,
        "epoch": chosen.epoch,
        "classifier": chosen.classifier,
        "scores": chosen.scores.tolist(),
        "evaluated": chosen.among,
    }


def means_of(folds: list[Measures]) -> dict[str, dict[str, float]]:
    """Mean and standard deviation of each measure over the folds that have it."""
    found = {}
    for name in ALL_MEASURES:
        values = [fold[name] for fold in folds if name in fold]
        if values:
            found[name] = {"mean": float(np.mean(values)), "std": float(np.std(values))}
    return found
