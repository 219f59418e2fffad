"""One-hot rows, as arrays often hold them, to the categories that they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwhole.schema import NO_CATEGORY, Column, column_contents
from partwhole.store import GraphStore

MOST = 1000  # kinds; more are rather names


def with_kinds(store: GraphStore) -> GraphStore:
    """The store, its nodes' one-hot attributes as categories called 0, 1, …

    The network's input stays as it is; colours and kernels come to see what the nodes are. Rows that only
    repeat the degree, a common stand-in for attributes, say nothing new and stay numbers.
    """
    contents = list(column_contents(store.schema.node, store.node_codes, store.node_values))
    kinds = [None if column.is_categorical else _kinds(content, store) for column, content in contents]
    if all(k is None for k in kinds):
        return store
    columns, codes, values = [], [store.node_codes[:, :0]], [store.node_values[:, :0]]
    for (column, content), found in zip(contents, kinds):
        if found is not None:
            column, content = Column.categorical(column.name, range(column.width)), found
        columns.append(column)
        (codes if column.is_categorical else values).append(content)
    return replace(
        store,
        schema=replace(store.schema, node=tuple(columns)),
        node_codes=np.concatenate(codes, axis=1),
        node_values=np.concatenate(values, axis=1),
    )


def kinds_of(rows: np.ndarray) -> np.ndarray | None:
    """[n, 1] the place of the one in each row, -1 where there is none; None where rows [n, width] hold
    anything else."""
    ones = rows == 1
    if not 2 <= rows.shape[1] <= MOST or (ones.sum(axis=1) > 1).any() or rows[~ones].any():
        return None
    return np.where(ones.any(axis=1), ones.argmax(axis=1), NO_CATEGORY).astype(np.int16)[:, None]


def _kinds(rows: np.ndarray, store: GraphStore) -> np.ndarray | None:
    """Those of all nodes, unless some have none, or the degree of a node tells its kind; so it does where
    all are of one kind."""
    kinds, degree = kinds_of(rows), np.diff(store.edge_ptr)
    if kinds is None or (kinds < 0).any():
        return None
    pairs = np.unique(np.stack([degree, kinds[:, 0]]), axis=1)
    return None if len(pairs.T) == len(np.unique(degree)) else kinds
