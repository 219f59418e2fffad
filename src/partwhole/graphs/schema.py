"""What the attributes of a data set are called and how wide they are.

The schema travels with the store, is saved with every model, and is enforced when new graphs
are embedded: a model never sees a column in a place where it learned another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError

NO_CATEGORY = -1  # the code of a value that is missing, or that the model never saw


@dataclass(frozen=True)
class Column:
    """One attribute: categorical (`values` lists the categories in code order) or numeric."""

    name: str
    values: tuple[str | int, ...] = ()  # empty: numeric
    width: int = 1  # numbers per row when numeric; the number of categories otherwise
    # Mean and spread of each number, by which it is standardised; NaN is missing then, and counts as the
    # mean. Empty: numbers are used as they are. Not compared: new graphs take those of the fit.
    center: tuple[float, ...] = field(default=(), compare=False)
    scale: tuple[float, ...] = field(default=(), compare=False)

    @classmethod
    def categorical(cls, name: str, values: Sequence[str | int]) -> Column:
        """An attribute with these categories, in the order of their codes."""
        return cls(name, tuple(values), len(values))

    @classmethod
    def numeric(cls, name: str, width: int = 1) -> Column:
        """An attribute of so many numbers a row, used as they are."""
        return cls(name, (), width)

    @classmethod
    def numbered(cls, name: str, width: int) -> Column:
        """An attribute whose categories have numbers for names, 0, 1, …, as those of one-hot rows."""
        return cls.categorical(name, range(width))

    @property
    def is_categorical(self) -> bool:
        """Whether a row holds the code of a category, and not numbers."""
        return bool(self.values)

    @property
    def is_numbered(self) -> bool:
        """Whether the categories are called 0, 1, …, so that one-hot rows may stand for them."""
        return self.is_categorical and self.values == tuple(range(self.width))

    def standardised(self, numbers: np.ndarray) -> Column:
        """The column with the mean and spread of these numbers [rows, width]; flags, 0 and 1 only, stay."""
        numbers = numbers[np.isfinite(numbers).all(axis=1)].astype(np.float64)  # others are refused elsewhere
        if not len(numbers):
            return self
        center, scale = numbers.mean(axis=0), numbers.std(axis=0)
        flags = np.isin(numbers, (0, 1)).all(axis=0)
        center = np.where(flags, 0.0, center)
        scale = np.where(flags | (scale <= 1e-12 * np.abs(center)) | (scale == 0), 1.0, scale)
        return replace(self, center=tuple(center.tolist()), scale=tuple(scale.tolist()))


@dataclass(frozen=True)
class Schema:
    """The columns of nodes and of edges, and the targets of graphs."""

    node: tuple[Column, ...] = ()
    edge: tuple[Column, ...] = ()
    targets: tuple[Column, ...] = ()  # categorical: class labels; numeric: regression targets
    chemistry: bool = False  # node column 0 holds element symbols: draw as a molecule
    smiles_column: str = ""  # of the table that the molecules came from, where its name does not tell it

    def same_inputs(self, other: Schema) -> bool:
        """Whether a network sees the same attributes of nodes and edges, whatever the targets are;
        numbered categories are one-hot rows to it."""

        def rows(columns: tuple[Column, ...]) -> list[Column]:
            return [replace(column, values=()) if column.is_numbered else column for column in columns]

        return (rows(self.node), rows(self.edge)) == (rows(other.node), rows(other.edge))

    def columns(self, kind: str) -> tuple[Column, ...]:
        """The attributes of one kind: those of nodes (`node`) or of edges (`edge`)."""
        return {"node": self.node, "edge": self.edge}[kind]

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
        for kind in ("node", "edge"):
            mine, theirs = self.columns(kind), other.columns(kind)
            if mine != theirs:
                raise PartwholeError(
                    f"The {kind} attributes of these graphs ({_describe(theirs)}) are not those of "
                    f"the model ({_describe(mine)}); give graphs with the same attributes."
                )

    def to_dict(self) -> dict[str, Any]:
        """The schema as plain values, for JSON and TOML."""

        def column(c: Column) -> dict[str, Any]:
            scaling = {"center": list(c.center), "scale": list(c.scale)} if c.center else {}
            return {"name": c.name, "values": list(c.values), "width": c.width, **scaling}

        return {
            "node": [column(c) for c in self.node],
            "edge": [column(c) for c in self.edge],
            "targets": [column(c) for c in self.targets],
            "chemistry": self.chemistry,
            **({"smiles_column": self.smiles_column} if self.smiles_column else {}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """The schema that `to_dict` wrote.

        KeyError, TypeError and ValueError tell of content that `to_dict` never gives.
        """
        node, edge, targets = (tuple(map(_column, data[key])) for key in ("node", "edge", "targets"))
        return cls(
            node,
            edge,
            targets,
            bool(data["chemistry"]),
            str(data.get("smiles_column", "")),
        )


def _column(content: Mapping[str, Any]) -> Column:
    width, values = content["width"], tuple(content["values"])
    center, scale = (tuple(float(x) for x in content.get(k, ())) for k in ("center", "scale"))
    whole = isinstance(width, int) and width >= 0 and (not values or width == len(values))
    if not whole or (center and {len(center), len(scale)} != {width}):
        raise ValueError(f"column {content['name']!r} does not have {width} entries")
    return Column(str(content["name"]), values, width, center, scale)


def _describe(columns: tuple[Column, ...]) -> str:
    if not columns:
        return "none"
    return ", ".join(f"{c.name}: {c.width} {'categories' if c.is_categorical else 'wide'}" for c in columns)


def one_hot(codes: np.ndarray, values: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
    """Codes [n, categorical columns] and numbers [n, …] -> float32 [n, width], in schema order."""
    rows = len(codes)
    out = np.zeros((rows, sum(c.width for c in columns)), dtype=np.float32)
    at = 0
    for column, content in column_contents(columns, codes, values):
        if column.is_categorical:
            code = content[:, 0]
            known = np.flatnonzero(code != NO_CATEGORY)
            out[known, at + code[known]] = 1.0
        else:
            if column.center:
                content = np.nan_to_num((content - column.center) / column.scale)  # missing: the mean
            out[:, at : at + column.width] = content
        at += column.width
    return out


def column_contents(
    columns: tuple[Column, ...], codes: np.ndarray, values: np.ndarray
) -> Iterator[tuple[Column, np.ndarray]]:
    """Each column with its codes [n, 1] or its numbers [n, width]."""
    code_at = value_at = 0
    for column in columns:
        if column.is_categorical:
            yield column, codes[:, code_at : code_at + 1]
            code_at += 1
        else:
            yield column, values[:, value_at : value_at + column.width]
            value_at += column.width


def may_be_missing(columns: tuple[Column, ...]) -> np.ndarray:
    """[numeric width] whether NaN stands for a missing number."""
    return np.array([bool(c.center) for c in columns if not c.is_categorical for _ in range(c.width)], bool)


def check_columns(kind: str, columns: tuple[Column, ...], codes: np.ndarray, values: np.ndarray) -> None:
    """Raise unless codes [n, …] and numbers [n, …] are what the columns of nodes or edges say."""
    categories = np.array([c.width for c in columns if c.is_categorical], dtype=np.int64)
    numbers = sum(c.width for c in columns if not c.is_categorical)
    if (codes.shape[1], values.shape[1]) != (len(categories), numbers):
        raise PartwholeError(
            f"The {kind}s have {codes.shape[1]} categorical and {values.shape[1]} numeric columns but the "
            f"schema says {len(categories)} and {numbers}."
        )
    if ((codes < NO_CATEGORY) | (codes >= categories)).any():
        raise PartwholeError(f"A {kind} has a category code that the schema does not list.")
