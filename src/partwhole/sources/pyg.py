"""Lists of PyTorch Geometric `Data`. The package itself is not needed to read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.packing import require_nodes
from partwhole.registry import SOURCES
from partwhole.schema import Column, Schema
from partwhole.sources.base import Source, all_of
from partwhole.sources.reading import Reading
from partwhole.sources.targets import target_column
from partwhole.store import GraphStore


def read_pyg(data: Any) -> GraphStore:
    """`x` and `edge_attr` become numeric attributes, used as they are; `y` is the target (integers are
    classes)."""
    items = list(data)
    for i, item in enumerate(items):
        if not _is_data(item):
            raise PartwholeError(f"Graph {i} is a {type(item).__name__} where PyTorch Geometric Data belong.")
    counts = np.array([int(item.num_nodes or 0) for item in items], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)[:-1]])
    edges = []
    for i, (item, count) in enumerate(zip(items, counts)):
        pairs = _pairs(item, i)
        require_nodes(pairs, int(count), i)
        edges.append(pairs + offsets[i])
    node_values, node = _values(items, "x", counts)
    edge_values, edge = _values(items, "edge_attr", np.array([len(e) for e in edges]))
    column, targets = _targets(items)
    return GraphStore.from_arrays(
        counts,
        np.concatenate(edges),
        schema=Schema(node, edge, column),
        node_values=node_values,
        edge_values=edge_values,
        targets=targets,
    )


def _pairs(item: Any, graph: int) -> np.ndarray:
    """[edges, 2]"""
    edges = np.zeros((2, 0), np.int64) if item.edge_index is None else _array(item.edge_index)
    if edges.ndim != 2 or len(edges) != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise PartwholeError(
            f"The edge_index of graph {graph} holds {edges.dtype} of shape {edges.shape}; give integers of "
            "shape (2, edges)."
        )
    return edges.T.astype(np.int64)


def _rows(values: np.ndarray, rows: int, name: str, graph: int) -> np.ndarray:
    """[rows, width]; numbers alone are one for each row."""
    if values.ndim == 0 or len(values) != rows:
        raise PartwholeError(
            f"The {name} of graph {graph} has shape {values.shape} where {rows} rows belong; correct it."
        )
    return values.reshape(rows, -1)


def _values(items: list[Any], name: str, rows: np.ndarray) -> tuple[np.ndarray | None, tuple[Column, ...]]:
    """One attribute of all graphs as numbers [rows, width]; all graphs have it or none."""
    given = [getattr(item, name, None) for item in items]
    have = [g is not None for g in given]
    if not any(have):
        return None, ()
    if not all(have):
        raise PartwholeError(
            f"Graph {have.index(False)} has no {name} but graph {have.index(True)} has; give it to all "
            "graphs or to none."
        )
    arrays = [_rows(_array(g), r, name, i) if r else None for i, (g, r) in enumerate(zip(given, rows))]
    widths = {a.shape[1]: i for i, a in enumerate(arrays) if a is not None}
    if len(widths) > 1:
        (a, i), (b, j) = list(widths.items())[:2]
        raise PartwholeError(
            f"The {name} of graph {i} is {a} wide and that of graph {j} is {b} wide; all graphs need "
            "the same width."
        )
    width = next(iter(widths), 0)
    filled = [np.zeros((0, width)) if a is None else a for a in arrays]
    return np.concatenate(filled), (Column.numeric(name, width),) if width else ()


def _targets(items: list[Any]) -> tuple[tuple[Column, ...], np.ndarray | None]:
    given = [getattr(item, "y", None) for item in items]
    if all(y is None for y in given):
        return (), None
    rows = [None if y is None else _array(y).ravel() for y in given]
    width = max(len(r) for r in rows if r is not None)
    if uneven := [i for i, r in enumerate(rows) if r is not None and len(r) != width]:
        raise PartwholeError(
            f"The y of graph {uneven[0]} is shorter than {width}, that of another graph; targets belong to "
            "graphs, not to their nodes."
        )
    columns, coded = [], []
    for k in range(width):
        column, values = target_column(
            "y" if width == 1 else f"y{k}", [None if r is None else r[k] for r in rows]
        )
        columns.append(column)
        coded.append(values)
    return tuple(columns), np.hstack(coded)


def _array(value: Any) -> np.ndarray:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)


def _is_data(item: Any) -> bool:
    return hasattr(item, "edge_index") and hasattr(item, "num_nodes")


@SOURCES.register
class PyGSource(Source):
    about = "a list of PyTorch Geometric Data"

    @staticmethod
    def accepts(data: Any) -> bool:
        return all_of(data, _is_data)

    @staticmethod
    def read(data: Any, reading: Reading) -> GraphStore:
        return read_pyg(data)
