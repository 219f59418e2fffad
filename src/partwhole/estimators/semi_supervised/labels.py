"""Targets as people give them: numbers or classes, some missing, one or several for each graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.values import plain


def is_single(y: Any) -> bool:
    """One value for each graph, not a row of them."""
    return not any(isinstance(row, list) for row in _rows(y))


def _rows(y: Any) -> list[Any]:
    """A value or a list of values for each graph."""
    given = y.to_numpy() if hasattr(y, "to_numpy") else y
    return [list(r) if isinstance(r, list | tuple | np.ndarray) and np.ndim(r) else r for r in given]


def as_columns(y: Any, graphs: int) -> np.ndarray:
    """[G, T] objects, None where missing."""
    rows = [row if isinstance(row, list) else [row] for row in _rows(y)]
    if len(rows) != graphs or len({len(row) for row in rows}) != 1:
        widths = " and ".join(str(width) for width in sorted({len(row) for row in rows}))
        raise PartwholeError(
            f"There are {graphs} graphs but {len(rows)} rows of {widths or 'no'} targets; give one value (or "
            "one row of values) for each graph, NaN or None where it is not known."
        )
    columns = np.empty((graphs, len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        columns[i] = [plain(value) for value in row]
    return columns


def missing(columns: np.ndarray) -> np.ndarray:
    """[G, T] bool"""
    return np.array([[value is None for value in row] for row in columns], dtype=bool).reshape(columns.shape)


def names_of(y: Any, columns: np.ndarray, given: str | Sequence[str] | None) -> list[str]:
    """What the targets are called: as given, as in a table of pandas, or by their numbers."""
    names: Any = [given] if isinstance(given, str) else given
    if names is None:
        names = getattr(y, "columns", None)
    if names is None:
        name = getattr(y, "name", None)
        names = [name] if name is not None else [f"target {t}" for t in range(columns.shape[1])]
    names = [str(name) for name in names]
    if len(names) != columns.shape[1]:
        raise PartwholeError(
            f"There are {columns.shape[1]} targets but {len(names)} names; give one for each."
        )
    return names


def require_known(columns: np.ndarray, names: Sequence[str], where: str) -> None:
    """Raise where no graph has a target; `where` says among which graphs."""
    for name, absent in zip(names, np.atleast_1d(missing(columns).all(axis=0))):
        if absent:
            raise PartwholeError(
                f"The target {name!r} is missing for every graph{where}; leave it out, or give some labels."
            )


def split(
    columns: np.ndarray, held_out: Any, share: float, seed: int, *, classes: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The labelled graphs to learn from, and those that choose the epoch: listed, or a share drawn."""
    labelled = np.flatnonzero(~missing(columns).all(axis=1))
    if held_out is not None:
        held = _places(held_out, len(columns))
        if len(held) and not np.isin(held, labelled).any():
            raise PartwholeError("No graph that is held out has a label; hold out labelled ones.")
    else:
        held = _drawn(columns, labelled, share, seed, classes)
    train = np.setdiff1d(labelled, held)
    if len(train) < 2:
        raise PartwholeError(
            f"{len(train)} labelled graphs are left to learn from, too few; label more, or hold out fewer."
        )
    return train, held


def _drawn(columns: np.ndarray, labelled: np.ndarray, share: float, seed: int, classes: bool) -> np.ndarray:
    """A share of the labelled graphs, of which none is the last with its label (or with its target)."""
    wanted = max(1, round(share * len(labelled))) if share > 0 else 0
    left: dict[tuple[int, Any], int] = {}  # label -> graphs to learn from that have it

    def labels(graph: int) -> list[tuple[int, Any]]:
        return [(t, v if classes else None) for t, v in enumerate(columns[graph]) if v is not None]

    for graph in labelled:
        for label in labels(graph):
            left[label] = left.get(label, 0) + 1
    held: list[int] = []
    for graph in np.random.default_rng(seed).permutation(labelled):
        if len(held) == wanted:
            break
        if all(left[label] > 1 for label in labels(graph)):
            held.append(graph)
            for label in labels(graph):
                left[label] -= 1
    return np.sort(np.array(held, dtype=np.int64))


def _places(held_out: Any, graphs: int) -> np.ndarray:
    given = np.asarray(held_out)
    if given.dtype == bool and given.shape == (graphs,):
        return np.flatnonzero(given)
    whole = given.size == 0 or given.dtype.kind in "iu"
    if given.ndim != 1 or not whole or (given.size and not 0 <= given.min() <= given.max() < graphs):
        raise PartwholeError(
            f"held_out must list places of the {graphs} graphs, counted from 0, or have True for each that "
            "is held out; correct it."
        )
    return np.unique(given).astype(np.int64)


def as_numbers(columns: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """[G, T] float64, NaN where missing."""
    numbers = np.full(columns.shape, np.nan)
    for (row, t), value in np.ndenumerate(columns):
        if value is None:
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
            if value is None:
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
    for t, name in enumerate(names):
        known = {value for value in columns[:, t] if value is not None}
        for value in known:
            if not isinstance(value, bool | int | float | str):
                raise PartwholeError(
                    f"A label of the target {name!r} is a {type(value).__name__}; give numbers or text."
                )
            if isinstance(value, float) and not value.is_integer():
                raise PartwholeError(
                    f"The target {name!r} has the value {value:g}, a number and no class; learn it with the "
                    "regressor."
                )
        if len(known) < 2:
            raise PartwholeError(
                f"The target {name!r} has {len(known)} class; a classifier needs at least two different "
                "labels."
            )
        classes.append(as_labels(sorted(known, key=lambda v: (isinstance(v, str), v))))
    return classes


def as_labels(known: Sequence[Any]) -> np.ndarray:
    """[classes]; numbers beside text stay numbers."""
    mixed = len({isinstance(value, str) for value in known}) > 1
    return np.array(known, dtype=object if mixed else None)
