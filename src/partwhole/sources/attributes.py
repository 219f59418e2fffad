"""Attributes of nodes and edges, as people have them, to the columns of a schema.

Text and truth values become categories, numbers become numbers, which are standardised by the graphs of
the fit. A value that is missing counts as none of the categories, or as the mean. For a fitted model an
attribute is what it was in the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.schema import NO_CATEGORY, Column
from partwhole.sources.reading import Reading

MOST_CATEGORIES = 100  # text with more values than this names things

Values = Sequence[Any]  # of one attribute, row by row; None where it is missing
Encoding = tuple[tuple[Column, ...], np.ndarray | None, np.ndarray | None]  # columns, codes, numbers


def by_name(rows: Sequence[Mapping[Any, Any]], kind: str, reading: Reading) -> dict[str, list[Any]]:
    """The attributes of nodes or edges, each with its values row by row; those that the model never saw
    are not looked at further."""
    names = sorted({name for row in rows for name in row}, key=str)
    if reading.schema is not None:
        unused = [str(name) for name in names if reading.column(kind, str(name)) is None]
        names = [name for name in names if reading.column(kind, str(name)) is not None]
        note_unused(unused, kind, reading)
    return {str(name): [row.get(name) for row in rows] for name in names}


def note_unused(names: Iterable[str], kind: str, reading: Reading) -> None:
    """Note the attributes that the model never saw, the first five by name."""
    if told := ", ".join(list(names)[:5]):
        reading.note(f"The model never saw the {kind} attribute {told}; it is not used.")


def encode(attributes: Mapping[str, Values], kind: str, reading: Reading) -> Encoding:
    """The attributes of all nodes (or edges) of all graphs as columns, codes [rows, …], numbers [rows, …]."""
    columns, codes, numbers = [], [], []
    for name, values in attributes.items():
        learned = reading.column(kind, name)
        column = _column(name, values, kind, reading) if learned is None else _as_learned(learned, values)
        if column is None:
            continue
        columns.append(column)
        if column.is_categorical:
            code = {category(value): k for k, value in enumerate(column.values)}
            codes.append([NO_CATEGORY if value is None else code[category(value)] for value in values])
        else:
            gap = [np.nan] * column.width
            numbers.append(_matrix([gap if value is None else value for value in values]))
        if missing := sum(value is None for value in values):
            meaning = "none of its categories" if (learned or column).is_categorical else "its mean"
            reading.note(f"{missing} of {len(values)} {kind}s have no {name!r}, which counts as {meaning}.")
    return (
        tuple(columns),
        np.array(codes, dtype=np.int16).T if codes else None,
        np.concatenate(numbers, axis=1) if numbers else None,
    )


def category(value: object) -> str:
    """What a category is called, whatever it was in the file: 1 and "1", True and "true" are the same."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    text = str(value)
    return text.lower() if text in ("True", "False") else text


def _as_learned(learned: Column, values: Values) -> Column:
    """The column of the model; of categories also those it never saw, of numbers as wide as these are. Rows
    that may be one-hot, where the model has so many categories, are numbers still."""
    found = [value for value in values if value is not None]
    numeric = all(_is_number(value) for value in found) and len({np.size(value) for value in found}) < 2
    width = np.size(found[0]) if numeric and found else learned.width
    may_be_one_hot = bool(found) and numeric and 1 < width == learned.width
    if learned.is_categorical and not may_be_one_hot:
        known, seen = ({category(value) for value in given} for given in (learned.values, found))
        return Column.categorical(learned.name, [*learned.values, *sorted(seen - known)])
    if not numeric:
        return Column.categorical(learned.name, sorted({category(value) for value in found}))
    missing = (0.0,) * width  # which a number may be, until the model says what that means
    return replace(Column.numeric(learned.name, width), center=missing, scale=(1.0,) * width)


def _column(name: str, values: Values, kind: str, reading: Reading) -> Column | None:
    """What an attribute is; None where nothing can be learned from it."""
    known = [value for value in values if value is not None]
    if not known:
        reading.note(f"No {kind} has a value of {name!r}; it is not used.")
        return None
    if name in reading.categorical or all(isinstance(value, bool | np.bool_ | str) for value in known):
        categories = sorted({category(value) for value in known})
        if len(categories) <= MOST_CATEGORIES:
            return Column.categorical(name, categories)
        reading.note(
            f"The {kind} attribute {name!r} has {len(categories)} different texts, too many for categories; "
            "it is not used."
        )
        return None
    if not all(_is_number(value) for value in known):
        raise PartwholeError(
            f"The {kind} attribute {name!r} is neither a number nor text everywhere; convert or remove it."
        )
    widths = {np.size(value) for value in known}
    if len(widths) > 1:
        raise PartwholeError(
            f"The {kind} attribute {name!r} is {min(widths)} wide in one place and {max(widths)} in another; "
            "make it the same everywhere."
        )
    return Column.numeric(name, widths.pop()).standardised(_matrix(known))


def _is_number(value: object) -> bool:
    if isinstance(value, bool | str | dict) or value is None:
        return False
    try:
        array = np.asarray(value, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):  # ragged, nested too deep, too large
        return False
    return array.ndim <= 1 and array.size > 0


def _matrix(values: Sequence[Any]) -> np.ndarray:
    """[rows, width], in the precision of a store"""
    with np.errstate(over="ignore"):  # what is too large becomes infinite and is refused there
        return np.array([np.ravel(value) for value in values], dtype=np.float64).astype(np.float32)
