"""The columns of a store, looked at before an index of a damaged file leads anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.schema import check_columns, may_be_missing

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore

TYPES = {  # column -> type, dimensions
    "node_ptr": ("int64", 1),
    "edge_ptr": ("int64", 1),
    "neighbor": ("int32", 1),
    "node_codes": ("int16", 2),
    "node_values": ("float32", 2),
    "edge_codes": ("int16", 2),
    "edge_values": ("float32", 2),
    "targets": ("float64", 2),
    "marks": ("int8", 1),
}
GRAPHS = 4096  # looked at together


def require_attributes(store: GraphStore) -> None:
    """Raise unless the attributes are what the schema says, and numbers."""
    check_columns("node", store.schema.node, store.node_codes, store.node_values)
    check_columns("edge", store.schema.edge, store.edge_codes, store.edge_values)
    kinds = (("node", store.node_values, store.schema.node), ("edge", store.edge_values, store.schema.edge))
    for kind, values, columns in kinds:
        bad = ~(np.isfinite(values) | (np.isnan(values) & may_be_missing(columns))).all(axis=1)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            node = row if kind == "node" else int(np.searchsorted(store.edge_ptr, row, "right")) - 1
            graph = int(np.searchsorted(store.node_ptr, node, side="right")) - 1
            raise PartwholeError(
                f"Graph {store.ids[graph]} has a {kind} attribute that is NaN or infinite; "
                "replace missing attributes by a number before loading."
            )


def require_whole(store: GraphStore) -> None:
    """Raise ValueError unless every column has its type, its length and indices within bounds."""
    for name, (dtype, dimensions) in TYPES.items():
        column = getattr(store, name)
        if column.dtype != dtype or column.ndim != dimensions:
            raise ValueError(f"{name} holds {column.ndim}-dimensional {column.dtype}")
    if store.ids.ndim != 1 or store.ids.dtype.kind not in "iuU":
        raise ValueError(f"ids holds {store.ids.dtype}")
    if len(store.node_ptr) == 0 or len(store.edge_ptr) == 0:
        raise ValueError("it has no pointers")
    nodes, edges = len(store.edge_ptr) - 1, len(store.neighbor)
    _require_ends(store.node_ptr, nodes, "node_ptr")
    _require_ends(store.edge_ptr, edges, "edge_ptr")
    rows = {"node_codes": nodes, "node_values": nodes, "marks": nodes, "edge_codes": edges}
    rows |= {"edge_values": edges, "targets": len(store), "ids": len(store)}
    for name, expected in rows.items():
        if len(getattr(store, name)) != expected:
            raise ValueError(f"{name} has {len(getattr(store, name))} rows, not {expected}")
    if store.targets.shape[1] != len(store.schema.targets):
        raise ValueError(f"there are {store.targets.shape[1]} columns of targets")
    for start in range(0, len(store), GRAPHS):
        _require_content(store, start, min(start + GRAPHS, len(store)))
        store.release_pages()


def _require_ends(pointers: np.ndarray, rows: int, name: str) -> None:
    if pointers[0] != 0 or pointers[-1] != rows or (np.diff(pointers) < 0).any():
        raise ValueError(f"{name} does not lead from 0 to {rows}")


def _require_content(store: GraphStore, start: int, stop: int) -> None:
    """Raise unless graphs `start` to `stop` are sound; their columns are not copied."""
    first, last = store.node_ptr[start], store.node_ptr[stop]
    piece = store.window(start, stop)
    # [e] nodes of the graph of each entry
    allowed = np.repeat(piece.num_nodes, np.diff(piece.edge_ptr[piece.node_ptr]))
    if ((piece.neighbor < 0) | (piece.neighbor >= allowed)).any():
        raise ValueError(f"an edge among nodes {first} to {last} leads out of its graph")
    require_attributes(piece)
    for column, codes in zip(store.schema.targets, piece.targets.T):
        known = codes[~np.isnan(codes)]
        if column.is_categorical and (~np.isin(known, np.arange(column.width))).any():
            raise ValueError(f"target {column.name!r} has a class that the schema does not list")
