"""Columns of a table, or attributes of graphs, as targets: numbers, or classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwhole.graphs.schema import Column
from partwhole.graphs.store import GraphStore
from partwhole.sources.reading import Reading

MOST_CLASSES = 20  # integers with more values than this are numbers


def with_targets(
    store: GraphStore,
    columns: Mapping[str, Sequence[Any]],
    reading: Reading,
    classes: tuple[str, ...] = (),
) -> GraphStore:
    """The store with these columns, row by row of its graphs, as its targets; whole numbers are classes in
    the columns `classes` however many there are."""
    targets = [
        target_column(name, values) if name in classes else as_target(name, values, reading)
        for name, values in columns.items()
    ]
    found = [target for target in targets if target is not None]
    return replace(
        store,
        schema=replace(store.schema, targets=tuple(column for column, _ in found)),
        targets=np.concatenate([np.zeros((len(store), 0)), *(numbers for _, numbers in found)], axis=1),
    )


def rows_of_table(
    columns: Mapping[str, Sequence[Any]], rows: Sequence[int | None], table: str, reading: Reading
) -> dict[str, list[Any]]:
    """The columns of a table beside the graphs, row by row of the graphs; None for one that is not in it."""
    if bare := sum(row is None for row in rows):
        reading.note(f"{bare} of {len(rows)} graphs are not in {table}; their targets are missing.")
    return {name: [None if row is None else cells[row] for row in rows] for name, cells in columns.items()}


def as_target(name: str, values: Sequence[Any], reading: Reading) -> tuple[Column, np.ndarray] | None:
    """Numbers, or classes where few values occur again and again; None for text that names rows."""
    known = [value for value in values if value is not None]
    if not known:
        return Column.numeric(name), np.full((len(values), 1), np.nan)
    if not all(is_scalar(value) for value in known):  # dates, lists, …
        return as_target(name, [None if value is None else str(value) for value in values], reading)
    different = len(set(known))
    few = different <= min(MOST_CLASSES, len(known) / 2)
    if any(isinstance(value, str) for value in known):
        numbers = sum(map(is_number, known)) > len(known) / 2
        if few or numbers or different <= MOST_CLASSES:
            return target_column(name, values)
        reading.note(f"{name!r} is text that differs from row to row, and read as no target.")
        return None
    whole = all(float(value).is_integer() for value in known)  # 1.0 and a gap, as pandas writes them
    number = int if whole and few else float
    return target_column(name, [None if value is None else number(value) for value in values])


def is_number(value: Any) -> bool:
    """Whether Python reads it as a number, as it does "1.5"."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def target_column(name: str, values: Sequence[Any]) -> tuple[Column, np.ndarray]:
    """The column of targets [G] and its numbers [G, 1]: integers, booleans and strings are classes, floats
    are numbers, and `None` is a missing value."""
    missing = np.array(
        [v is None or (isinstance(v, float | np.floating) and v != v) for v in values], dtype=bool
    )
    known = [v.item() if isinstance(v, np.generic) else v for v, m in zip(values, missing) if not m]
    coded = np.full((len(values), 1), np.nan)
    if not all(is_scalar(v) for v in known) or any(isinstance(v, str) for v in known):
        known = [str(v) for v in known]  # lists, and numbers among texts such as >100
    if any(isinstance(v, float) for v in known):
        coded[~missing, 0] = known
        return Column.numeric(name), coded
    known = [int(v) if isinstance(v, bool) else v for v in known]
    classes = sorted(set(known))
    code = {value: i for i, value in enumerate(classes)}
    coded[~missing, 0] = [code[v] for v in known]
    return Column.categorical(name, classes), coded


def is_scalar(value: object) -> bool:
    """Whether it is a number that a target can hold, or text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**63
    return isinstance(value, bool | float | str)
