"""Shards embedded by the machines of a cluster, which need not see the folder of the run."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from partwhole.estimators.loading import load_run
from partwhole.export.vector_tables import EmbeddedShard, TableEncoder
from partwhole.parallel.workers.cluster import RayCluster
from partwhole.runs.folder import RunFolder
from partwhole.runs.landmarks import read_landmarks
from partwhole.sources.base import LoadedShard, Piece, Shard, WholeShard
from partwhole.sources.loading import read_shard
from partwhole.sources.reading import Reading

TASK_GRAPHS = 4096  # of one task, where the input is not read in shards anyway


@dataclass(frozen=True)
class RunContent:
    """A fitted run as bytes, to be sent to other machines."""

    config: bytes
    weights: bytes
    landmarks: bytes  # none where the run has none

    @classmethod
    def of(cls, path: Path) -> RunContent:
        """Read a run folder."""
        run = RunFolder(path)
        landmarks = run.landmarks_file.read_bytes() if run.landmarks_file.exists() else b""
        return cls(run.config_file.read_bytes(), run.weights_file.read_bytes(), landmarks)

    def load(self) -> TableEncoder:
        """Make the encoder on the machine that got the bytes."""
        with tempfile.TemporaryDirectory() as folder:
            run = RunFolder(folder)
            run.config_file.write_bytes(self.config)
            run.weights_file.write_bytes(self.weights)
            if self.landmarks:
                run.landmarks_file.write_bytes(self.landmarks)
            return TableEncoder(load_run(folder), read_landmarks(folder))


@functools.lru_cache(maxsize=1)
def _loaded(content: RunContent) -> TableEncoder:
    """Once for all tasks of a process."""
    return content.load()


def embed_shard(
    content: RunContent, reserved: Collection[str], shard: Shard, reading: Reading
) -> EmbeddedShard:
    """Read and embed one shard; the task of a machine."""
    piece, told = read_shard(shard, reading)
    return list(replace(_loaded(content), reserved=reserved).tables(piece)), told


def embedded_by(
    cluster: RayCluster,
    content: RunContent,
    reserved: Collection[str],
    shards: Iterator[Shard],
    reading: Reading,
) -> Iterator[EmbeddedShard]:
    """Embed shards on the cluster; they come back in their order."""
    shared = cluster.shared(content)
    return cluster.in_order(embed_shard, ((shared, reserved, shard, reading.again()) for shard in shards))


def divided(shard: Shard, reading: Reading) -> Iterator[Shard]:
    """Cut a shard into tasks: what can only be read as a whole is read here, and sent piece by piece."""
    if not isinstance(shard, WholeShard | LoadedShard):
        yield shard
        return
    piece, told = read_shard(shard, reading.again())
    reading.add(told)
    for start in range(0, len(piece.store), TASK_GRAPHS):
        rows = None if piece.table is None else piece.table.slice(start, TASK_GRAPHS)
        yield LoadedShard(Piece(piece.store[start : start + TASK_GRAPHS], rows))
