"""Vectors of graphs as tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from partwhole.errors import PartwholeError
from partwhole.estimators.base import AnyEstimator
from partwhole.runs.landmarks import Landmarks
from partwhole.sources.base import Piece
from partwhole.sources.reading import Reading

ID, VECTOR, FAR = "id", "embedding", "far"

EmbeddedShard = tuple[list[pa.Table], Reading]  # vectors, and what there is to say about the graphs


@dataclass(frozen=True)
class TableEncoder:
    """Turns graphs into tables of vectors, by a fitted method."""

    estimator: AnyEstimator
    landmarks: Landmarks | None = None  # tell which graphs are far from those of the fit
    reserved: Collection[str] = (VECTOR, FAR)  # columns that a table of graphs may not have

    def tables(self, piece: Piece) -> Iterator[pa.Table]:
        """Give the columns id, label (where it is known), far (where that can be told) and embedding, a few
        hundred rows at a time; of a table, all its columns in place of the label."""
        if not len(piece.store):
            return
        columns, start = self._beside(piece), 0
        for vectors in self.estimator.transform_batches(piece.store):
            beside = columns.slice(start, len(vectors))
            if self.landmarks is not None:
                num_nodes = piece.store.num_nodes[start : start + len(vectors)]
                beside = beside.append_column(FAR, pa.array(self.landmarks.far(vectors, num_nodes)))
            yield beside.append_column(VECTOR, as_column(vectors))
            start += len(vectors)

    def _beside(self, piece: Piece) -> pa.Table:
        """What stands beside the vectors."""
        store = piece.store
        columns = {ID: pa.array(store.ids.tolist())}
        if piece.table is None:
            if store.has_labels:
                columns["label"] = pa.array(store.labels.tolist())
            return pa.table(columns)
        names = [name for name in piece.table.column_names if name.lower() != ID]
        if taken := [name for name in names if name in self.reserved]:
            raise PartwholeError(
                f"The table has a column {taken[0]!r}, which is to be written; name it otherwise."
            )
        return pa.table(columns | {name: piece.table.column(name) for name in names})


def as_column(vectors: np.ndarray) -> pa.Array:
    """Vectors [n, d] as a column of lists of d float32 each."""
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
    return pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])


def as_array(table: pa.Table) -> np.ndarray:
    """The column of vectors as an array [n, d] float32."""
    column = table.column(VECTOR).combine_chunks()
    return np.asarray(column.flatten(), dtype=np.float32).reshape(len(column), column.type.list_size)
