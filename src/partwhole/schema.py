"""What the attributes of a data set are called and how wide they are.

The schema travels with the store, is saved with every model, and is enforced when new graphs
are embedded: a model never sees a column in a place where it learned another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError


@dataclass(frozen=True)
class Column:
    """One attribute: categorical (`values` lists the categories in code order) or numeric."""

    name: str
    values: tuple[str | int, ...] = ()  # empty: numeric
    width: int = 1  # numbers per row when numeric; the number of categories otherwise

    @classmethod
    def categorical(cls, name: str, values: Sequence[str | int]) -> Column:
        return cls(name, tuple(values), len(values))

    @classmethod
    def numeric(cls, name: str, width: int = 1) -> Column:
        return cls(name, (), width)

    @property
    def is_categorical(self) -> bool:
        return bool(self.values)


@dataclass(frozen=True)
class Schema:
    """The columns of nodes and of edges, and the targets of graphs."""

    node: tuple[Column, ...] = ()
    edge: tuple[Column, ...] = ()
    targets: tuple[Column, ...] = ()  # categorical: class labels; numeric: regression targets
    chemistry: bool = False  # node column 0 holds element symbols: draw as a molecule

    @property
    def node_width(self) -> int:
        """Columns of X_V after one-hot encoding."""
        return sum(c.width for c in self.node)

    @property
    def edge_width(self) -> int:
        """Columns of X_E after one-hot encoding."""
        return sum(c.width for c in self.edge)

    def require_same_inputs(self, other: Schema) -> None:
        """Raise unless graphs of schema `other` fit a model that learned this schema."""
        for part in ("node", "edge"):
            mine, theirs = getattr(self, part), getattr(other, part)
            if mine != theirs:
                raise PartwholeError(
                    f"The {part} attributes of these graphs ({_describe(theirs)}) are not those of "
                    f"the model ({_describe(mine)}); give graphs with the same attributes."
                )

    def to_dict(self) -> dict[str, Any]:
        def column(c: Column) -> dict[str, Any]:
            return {"name": c.name, "values": list(c.values), "width": c.width}

        return {
            "node": [column(c) for c in self.node],
            "edge": [column(c) for c in self.edge],
            "targets": [column(c) for c in self.targets],
            "chemistry": self.chemistry,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        def columns(part: str) -> tuple[Column, ...]:
            return tuple(Column(c["name"], tuple(c["values"]), c["width"]) for c in data[part])

        return cls(columns("node"), columns("edge"), columns("targets"), data["chemistry"])


def _describe(columns: tuple[Column, ...]) -> str:
    if not columns:
        return "none"
    return ", ".join(f"{c.name}: {c.width} {'categories' if c.is_categorical else 'wide'}" for c in columns)


def one_hot(codes: np.ndarray, values: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
    """Codes [n, categorical columns] and numbers [n, …] -> float32 [n, width], in schema order."""
    rows = len(codes)
    out = np.zeros((rows, sum(c.width for c in columns)), dtype=np.float32)
    at = code_at = value_at = 0
    for column in columns:
        if column.is_categorical:
            out[np.arange(rows), at + codes[:, code_at]] = 1.0
            code_at += 1
        else:
            out[:, at : at + column.width] = values[:, value_at : value_at + column.width]
            value_at += column.width
        at += column.width
    return out


def check_columns(part: str, columns: tuple[Column, ...], codes: np.ndarray, values: np.ndarray) -> None:
    """Raise unless codes [n, …] and numbers [n, …] are what the columns of nodes or edges say."""
    categories = np.array([c.width for c in columns if c.is_categorical], dtype=np.int64)
    numbers = sum(c.width for c in columns if not c.is_categorical)
    if (codes.shape[1], values.shape[1]) != (len(categories), numbers):
        raise PartwholeError(
            f"The {part}s have {codes.shape[1]} categorical and {values.shape[1]} numeric columns but the "
            f"schema says {len(categories)} and {numbers}."
        )
    if ((codes < 0) | (codes >= categories)).any():
        raise PartwholeError(f"A {part} has a category code that the schema does not list.")
