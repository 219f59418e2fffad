"""The columns of a store: mapped, hashed, and looked at before an index of a damaged file leads anywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import read_json, require_inside
from partwhole.graphs.schema import check_columns, may_be_missing

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore

KINDS = {  # column -> type, dimensions
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
DIGEST_ROWS = 1_000_000  # hashed at a time


@contextmanager
def told_when_damaged(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PartwholeError(f"{folder} is not a whole graph store ({error}); save it again.") from None


def mapped_columns(folder: Path, names: Sequence[str], version: int) -> tuple[Any, dict[str, Any]]:
    """What `schema.json` says, and each column, of which nothing is copied until it is used."""
    with told_when_damaged(folder):
        about = read_json(require_inside(folder / "schema.json", folder).read_bytes())
        written = about["format"]
    if written != version:
        raise PartwholeError(
            f"{folder} was written in format {written}, this version reads {version}; load the original "
            "data and save it again."
        )
    with told_when_damaged(folder):
        return about, {name: _mapped(require_inside(folder / f"{name}.npy", folder)) for name in names}


def _mapped(file: Path) -> np.ndarray:
    try:
        return np.load(file, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # the parser of its header raises whatever Python's own does
        raise ValueError(f"{file.name}: {error}") from None


def digest_of(store: GraphStore, columns: Sequence[str]) -> str:
    """SHA-256 of the content of these columns."""
    digest = hashlib.sha256()
    for column in columns:
        array = getattr(store, column)
        digest.update(f"{column} {array.dtype.str} {array.shape}".encode())
        for start in range(0, len(array) if array.size else 0, DIGEST_ROWS):
            digest.update(np.ascontiguousarray(array[start : start + DIGEST_ROWS]).data)
            store.release_pages()
    return digest.hexdigest()


def require_attributes(store: GraphStore) -> None:
    """Raise unless the attributes are what the schema says, and numbers."""
    check_columns("node", store.schema.node, store.node_codes, store.node_values)
    check_columns("edge", store.schema.edge, store.edge_codes, store.edge_values)
    parts = (("node", store.node_values, store.schema.node), ("edge", store.edge_values, store.schema.edge))
    for part, values, columns in parts:
        bad = ~(np.isfinite(values) | (np.isnan(values) & may_be_missing(columns))).all(axis=1)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            node = row if part == "node" else int(np.searchsorted(store.edge_ptr, row, "right")) - 1
            graph = int(np.searchsorted(store.node_ptr, node, side="right")) - 1
            raise PartwholeError(
                f"Graph {store.ids[graph]} has a {part} attribute that is NaN or infinite; "
                "replace missing attributes by a number before loading."
            )


def require_whole(store: GraphStore) -> None:
    """Raise ValueError unless every column has its type, its length and indices within bounds."""
    for name, (kind, dimensions) in KINDS.items():
        column = getattr(store, name)
        if column.dtype != kind or column.ndim != dimensions:
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
    """Of the graphs from `start` to `stop`, without copying their columns."""
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
