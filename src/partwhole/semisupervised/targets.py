"""Targets as people give them: numbers or classes, some missing, one or several for each graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError


def is_missing(value: Any) -> bool:
    return value is None or bool(value != value)


def missing(columns: np.ndarray) -> np.ndarray:
    """[G, T] bool"""
    return np.vectorize(is_missing, otypes=[bool])(columns)


def as_columns(y: Any, graphs: int) -> np.ndarray:
    """[G, T] objects."""
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    columns = np.array(y, dtype=object)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or len(columns) != graphs:
        raise PartwholeError(
            f"There are {graphs} graphs but targets of shape {np.shape(y)}; give one value (or one row of "
            "values) for each graph, NaN or None where it is not known."
        )
    return columns


def names_of(y: Any, columns: np.ndarray, given: Sequence[str] | None) -> list[str]:
    """What the targets are called: as given, as in a table of pandas, or by their numbers."""
    names = given or getattr(y, "columns", None)
    if names is None:
        name = getattr(y, "name", None)
        names = [name] if name is not None else [f"target {t}" for t in range(columns.shape[1])]
    names = [str(name) for name in names]
    if len(names) != columns.shape[1]:
        raise PartwholeError(
            f"There are {columns.shape[1]} targets but {len(names)} names; give one for each."
        )
    return names


def require_known(columns: np.ndarray, names: Sequence[str]) -> None:
    for name, absent in zip(names, np.atleast_1d(missing(columns).all(axis=0))):
        if absent:
            raise PartwholeError(
                f"The target {name!r} is missing for every graph; leave it out, or give some labels."
            )


def parts(columns: np.ndarray, held_out: Any, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The labelled graphs to learn from, and those that choose the epoch: listed, or a share drawn."""
    labelled = np.flatnonzero(~missing(columns).all(axis=1))
    if held_out is None:
        order = np.random.default_rng(seed).permutation(labelled)
        held = np.sort(order[: round(share * len(labelled))])
    else:
        held = np.unique(np.asarray(held_out, dtype=np.int64))
        if len(held) and not 0 <= held[0] <= held[-1] < len(columns):
            raise PartwholeError(
                f"held_out must list places of the {len(columns)} graphs; count them from 0."
            )
        if len(held) and not np.isin(held, labelled).any():
            raise PartwholeError("No graph that is held out has a label; hold out labelled ones.")
    train = np.setdiff1d(labelled, held)
    if len(train) < 2:
        raise PartwholeError(
            f"{len(train)} labelled graphs are left to learn from, too few; label more, or hold out fewer."
        )
    return train, held


def as_numbers(columns: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """[G, T] float64, NaN where missing."""
    numbers = np.full(columns.shape, np.nan)
    for (row, t), value in np.ndenumerate(columns):
        if is_missing(value):
            continue
        try:
            numbers[row, t] = float(value)
        except (TypeError, ValueError):
            raise PartwholeError(
                f"The target {names[t]!r} of graph {row} is {value!r}, not a number; correct it, leave it "
                "empty, or learn classes with the classifier."
            ) from None
        if not np.isfinite(numbers[row, t]):
            raise PartwholeError(
                f"The target {names[t]!r} of graph {row} is infinite; correct it or leave it empty."
            )
    return numbers


def as_codes(columns: np.ndarray, classes: list[np.ndarray], names: Sequence[str]) -> np.ndarray:
    """[G, T] float64: the place of each label among the classes of its target, NaN where missing."""
    codes = np.full(columns.shape, np.nan)
    for t, known in enumerate(classes):
        place = {value: i for i, value in enumerate(known.tolist())}
        for row, value in enumerate(columns[:, t]):
            value = value.item() if isinstance(value, np.generic) else value
            if is_missing(value):
                continue
            if value not in place:
                raise PartwholeError(
                    f"The label {value!r} of graph {row} ({names[t]}) was not seen in training, where there "
                    f"were {', '.join(map(repr, known.tolist()))}; leave such graphs out."
                )
            codes[row, t] = place[value]
    return codes


def classes_of(columns: np.ndarray, names: Sequence[str]) -> list[np.ndarray]:
    """The labels of each target, sorted."""
    classes = []
    for t in range(columns.shape[1]):
        known = {v.item() if isinstance(v, np.generic) else v for v in columns[:, t] if not is_missing(v)}
        if len(known) < 2:
            raise PartwholeError(
                f"The target {names[t]!r} has {len(known)} class; a classifier needs at least two different "
                "labels."
            )
        classes.append(np.array(sorted(known, key=lambda v: (isinstance(v, str), v))))
    return classes
