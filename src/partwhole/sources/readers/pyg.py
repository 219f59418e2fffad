"""Lists of PyTorch Geometric `Data`. The package itself is not needed to read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.graphs.csr import require_nodes
from partwhole.graphs.schema import Column, Schema
from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Source, all_of
from partwhole.sources.reading import Reading
from partwhole.sources.target_columns import target_column

if TYPE_CHECKING:
    from typing_extensions import TypeIs

USED = ("x", "edge_index", "edge_attr", "edge_weight", "y")
SILENT = ("num_nodes", "batch", "ptr")  # of the package itself
SHOWN = 5  # names in a note


class PyGData(Protocol):
    """What every `Data` has; other attributes are looked for by name."""

    edge_index: Any  # [2, edges], or None
    num_nodes: int | None


def read_pyg(data: Iterable[object], reading: Reading) -> GraphStore:
    """Read PyTorch Geometric `Data`.

    `x`, `edge_attr` and `edge_weight` become numeric attributes, used as they are, or categories where
    `reading.categorical` says so; `y` is the target (integers are classes).
    """
    items: list[PyGData] = []
    for i, item in enumerate(data):
        if not _is_data(item):
            raise PartwholeError(f"Graph {i} is a {type(item).__name__} where PyTorch Geometric Data belong.")
        items.append(item)
    counts = np.array([int(item.num_nodes or 0) for item in items], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)[:-1]])
    edges = []
    for i, (item, count) in enumerate(zip(items, counts)):
        pairs = _pairs(item, i)
        require_nodes(pairs, int(count), i)
        edges.append(pairs + offsets[i])
    entries = np.array([len(e) for e in edges])
    node, node_codes, node_values = _attributes(items, ("x",), counts, "node", reading)
    edge, edge_codes, edge_values = _attributes(items, ("edge_attr", "edge_weight"), entries, "edge", reading)
    column, targets = _targets(items)
    _note_unused(items, reading)
    return GraphStore.from_arrays(
        counts,
        np.concatenate(edges),
        schema=Schema(node, edge, column),
        node_codes=node_codes,
        node_values=node_values,
        edge_codes=edge_codes,
        edge_values=edge_values,
        targets=targets,
    )


def _attributes(
    items: list[PyGData], names: tuple[str, ...], rows: np.ndarray, kind: str, reading: Reading
) -> tuple[tuple[Column, ...], np.ndarray, np.ndarray]:
    """The columns of nodes or edges with their codes [rows, …] and their numbers [rows, …]."""
    columns: list[Column] = []
    codes, numbers = [np.zeros((rows.sum(), 0), np.int16)], [np.zeros((rows.sum(), 0))]
    for name in names:
        values = _values(items, name, rows)
        if values is None:
            continue
        width = values.shape[1]
        categorical = _categorical(name, width, kind, reading)
        if not categorical:
            if values.dtype.kind in "iu" and reading.schema is None and values.max(initial=0) > 1:
                reading.note(
                    f"The whole numbers of {name} are read as numbers; where they name categories, say so: "
                    f"load_graphs(…, categorical=[{name!r}])."
                )
            columns.append(Column.numeric(name, width))
            numbers.append(values)
            continue
        for k in range(width):  # each a column of its own
            own = name if width == 1 else f"{name}{k}"
            if k in categorical:
                found, of_row = np.unique(values[:, k], return_inverse=True)
                columns.append(Column.categorical(own, [_category(value) for value in found.tolist()]))
                codes.append(of_row.reshape(-1, 1).astype(np.int16))
            else:
                columns.append(Column.numeric(own))
                numbers.append(values[:, k : k + 1])
    return tuple(columns), np.concatenate(codes, axis=1), np.concatenate(numbers, axis=1)


def _categorical(name: str, width: int, kind: str, reading: Reading) -> set[int]:
    """Which columns of an attribute hold categories: as asked for, or as the model learned them."""
    asked = reading.categorical
    if reading.schema is not None:
        learned = reading.schema.columns(kind)
        # One-hot rows that stand for categories keep their one column; see `sources/one_hot.py`.
        asked = tuple(c.name for c in learned if c.is_categorical and not (c.name == name and width > 1))
    return {k for k in range(width) if name in asked or f"{name}{k}" in asked}


def _category(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)


def _note_unused(items: list[PyGData], reading: Reading) -> None:
    """Note what the graphs carry and no model here looks at."""
    given = [getattr(item, "keys", tuple) for item in items]
    carried = {str(name) for keys in given if callable(keys) for name in keys()} - {*USED, *SILENT}
    if carried:
        names = sorted(carried)  # PyTorch Geometric gives them in any order
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        used = [n for n in USED if n != "edge_index" and any(getattr(i, n, None) is not None for i in items)]
        also = f" Used: edge_index, {', '.join(used)}." if used else ""
        reading.note(f"Not used of these graphs: {', '.join(names[:SHOWN])}{more}.{also}")


def _pairs(item: PyGData, graph: int) -> np.ndarray:
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


def _values(items: list[PyGData], name: str, rows: np.ndarray) -> np.ndarray | None:
    """One attribute of all graphs as numbers [rows, width]; all graphs have it or none."""
    given = [getattr(item, name, None) for item in items]
    have = [g is not None for g in given]
    if not any(have):
        return None
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
    present = [a for a in arrays if a is not None]
    return np.concatenate(present) if present and present[0].shape[1] else None


def _targets(items: list[PyGData]) -> tuple[tuple[Column, ...], np.ndarray | None]:
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


def _array(value: object) -> np.ndarray:
    return value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)


def _is_data(item: object) -> TypeIs[PyGData]:
    return hasattr(item, "edge_index") and hasattr(item, "num_nodes")


@SOURCES.register
class PyGSource(Source[Iterable[object]]):
    """Graphs of PyTorch Geometric in memory."""

    reads = "a list of PyTorch Geometric Data"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether the first item has edges and nodes as `Data` has them."""
        return all_of(data, _is_data)

    @staticmethod
    def read(data: Iterable[object], reading: Reading) -> GraphStore:
        """Read all graphs."""
        return read_pyg(data, reading)
