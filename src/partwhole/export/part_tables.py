"""Parts of graphs as tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from partwhole.estimators.base import AnyEstimator
from partwhole.export.vector_tables import ID, VECTOR, as_column
from partwhole.graphs.store import GraphStore
from partwhole.parts.describing import TypeDescription, parts_as_graphs
from partwhole.parts.vocabulary import Parts, Vocabulary


def part_table(store: GraphStore, parts: Parts, estimator: AnyEstimator | None = None) -> pa.Table:
    """A row for each part: the id of its graph, type, size and nodes; with an estimator also the vector of
    the part as a graph of its own."""
    nodes = parts.nodes(store)
    flat = np.concatenate(nodes) if nodes else np.zeros(0, np.int64)
    ends = np.concatenate([[0], np.cumsum(parts.size)]).astype(np.int32)
    columns = {
        ID: pa.array(np.asarray(store.ids)[parts.graph].tolist()),
        "type": pa.array(parts.type),
        "size": pa.array(parts.size),
        "nodes": pa.ListArray.from_arrays(pa.array(ends), pa.array(flat)),
    }
    if estimator is not None:
        columns[VECTOR] = as_column(estimator.transform(parts_as_graphs(store, parts)))
    return pa.table(columns)


def count_table(store: GraphStore, vocabulary: Vocabulary, told: list[TypeDescription]) -> pa.Table:
    """A row for each graph: its id, and how many parts of each type it has. Columns are called by number and
    label of the type, as `type_4 nitro`."""
    counts = vocabulary.counts(store)
    columns = {f"type_{t.type} {t.label}": pa.array(counts[:, t.type]) for t in told}
    return pa.table({ID: pa.array(store.ids.tolist()), **columns})
