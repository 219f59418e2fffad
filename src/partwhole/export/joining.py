"""The parts of a file of vectors to the file itself, with the columns that need all vectors at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from partwhole.errors import PartwholeError
from partwhole.export.groups import Clusters, cluster_graphs, outlier_scores
from partwhole.export.part_files import Parts
from partwhole.export.vector_files import vector_file
from partwhole.export.vector_tables import FAR, ID, VECTOR, as_array
from partwhole.sources.reading import Reading

CLUSTER, SCORE, RANK = "cluster", "outlier_score", "outlier_rank"
CLOSEST, UNUSUAL = 3, 5  # graphs of a cluster, and unusual ones, that are told


@dataclass(frozen=True)
class Wanted:
    """Columns that tell about each graph among all of the file."""

    clusters: bool = False
    number: int | None = None  # of clusters; None: it is found
    outliers: bool = False

    @property
    def names(self) -> list[str]:
        return [CLUSTER] * self.clusters + [SCORE, RANK] * self.outliers


@dataclass(frozen=True)
class ToldCluster:
    graphs: int
    closest: list[Any]  # ids of the graphs next to its centre


@dataclass(frozen=True)
class Written:
    """What there is to say about a file of vectors."""

    graphs: int
    width: int
    reading: Reading
    far: int | None = None  # graphs; None where the run cannot tell
    silhouette: float = 0.0
    verdict: str = ""  # how far clusters are apart
    clusters: list[ToldCluster] = field(default_factory=list)
    outliers: list[tuple[Any, float]] = field(default_factory=list)  # ids and scores of the most unusual


def joined(parts: Parts, number: int, reading: Reading, wanted: Wanted) -> Written:
    """Parts 0 to `number` - 1 as one file."""
    for k in range(number):
        reading.add(parts.told(k))
    rows = sum(parts.rows(k) for k in range(number))
    reading.require_any(rows)
    if not rows:
        raise PartwholeError("There are no graphs; give at least one.")
    columns, told = _columns(parts, number, wanted) if wanted.names else ({}, {})
    start, width, far = 0, 0, None
    with vector_file(parts.out, rows) as write:
        for table in _tables(parts, number):
            here = slice(start, start + table.num_rows)
            write(_with_columns(table, {name: values[here] for name, values in columns.items()}))
            start, width = here.stop, table.schema.field(VECTOR).type.list_size
            if FAR in table.column_names:
                far = (far or 0) + int(np.sum(table.column(FAR).to_numpy()))
    return Written(rows, width, reading, far, **told)


def _tables(parts: Parts, number: int) -> Iterator[pa.Table]:
    return (table for k in range(number) for table in parts.tables(k))


def _columns(parts: Parts, number: int, wanted: Wanted) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Columns over the whole file, and what to say of them. All vectors are in memory for it, and no more."""
    ids: list[Any] = []
    pieces: list[np.ndarray] = []
    for table in _tables(parts, number):
        ids += table.column(ID).to_pylist()
        pieces.append(as_array(table))
    vectors = np.concatenate(pieces)
    del pieces
    columns: dict[str, np.ndarray] = {}
    told: dict[str, Any] = {}
    if wanted.clusters:
        clusters = cluster_graphs(vectors, wanted.number)
        columns[CLUSTER] = clusters.labels
        told |= {"silhouette": clusters.silhouette, "verdict": clusters.verdict}
        told["clusters"] = _told_clusters(clusters, ids)
    if wanted.outliers:
        columns[SCORE], columns[RANK] = found = outlier_scores(vectors)
        first = np.argsort(found.ranks)[:UNUSUAL]
        told["outliers"] = [(ids[row], float(found.scores[row])) for row in first]
    return columns, told


def _told_clusters(clusters: Clusters, ids: list[Any]) -> list[ToldCluster]:
    return [
        ToldCluster(graphs, [ids[row] for row in rows])
        for graphs, rows in zip(clusters.sizes, clusters.closest(CLOSEST))
    ]


def _with_columns(table: pa.Table, columns: dict[str, np.ndarray]) -> pa.Table:
    """Before the vectors."""
    for name, values in columns.items():
        table = table.add_column(table.column_names.index(VECTOR), name, pa.array(values))
    return table
