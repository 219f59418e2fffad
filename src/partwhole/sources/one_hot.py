"""One-hot rows, as arrays often hold them, to the categories that they stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from partwhole.graphs.schema import NO_CATEGORY, Column, column_contents
from partwhole.graphs.store import GraphStore

MOST = 1000  # categories; more are rather names
FIRST = 1000  # rows that are looked at before all


def with_kinds(store: GraphStore) -> GraphStore:
    """The store of a fit with one-hot attributes of its nodes and edges as categories called 0, 1, …

    The network's input stays as it is; colours and kernels come to see what nodes and edges are. Rows of
    nodes that only repeat the degree, a common stand-in for attributes, say nothing new and stay numbers.
    """
    store = _with_categories(store, "node", np.diff(store.edge_ptr))
    return _with_categories(store, "edge", np.zeros(len(store.neighbor), np.int64))


def categories_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of the one in each row, [n, 1], from rows [n, width]; -1 in rows that are not one-hot.

    The second array [n] tells which of the latter hold anything but zeros or missing numbers.
    """
    ones = rows == 1
    empty = (rows == 0) | np.isnan(rows)
    one_hot = (ones.sum(axis=1) == 1) & (ones | empty).all(axis=1)
    codes = np.where(one_hot, ones.argmax(axis=1), NO_CATEGORY).astype(np.int16)
    return codes[:, None], ~one_hot & ~empty.all(axis=1)


def _with_categories(store: GraphStore, kind: str, known: np.ndarray) -> GraphStore:
    codes, values = getattr(store, f"{kind}_codes"), getattr(store, f"{kind}_values")
    contents = list(column_contents(store.schema.columns(kind), codes, values))
    found = [None if column.is_categorical else _new_codes(content, known) for column, content in contents]
    if all(new is None for new in found):
        return store
    columns, new_codes, new_values = [], [codes[:, :0]], [values[:, :0]]
    for (column, content), new in zip(contents, found):
        if new is not None:
            column, content = Column.numbered(column.name, column.width), new
        columns.append(column)
        (new_codes if column.is_categorical else new_values).append(content)
    schema: dict[str, Any] = {kind: tuple(columns)}
    rows: dict[str, Any] = {
        f"{kind}_codes": np.concatenate(new_codes, axis=1),
        f"{kind}_values": np.concatenate(new_values, axis=1),
    }
    return replace(store, schema=replace(store.schema, **schema), **rows)


def _new_codes(rows: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """[n, 1] if all rows are one-hot, and what is `known` [n] of a row does not tell its category."""
    width = rows.shape[1]
    if not 2 <= width <= MOST or (categories_of(rows[:FIRST])[0] < 0).any():
        return None
    codes, _ = categories_of(rows)
    if (codes < 0).any():
        return None
    pairs = np.unique(known.astype(np.int64) * width + codes[:, 0])
    return None if len(pairs) == len(np.unique(known)) else codes
