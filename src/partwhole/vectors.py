"""Vectors of graphs as tables, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from partwhole.errors import PartwholeError
from partwhole.method import GraphMethod
from partwhole.sources.base import Piece

ID, VECTOR = "id", "embedding"


def vector_tables(estimator: GraphMethod, piece: Piece) -> Iterator[pa.Table]:
    """The columns id, label (where it is known) and embedding, a few hundred rows at a time; of a table, all
    its columns in place of the label."""
    columns, start = _columns(piece), 0
    for vectors in estimator.transform_batches(piece.store):
        flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
        beside = columns.slice(start, len(vectors))
        yield beside.append_column(VECTOR, pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]))
        start += len(vectors)


def _columns(piece: Piece) -> pa.Table:
    """What stands beside the vectors."""
    store = piece.store
    columns = {ID: pa.array(store.ids.tolist())}
    if piece.table is None:
        if store.has_labels:
            columns["label"] = pa.array(store.labels.tolist())
        return pa.table(columns)
    names = [name for name in piece.table.column_names if name.lower() != ID]
    if VECTOR in names:
        raise PartwholeError(f"The table has a column {VECTOR!r}, which is to be written; name it otherwise.")
    return pa.table(columns | {name: piece.table.column(name) for name in names})


def read_vectors(path: Path) -> tuple[pa.Table, np.ndarray]:
    """What stands beside the vectors, and the vectors [n, d] themselves."""
    try:
        table = parquet.read_table(path)
        vectors = table.column(VECTOR).combine_chunks()
        width = vectors.type.list_size
        numbers = np.asarray(vectors.values, dtype=np.float32).reshape(-1, width)
    except (KeyError, AttributeError, pa.ArrowException, OSError) as error:
        raise PartwholeError(
            f"{path} is not a file of vectors ({' '.join(str(error).split())}); write one with `partwhole "
            "embed`."
        ) from None
    return table.drop_columns([VECTOR]), numbers
