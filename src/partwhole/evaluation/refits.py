"""How good a method that learns from labels is: fitted anew without each fold, and asked for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from partwhole.errors import PartwholeError
from partwhole.estimators.labelled import AnyLabelled, predicts_classes
from partwhole.estimators.semi_supervised.labels import as_codes, as_columns, as_numbers, missing
from partwhole.estimators.semi_supervised.measures import Measures, class_measures, number_measures
from partwhole.evaluation.results import EvaluationResult, spreads
from partwhole.graphs.store import GraphStore


def refitted(
    estimator: AnyLabelled,
    store: GraphStore,
    *,
    folds: int = 5,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, list[Measures]]:
    """Give for each target the measures of each test fold.

    A fit sees nothing of its test fold, not even its graphs without their labels.
    """
    names = estimator.target_names_
    columns = as_columns(np.stack([store.target(n).astype(object) for n in names], axis=1), len(store))
    labelled = np.flatnonzero(~missing(columns).all(axis=1))
    if folds < 2 or len(labelled) < 2 * folds:
        raise PartwholeError(
            f"{len(labelled)} labelled graphs are too few for {folds} folds; use `--folds` with a smaller "
            "number (at least 2), or label more."
        )
    found: dict[str, list[Measures]] = {name: [] for name in names}
    splits = list(_splits(estimator, columns[labelled], folds, seed))
    for done, test in enumerate(splits):
        held = labelled[test]
        rest = np.setdiff1d(np.arange(len(store)), held)
        fresh = clone(estimator)
        y = columns[rest][:, 0] if estimator.single_ else columns[rest]
        fresh.fit(store.take(rest), y, names=list(names))
        for name, measures in _measured(fresh, store.take(held), columns[held]).items():
            found[name].append(measures)
        progress(done + 1, len(splits))
    return found


def refit_result(
    estimator: AnyLabelled,
    store: GraphStore,
    target: str,
    by_run: list[list[Measures]],
    *,
    folds: int,
    seed: int,
) -> EvaluationResult:
    """Put together what `refitted` found for a target in each of several runs, the first with this seed."""
    return {
        "protocol": "fitted anew",
        "data": store.name,
        "folds": folds,
        "runs": len(by_run),
        "seed": seed,
        "target": target,
        "method": estimator.method,
        "measures": spreads([fold for run in by_run for fold in run]),
        "std_over": "test folds",
        "chosen": "everything inside the training part; test graphs unseen",
    }


def _splits(estimator: AnyLabelled, columns: np.ndarray, folds: int, seed: int) -> Iterator[np.ndarray]:
    """The test rows of each fold; classes of a single target are spread evenly."""
    if predicts_classes(estimator) and columns.shape[1] == 1:
        labels = np.array([str(value) for value in columns[:, 0]])
        if np.unique(labels, return_counts=True)[1].min() >= folds:
            stratified = StratifiedKFold(folds, shuffle=True, random_state=seed)
            return (test for _, test in stratified.split(columns, labels))
    return (test for _, test in KFold(folds, shuffle=True, random_state=seed).split(columns))


def _measured(estimator: AnyLabelled, store: GraphStore, columns: np.ndarray) -> dict[str, Measures]:
    names, found = estimator.target_names_, {}
    if predicts_classes(estimator):
        known, shares = estimator.labels(), estimator.probabilities(store)
        for t, name in enumerate(names):
            seen = [value is not None and value in known[t].tolist() for value in columns[:, t]]
            if any(seen):
                codes = as_codes(columns[seen][:, [t]], [known[t]], [name])[:, 0].astype(int)
                share = shares[t][seen]
                found[name] = class_measures(codes, share.argmax(axis=1), share)
        return found
    predicted = np.asarray(estimator.predict(store)).reshape(len(store), -1)
    wanted = as_numbers(columns, names)
    for t, name in enumerate(names):
        given = ~np.isnan(wanted[:, t])
        if given.any():
            found[name] = number_measures(wanted[given, t], predicted[given, t])
    return found
