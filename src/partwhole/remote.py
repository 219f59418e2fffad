"""Vectors made by the machines of a cluster: each reads its part of the input and embeds it."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from partwhole.method import GraphMethod
from partwhole.methods.base import load_run
from partwhole.sources.base import Loaded, Piece, Shard, Whole
from partwhole.sources.loading import read_shard
from partwhole.sources.reading import Reading
from partwhole.training.checkpoint import RunFolder
from partwhole.vectors import vector_tables
from partwhole.workers.cluster import RayCluster

PART = 4096  # graphs of a task, where the input is not read in parts anyway


@dataclass(frozen=True)
class RunContent:
    """A fitted run as bytes: other machines need not see its folder."""

    config: bytes
    weights: bytes

    @classmethod
    def of(cls, path: Path) -> RunContent:
        run = RunFolder(path)
        return cls(run.config_file.read_bytes(), run.weights_file.read_bytes())

    def load(self) -> GraphMethod:
        with tempfile.TemporaryDirectory() as folder:
            run = RunFolder(folder)
            run.config_file.write_bytes(self.config)
            run.weights_file.write_bytes(self.weights)
            return load_run(folder)


@functools.lru_cache(maxsize=1)
def _loaded(content: RunContent) -> GraphMethod:
    """Once for all tasks of a process."""
    return content.load()


def embed_shard(content: RunContent, shard: Shard, reading: Reading) -> tuple[list[pa.Table], Reading]:
    piece, told = read_shard(shard, reading)
    return (list(vector_tables(_loaded(content), piece)) if len(piece.store) else []), told


def embedded_by(
    cluster: RayCluster, run: Path, shards: Iterator[Shard], reading: Reading
) -> Iterator[pa.Table]:
    """`vector_tables` of all shards, in their order."""
    content = cluster.shared(RunContent.of(run))
    tasks = ((content, part, reading.again()) for shard in shards for part in _parts(shard, reading))
    graphs = 0
    for tables, told in cluster.in_order(embed_shard, tasks):
        reading.add(told)
        graphs += sum(table.num_rows for table in tables)
        yield from tables
    reading.require_any(graphs)


def _parts(shard: Shard, reading: Reading) -> Iterator[Shard]:
    """What can only be read as a whole is read here, and sent in parts."""
    if not isinstance(shard, Whole | Loaded):
        yield shard
        return
    piece, told = read_shard(shard, reading.again())
    reading.add(told)
    for start in range(0, len(piece.store), PART):
        rows = None if piece.table is None else piece.table.slice(start, PART)
        yield Loaded(Piece(piece.store[start : start + PART], rows))
