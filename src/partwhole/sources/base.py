"""What a source is, and the pieces several of them use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from partwhole.schema import Column, Schema
from partwhole.store import GraphStore


class Source:
    """One kind of input: a path or objects in memory."""

    about: str  # completes "… is none of: "

    @staticmethod
    def accepts(data: Any) -> bool:
        """Whether this source reads such data; cheap, and False rather than an error."""
        raise TypeError("a source defines accepts")

    @staticmethod
    def read(data: Any, schema: Schema | None) -> GraphStore:
        """Read it. `schema` is that of a fitted model, where the graphs are to be embedded."""
        raise TypeError("a source defines read")


def all_of(data: Any, test: Callable[[Any], bool]) -> bool:
    """True for a non-empty list or tuple (or object array) whose first item passes the test.

    Only the first is looked at: a mixed list gets a clear error from the reader instead.
    """
    if isinstance(data, str | bytes) or not isinstance(data, Sequence | np.ndarray) or len(data) == 0:
        return False
    return test(data[0])


def target_column(name: str, values: Sequence[Any]) -> tuple[Column, np.ndarray]:
    """Graph targets [G]: integers, booleans and strings are classes, floats are numbers.

    Returns the column and its numbers [G, 1]; `None` is a missing value.
    """
    missing = np.array([v is None or v != v for v in values], dtype=bool)
    known = [v.item() if isinstance(v, np.generic) else v for v, m in zip(values, missing) if not m]
    coded = np.full((len(values), 1), np.nan)
    if any(isinstance(v, float) for v in known):
        coded[~missing, 0] = known
        return Column.numeric(name), coded
    known = [int(v) if isinstance(v, bool) else v for v in known]
    classes = sorted(set(known), key=lambda v: (isinstance(v, str), v))
    code = {value: i for i, value in enumerate(classes)}
    coded[~missing, 0] = [code[v] for v in known]
    return Column.categorical(name, classes), coded
