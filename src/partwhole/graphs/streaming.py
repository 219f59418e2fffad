"""Stores in pieces: joined in memory, or written a piece at a time and read through the memory map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import atomic_folder
from partwhole.graphs.saving import COLUMNS, write_manifest
from partwhole.graphs.store import GraphStore

HEADER = 128  # bytes kept free at the start of each column for its header


def concatenate(stores: Sequence[GraphStore]) -> GraphStore:
    """Join stores of one schema in memory, one after the other."""
    first = stores[0]
    if len(stores) == 1:
        return first
    columns: dict[str, Any] = {
        c: np.concatenate([getattr(s, c) for s in stores]) for c in COLUMNS if not c.endswith("_ptr")
    }
    columns["rows"] = np.concatenate([s.rows for s in stores])
    for column in ("node_ptr", "edge_ptr"):
        lengths = np.concatenate([np.diff(getattr(s, column)) for s in stores])
        columns[column] = np.concatenate([[0], np.cumsum(lengths)])
    return replace(first, **columns)


def write_store(
    pieces: Iterable[GraphStore], folder: str | Path, name: str = "graphs", *, keep_ids: bool = False
) -> GraphStore:
    """Append stores of one schema into a folder; memory holds one piece. Gives the mapped store.

    Ids are row numbers unless `keep_ids`: a column as wide as the longest text would dwarf the graphs.
    """
    folder = Path(folder)
    with atomic_folder(folder) as temporary, ExitStack() as stack:
        files: dict[str, BinaryIO] = {}
        shapes: dict[str, tuple[np.dtype, tuple[int, ...]]] = {}
        schema = None
        nodes = edges = graphs = 0
        for piece in pieces:
            if schema is None:
                schema = piece.schema
                files = {c: stack.enter_context((temporary / f"{c}.npy").open("wb")) for c in COLUMNS}
                for column in ("node_ptr", "edge_ptr"):
                    _append(files[column], shapes, column, np.zeros(1, np.int64))
            schema.require_same_inputs(piece.schema)
            changed = {
                "node_ptr": piece.node_ptr[1:] + nodes,
                "edge_ptr": piece.edge_ptr[1:] + edges,
                "ids": piece.ids if keep_ids else np.arange(graphs, graphs + len(piece)),
            }
            for column in COLUMNS:
                _append(files[column], shapes, column, changed.get(column, getattr(piece, column)))
            nodes, edges = nodes + int(piece.node_ptr[-1]), edges + int(piece.edge_ptr[-1])
            graphs += len(piece)
        if schema is None:
            raise PartwholeError("There are no graphs; give at least one.")
        for column, (dtype, shape) in shapes.items():
            files[column].seek(0)
            files[column].write(_header(dtype, shape))
            files[column].close()
        write_manifest(temporary, name, schema)
    return GraphStore.open(folder)


def _append(
    file: BinaryIO, shapes: dict[str, tuple[np.dtype, tuple[int, ...]]], column: str, rows: np.ndarray
) -> None:
    if column not in shapes:
        file.write(bytes(HEADER))
        shapes[column] = rows.dtype, (0, *rows.shape[1:])
    dtype, shape = shapes[column]
    if rows.dtype != dtype or rows.shape[1:] != shape[1:]:
        raise PartwholeError(
            f"The pieces of a store differ in their column {column!r}; read all of them alike."
        )
    file.write(np.ascontiguousarray(rows).data if rows.size else b"")
    shapes[column] = dtype, (shape[0] + len(rows), *shape[1:])


def _header(dtype: np.dtype, shape: tuple[int, ...]) -> bytes:
    """The header of the npy format, version 1.0, filled up to its fixed length."""
    text = repr({"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
    length = HEADER - 10
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text.encode().ljust(length - 1) + b"\n"
