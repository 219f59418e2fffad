"""Graphs that occur several times with labels that differ: told, averaged, or refused."""

from __future__ import annotations

import warnings

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.estimators.property.options import AVERAGED, REFUSED
from partwhole.estimators.semi_supervised.targets import ClassTargets, Targets
from partwhole.graphs.store import GraphStore
from partwhole.sources.same_graphs import numbers_of_the_same

SHOWN = 3  # graphs that a sentence names


def settled(values: np.ndarray, store: GraphStore, targets: Targets, rule: str) -> np.ndarray:
    """Labels [n, T] of graphs, NaN where there is none. The same graph has the same labels where they are
    averaged: the mean of numbers, or the most frequent class and none where there is no such."""
    same = numbers_of_the_same(store)
    if len(np.unique(same)) == len(same):
        return values
    classes, found = isinstance(targets, ClassTargets), values.copy()
    for t, name in enumerate(targets.names):
        differ = [rows for rows in _several(same, ~np.isnan(values[:, t])) if np.ptp(values[rows, t]) > 0]
        if not differ:
            continue
        if rule == REFUSED:
            raise PartwholeError(
                f"{_sentence(store, differ, name)}; correct them, or take duplicates=averaged."
            )
        if rule == AVERAGED:
            for rows in differ:
                found[rows, t] = _majority(values[rows, t]) if classes else values[rows, t].mean()
        learned = "so they get one, their mean" if rule == AVERAGED else "all of which are learned from"
        learned = learned.replace("mean", "most frequent class") if classes else learned
        choices = "" if rule == AVERAGED else ", unless duplicates is averaged or refused"
        warnings.warn(f"{_sentence(store, differ, name)}, {learned}{choices}.", stacklevel=2)
    return found


def _several(same: np.ndarray, known: np.ndarray) -> list[np.ndarray]:
    """The rows of each graph that has a label more than once."""
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(same[rows], kind="stable")]
    groups = np.split(rows, np.flatnonzero(np.diff(same[rows])) + 1)
    return [group for group in groups if len(group) > 1]


def _majority(codes: np.ndarray) -> float:
    classes, counts = np.unique(codes, return_counts=True)
    most = classes[counts == counts.max()]
    return float(most[0]) if len(most) == 1 else np.nan


def _sentence(store: GraphStore, differ: list[np.ndarray], target: str) -> str:
    ids = store.ids.tolist()
    named = "; ".join(f"{ids[rows[0]]}, {len(rows)} times" for rows in differ[:SHOWN])
    more = f"; and {len(differ) - SHOWN} more" if len(differ) > SHOWN else ""
    count = "1 graph occurs" if len(differ) == 1 else f"{len(differ)} graphs occur"
    return f"{count} several times with different labels of {target} ({named}{more})"
