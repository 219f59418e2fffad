"""One-hot rows, as arrays often hold them, to the categories that they stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from partwhole.graphs.schema import NO_CATEGORY, Column, column_contents
from partwhole.graphs.store import GraphStore

MOST = 1000  # kinds; more are rather names
FIRST = 1000  # rows that are looked at before all


def with_kinds(store: GraphStore) -> GraphStore:
    """The store of a fit, one-hot attributes of its nodes and edges as categories called 0, 1, …

    The network's input stays as it is; colours and kernels come to see what nodes and edges are. Rows of
    nodes that only repeat the degree, a common stand-in for attributes, say nothing new and stay numbers.
    """
    store = _with_kinds(store, "node", np.diff(store.edge_ptr))
    return _with_kinds(store, "edge", np.zeros(len(store.neighbor), np.int64))


def kinds_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of rows [n, width] the place of the one [n, 1], -1 in rows that are not one-hot; and which of these
    hold anything but zeros or missing numbers [n]."""
    ones = rows == 1
    empty = (rows == 0) | np.isnan(rows)
    one_hot = (ones.sum(axis=1) == 1) & (ones | empty).all(axis=1)
    codes = np.where(one_hot, ones.argmax(axis=1), NO_CATEGORY).astype(np.int16)
    return codes[:, None], ~one_hot & ~empty.all(axis=1)


def _with_kinds(store: GraphStore, part: str, known: np.ndarray) -> GraphStore:
    codes, values = getattr(store, f"{part}_codes"), getattr(store, f"{part}_values")
    contents = list(column_contents(getattr(store.schema, part), codes, values))
    kinds = [None if column.is_categorical else _new_kinds(content, known) for column, content in contents]
    if all(k is None for k in kinds):
        return store
    columns, new_codes, new_values = [], [codes[:, :0]], [values[:, :0]]
    for (column, content), found in zip(contents, kinds):
        if found is not None:
            column, content = Column.kinds(column.name, column.width), found
        columns.append(column)
        (new_codes if column.is_categorical else new_values).append(content)
    schema: dict[str, Any] = {part: tuple(columns)}
    rows: dict[str, Any] = {
        f"{part}_codes": np.concatenate(new_codes, axis=1),
        f"{part}_values": np.concatenate(new_values, axis=1),
    }
    return replace(store, schema=replace(store.schema, **schema), **rows)


def _new_kinds(rows: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """[n, 1] if all rows are one-hot, and what is `known` [n] of a row does not tell its kind."""
    width = rows.shape[1]
    if not 2 <= width <= MOST or (kinds_of(rows[:FIRST])[0] < 0).any():
        return None
    kinds, _ = kinds_of(rows)
    if (kinds < 0).any():
        return None
    pairs = np.unique(known.astype(np.int64) * width + kinds[:, 0])
    return None if len(pairs) == len(np.unique(known)) else kinds
