"""Vectors of many graphs to a Parquet file, a piece at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from rich.console import Console
from rich.progress import track

from partwhole.files import atomic_file
from partwhole.method import EMBED_GRAPHS, GraphMethod
from partwhole.store import GraphStore


def write_vectors(estimator: GraphMethod, store: GraphStore, out: Path) -> int:
    """Write columns id, label (when known) and embedding; the file appears whole or not at all.

    Returns the width of the vectors.
    """
    width = estimator.width
    labels = store.labels if store.has_labels else None
    fields = [("id", pa.array(store.ids[:1]).type), ("embedding", pa.list_(pa.float32(), width))]
    if labels is not None:
        fields.insert(1, ("label", pa.array(labels[:1]).type))
    pieces = -(-len(store) // EMBED_GRAPHS)
    start = 0
    with atomic_file(out) as temporary, parquet.ParquetWriter(temporary, pa.schema(fields)) as writer:
        vectors = estimator.transform_batches(store)
        for piece in track(vectors, "embedding", total=pieces, console=Console(stderr=True), transient=True):
            stop = start + len(piece)
            flat = pa.array(np.ascontiguousarray(piece).ravel())
            columns = {"id": pa.array(store.ids[start:stop])}
            if labels is not None:
                columns["label"] = pa.array(labels[start:stop])
            columns["embedding"] = pa.FixedSizeListArray.from_arrays(flat, width)
            writer.write_table(pa.table(columns, schema=pa.schema(fields)))
            start = stop
    return width
