"""The finished shards to the file of vectors itself, with the columns that need all vectors at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from partwhole.errors import PartwholeError
from partwhole.export.groups import Clusters, cluster_graphs, outlier_scores
from partwhole.export.shard_files import ShardFiles
from partwhole.export.vector_files import vector_file
from partwhole.export.vector_tables import FAR, ID, VECTOR, as_array
from partwhole.sources.reading import Reading

CLUSTER, SCORE, RANK = "cluster", "outlier_score", "outlier_rank"
CLOSEST, UNUSUAL = 3, 5  # graphs of a cluster, and unusual ones, that are told

GraphId = str | int


@dataclass(frozen=True)
class GroupColumns:
    """Which columns tell about each graph among all of the file."""

    clusters: bool = False
    number: int | None = None  # of clusters; None: it is found
    outliers: bool = False

    @property
    def names(self) -> list[str]:
        """The columns as they are called in the file."""
        return [CLUSTER] * self.clusters + [SCORE, RANK] * self.outliers


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster of the file."""

    graphs: int
    closest: list[GraphId]  # graphs next to its centre


@dataclass(frozen=True)
class GroupSummary:
    """What the columns about groups show; empty where none was asked for."""

    silhouette: float = 0.0
    verdict: str = ""  # how far clusters are apart
    clusters: list[ClusterSummary] = field(default_factory=list)
    outliers: list[tuple[GraphId, float]] = field(default_factory=list)  # ids and scores of the most unusual


@dataclass(frozen=True)
class VectorFileSummary:
    """What there is to say about a file of vectors that was written."""

    graphs: int
    width: int
    reading: Reading
    far: int | None  # graphs; None where the run cannot tell
    groups: GroupSummary


def joined(files: ShardFiles, number: int, reading: Reading, wanted: GroupColumns) -> VectorFileSummary:
    """Write shards 0 to `number` - 1 as one file; what was said about them is added to `reading`."""
    for k in range(number):
        reading.add(files.told(k))
    rows = sum(files.rows(k) for k in range(number))
    reading.require_any(rows)
    if not rows:
        raise PartwholeError("There are no graphs; give at least one.")
    columns, groups = _group_columns(files, number, wanted) if wanted.names else ({}, GroupSummary())
    start, width, far = 0, 0, None
    with vector_file(files.out, rows) as write:
        for table in _tables(files, number):
            here = slice(start, start + table.num_rows)
            write(_with_columns(table, {name: values[here] for name, values in columns.items()}))
            start, width = here.stop, table.schema.field(VECTOR).type.list_size
            if FAR in table.column_names:
                far = (far or 0) + int(np.sum(table.column(FAR).to_numpy()))
    return VectorFileSummary(rows, width, reading, far, groups)


def _tables(files: ShardFiles, number: int) -> Iterator[pa.Table]:
    return (table for k in range(number) for table in files.tables(k))


def _group_columns(
    files: ShardFiles, number: int, wanted: GroupColumns
) -> tuple[dict[str, np.ndarray], GroupSummary]:
    """Columns over the whole file, and what they show. All vectors are in memory for it, and no more."""
    ids: list[GraphId] = []
    pieces: list[np.ndarray] = []
    for table in _tables(files, number):
        ids += table.column(ID).to_pylist()
        pieces.append(as_array(table))
    vectors = np.concatenate(pieces)
    del pieces
    columns: dict[str, np.ndarray] = {}
    clusters = cluster_graphs(vectors, wanted.number) if wanted.clusters else None
    if clusters is not None:
        columns[CLUSTER] = clusters.labels
    unusual: list[tuple[GraphId, float]] = []
    if wanted.outliers:
        columns[SCORE], columns[RANK] = found = outlier_scores(vectors)
        first = np.argsort(found.ranks)[:UNUSUAL]
        unusual = [(ids[row], float(found.scores[row])) for row in first]
    if clusters is None:
        return columns, GroupSummary(outliers=unusual)
    told = _cluster_summaries(clusters, ids)
    return columns, GroupSummary(clusters.silhouette, clusters.verdict, told, unusual)


def _cluster_summaries(clusters: Clusters, ids: list[GraphId]) -> list[ClusterSummary]:
    return [
        ClusterSummary(graphs, [ids[row] for row in rows])
        for graphs, rows in zip(clusters.sizes, clusters.closest(CLOSEST))
    ]


def _with_columns(table: pa.Table, columns: dict[str, np.ndarray]) -> pa.Table:
    """Put columns before the vectors."""
    for name, values in columns.items():
        table = table.add_column(table.column_names.index(VECTOR), name, pa.array(values))
    return table
