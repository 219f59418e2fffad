"""Attributes of nodes and edges, as people have them, to the columns of a schema.

Text and truth values become categories, numbers become numbers, which are standardised by the graphs of
the fit. A value that is missing counts as none of the categories, or as the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.schema import NO_CATEGORY, Column
from partwhole.sources.reading import Reading

MOST_CATEGORIES = 100  # text with more values than this names things

Values = Sequence[Any]  # of one attribute, row by row; None where it is missing
Encoded = tuple[tuple[Column, ...], np.ndarray | None, np.ndarray | None]  # columns, codes, numbers


def by_name(rows: Sequence[Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """The attributes of nodes or edges, each with its values row by row."""
    names = sorted({name for row in rows for name in row}, key=str)
    return {str(name): [row.get(name) for row in rows] for name in names}


def encode(attributes: Mapping[str, Values], part: str, reading: Reading) -> Encoded:
    """The attributes of all nodes (or edges) of all graphs."""
    columns, codes, numbers = [], [], []
    for name, values in attributes.items():
        column = _column(name, values, part, reading)
        if column is None:
            continue
        columns.append(column)
        if column.is_categorical:
            code = {value: k for k, value in enumerate(column.values)}
            codes.append([NO_CATEGORY if value is None else code[str(value)] for value in values])
        else:
            gap = [np.nan] * column.width
            numbers.append(_matrix([gap if value is None else value for value in values]))
        if missing := sum(value is None for value in values):
            meaning = "none of its categories" if column.is_categorical else "its mean"
            reading.note(f"{missing} of {len(values)} {part}s have no {name!r}, which counts as {meaning}.")
    return (
        tuple(columns),
        np.array(codes, dtype=np.int16).T if codes else None,
        np.concatenate(numbers, axis=1) if numbers else None,
    )


def _column(name: str, values: Values, part: str, reading: Reading) -> Column | None:
    """What an attribute is; None where nothing can be learned from it."""
    known = [value for value in values if value is not None]
    if not known:
        reading.note(f"No {part} has a value of {name!r}; it is not used.")
        return None
    if all(isinstance(value, bool | np.bool_ | str) for value in known):
        categories = sorted({str(value) for value in known})
        if len(categories) <= MOST_CATEGORIES:
            return Column.categorical(name, categories)
        reading.note(
            f"The {part} attribute {name!r} has {len(categories)} different texts, too many for categories; "
            "it is not used."
        )
        return None
    if not all(_is_number(value) for value in known):
        raise PartwholeError(
            f"The {part} attribute {name!r} is neither a number nor text everywhere; convert or remove it."
        )
    widths = {np.size(value) for value in known}
    if len(widths) > 1:
        raise PartwholeError(
            f"The {part} attribute {name!r} is {min(widths)} wide in one place and {max(widths)} in another; "
            "make it the same everywhere."
        )
    return Column.numeric(name, widths.pop()).standardised(_matrix(known))


def _is_number(value: Any) -> bool:
    return np.ndim(value) <= 1 and np.issubdtype(np.asarray(value).dtype, np.number) and np.size(value) > 0


def _matrix(values: Sequence[Any]) -> np.ndarray:
    """[rows, width], in the precision of a store"""
    with np.errstate(over="ignore"):  # what is too large becomes infinite and is refused there
        return np.array([np.ravel(value) for value in values], dtype=np.float64).astype(np.float32)
