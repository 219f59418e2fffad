"""How well a target is told from the vectors of a run: every score that the protocols look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.estimators.graph_kernels.base import GraphKernel
from partwhole.estimators.loading import load_run
from partwhole.estimators.semi_supervised.measures import Measures
from partwhole.evaluation.chosen_target import LabelledGraphs, with_target
from partwhole.evaluation.classifiers import CLASSIFIERS, KERNEL, RBF, fold_measures
from partwhole.evaluation.numbers import RIDGE, ridge_measures
from partwhole.evaluation.protocols import (
    LABEL_FREE,
    UNTRAINED,
    Choice,
    Scores,
    choose,
    protocol_named,
    trained_epochs,
)
from partwhole.evaluation.results import EvaluationResult, spreads
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder

RunMeasures = dict[str, dict[int, list[list[Measures]]]]  # classifier -> epoch -> run -> fold
Measure = Callable[
    [np.ndarray, str], list[list[Measures]]
]  # vectors or similarities, classifier -> run -> fold
Progress = Callable[[int, int], None]  # told (done, total)


def evaluate(
    path: str | Path,
    store: GraphStore,
    protocol: str = LABEL_FREE,
    *,
    target: str | None = None,
    folds: int = 10,
    runs: int = 1,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
) -> EvaluationResult:
    """Score the run in folder `path` on the graphs that have the target, the first if none is named; `runs`
    repeats with other folds.

    Returns a plain dictionary: the protocol, the target, the mean and standard deviation of each measure over
    all test folds of all runs (of classes in percent), and the score of every fold.
    """
    labelled = with_target(store, target)
    found = measured_run(path, labelled, [protocol], folds=folds, runs=runs, seed=seed, progress=progress)
    chosen, how = _chosen(protocol, found, labelled.is_number)
    measures = spreads([fold for run in found[chosen.classifier][chosen.epoch] for fold in run])
    result: EvaluationResult = {
        "protocol": protocol,
        "chosen": how,
        "data": store.name,
        "target": labelled.target,
        "graphs": len(labelled.store),
        "unlabelled": labelled.unlabelled,
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
    if not labelled.is_number:
        result["accuracy"] = measures["accuracy"]
    return result


def _chosen(protocol: str, found: RunMeasures, is_number: bool) -> tuple[Choice, str]:
    """What the protocol makes of the measures, and in words how."""
    if is_number:
        ((epoch, by_run),) = found[RIDGE].items()
        errors = np.array([[fold["rmse"] for fold in run] for run in by_run])
        when = "weights before the first step" if protocol == UNTRAINED else "last epoch"
        return Choice(epoch, RIDGE, errors, 1), f"{when}; ridge regression"
    best = choose(protocol, _accuracies(found))
    assert best is not None  # the scores are those that the protocol asks for
    return best, best.how(protocol)


def score_run(
    path: str | Path, store: GraphStore, protocols: Iterable[str], *, folds: int = 10, seed: int = 0
) -> Scores:
    """Give the accuracies that these protocols look at, by the first target of the graphs."""
    return _accuracies(measured_run(path, with_target(store), protocols, folds=folds, seed=seed))


def _accuracies(measured: RunMeasures) -> Scores:
    return {
        classifier: {
            epoch: np.array([[fold["accuracy"] for fold in run] for run in runs])
            for epoch, runs in by_epoch.items()
        }
        for classifier, by_epoch in measured.items()
    }


def measured_run(
    path: str | Path,
    labelled: LabelledGraphs,
    protocols: Iterable[str],
    *,
    folds: int = 10,
    runs: int = 1,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
) -> RunMeasures:
    """Measure all that these protocols look at in the run in folder `path`, in `runs` repeats with other
    folds."""
    if folds < 2 or runs < 1:
        raise PartwholeError("Evaluation needs at least 2 folds and 1 run.")
    run, asked = RunFolder(path), list(protocols)
    for name in asked:
        _require_scorable(name, labelled)
    config = run.read_config()
    if "task" in config:
        raise PartwholeError(
            f"The run in {run.path} learned from labels, so that no fold is unseen to its vectors; use "
            "`partwhole evaluate`, which fits anew without each fold, or `partwhole predict` on new graphs."
        )
    measure = partial(_measured, labelled, folds, range(seed, seed + runs))
    final = config["options"].get("epochs")
    if final is None:
        return _without_epochs(run, labelled, asked, measure)
    wanted = _wanted(run, final, asked, labelled.is_number)
    found: RunMeasures = {}
    epochs = sorted({epoch for epoch, _ in wanted})
    for done, epoch in enumerate(epochs):
        vectors = load_run(path, None if epoch == final else epoch).transform(labelled.store)
        for classifier in [c for c in (*CLASSIFIERS, RIDGE) if (epoch, c) in wanted]:
            found.setdefault(classifier, {})[epoch] = measure(vectors, classifier)
        progress(done + 1, len(epochs))
    return found


def _require_scorable(protocol: str, labelled: LabelledGraphs) -> None:
    protocol_named(protocol)
    if labelled.is_number and protocol not in (LABEL_FREE, UNTRAINED):
        raise PartwholeError(
            f"{labelled.target!r} is a number, and the protocol {protocol!r} is of classes; use "
            f"{LABEL_FREE!r} or {UNTRAINED!r}."
        )


def _measured(
    labelled: LabelledGraphs, folds: int, seeds: range, seen: np.ndarray, classifier: str
) -> list[list[Measures]]:
    """The measures of each seed, fold by fold; `seen` are vectors, or similarities for a kernel."""
    if labelled.is_number:
        return [ridge_measures(seen, labelled.values, folds, seed) for seed in seeds]
    return [
        fold_measures(seen, labelled.values, classifier=classifier, folds=folds, seed=seed) for seed in seeds
    ]


def _wanted(run: RunFolder, final: int, protocols: list[str], is_number: bool) -> set[tuple[int, str]]:
    """Each (epoch, classifier) that the protocols look at."""
    snapshots = run.snapshot_epochs()
    kept = sorted({*snapshots, final})
    wanted: set[tuple[int, str]] = set()
    for name in protocols:
        rules = protocol_named(name)
        if rules.epochs is trained_epochs and not snapshots:
            raise PartwholeError(
                f"{run.path} holds no snapshots; this protocol looks at every fifth epoch, so fit with "
                "`--snapshot-every 5`."
            )
        classifiers = (RIDGE,) if is_number else rules.classifiers
        wanted |= {(epoch, classifier) for epoch in rules.epochs(kept) for classifier in classifiers}
    return wanted


def _without_epochs(
    run: RunFolder, labelled: LabelledGraphs, protocols: list[str], measure: Measure
) -> RunMeasures:
    """A method that is not trained epoch by epoch: a kernel, word vectors, counts."""
    for name in protocols:
        if name != LABEL_FREE:
            raise PartwholeError(
                f"The run in {run.path} has no epochs, which the protocol {name!r} looks at; use "
                f"{LABEL_FREE!r}."
            )
    estimator = load_run(run.path)
    if isinstance(estimator, GraphKernel) and not labelled.is_number:
        return {KERNEL: {0: measure(estimator.gram(labelled.store), KERNEL)}}
    classifier = RIDGE if labelled.is_number else RBF
    return {classifier: {0: measure(estimator.transform(labelled.store), classifier)}}
