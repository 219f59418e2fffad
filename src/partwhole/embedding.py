"""A run and an input to a file of vectors: here, or by the machines of a cluster.

The input comes in shards, which are read and embedded one by one, so that neither memory nor a killed command
limits its size.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from partwhole.errors import PartwholeError
from partwhole.files import atomic_file
from partwhole.method import GraphMethod, load_run
from partwhole.parts import Parts
from partwhole.pretrained import run_folder
from partwhole.sources.base import Loaded, Piece, Shard, Whole
from partwhole.sources.loading import read_graphs, read_shard, shards_of
from partwhole.sources.reading import Reading
from partwhole.training.checkpoint import RunFolder
from partwhole.vectors import VECTOR, vector_tables
from partwhole.workers.all_cores import on_all_cores
from partwhole.workers.cluster import RayCluster

PART = 4096  # graphs of a task on a cluster, where the input is not read in shards anyway

Embedded = tuple[list[pa.Table], Reading]  # the vectors of a shard, and what there is to say about its graphs


@dataclass(frozen=True)
class Written:
    """What there is to say about a file of vectors."""

    graphs: int
    width: int
    reading: Reading


def embed_file(
    run: Path, data: str, out: Path, *, strict: bool, fallback: bool, ray: str | None = None
) -> Written:
    """Write the vectors of all graphs. The file appears whole or not at all, and a call that was killed goes
    on where it stopped."""
    run = run_folder(run)
    estimator = load_run(run)
    content, reading = RunContent.of(run), Reading(estimator.schema_, strict, fallback)
    shards, total = _shards(data, reading, estimator)
    about = _about(content, data, reading, here=ray is None)
    if ray is None:
        embedded = functools.partial(embedded_here, estimator, reading=reading)
        return _written(Parts(out, about), shards, embedded, total, reading)
    with RayCluster(ray) as cluster:
        embedded = functools.partial(embedded_by, cluster, content, reading=reading)
        sent = (part for shard in shards for part in divided(shard, reading))
        return _written(Parts(out, about), sent, embedded, total, reading)


def _shards(data: str, reading: Reading, estimator: GraphMethod) -> tuple[Iterator[Shard], int | None]:
    if estimator.embeds_new_graphs:
        return shards_of(data, reading)
    store = read_graphs(data, reading)  # those of the fit, all at once
    return iter([Loaded(Piece(store))]), len(store)


def _about(content: RunContent, data: str, reading: Reading, here: bool) -> dict[str, Any]:
    """What the parts of two calls must agree in. Of a folder it would take too long to tell."""
    path = Path(data)
    state = [path.stat().st_size, path.stat().st_mtime_ns] if path.is_file() else [uuid.uuid4().hex]
    return {
        "run": hashlib.sha256(content.config + content.weights).hexdigest(),
        "data": [str(path.absolute()), *state],
        "reading": [reading.strict, reading.fallback],
        "here": here,  # a cluster divides some inputs further
    }


def _written(
    parts: Parts,
    shards: Iterator[Shard],
    embedded: Callable[[Iterator[Shard]], Iterator[Embedded]],
    total: int | None,
    reading: Reading,
) -> Written:
    """A part for each shard that has none yet, and then all of them as one file."""
    bar = Progress(
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    number = 0  # of shards seen so far
    numbers: list[int] = []  # of those that are being made

    def missing() -> Iterator[Shard]:
        nonlocal number
        for shard in shards:
            if not parts.has(number):
                numbers.append(number)
                yield shard
            number += 1

    with bar:
        task = bar.add_task("", total=total)
        for tables, told in embedded(missing()):
            parts.keep(numbers.pop(0), tables, told)
            bar.update(task, advance=sum(table.num_rows for table in tables))
    written = _joined(parts, number, reading)
    parts.remove()
    return written


def _joined(parts: Parts, number: int, reading: Reading) -> Written:
    graphs = width = 0
    with atomic_file(parts.out) as temporary:
        writer = None
        try:
            for table in (table for k in range(number) for table in parts.read(k, reading)):
                writer = writer or parquet.ParquetWriter(temporary, table.schema)
                writer.write_table(table.cast(writer.schema))
                graphs, width = graphs + table.num_rows, table.schema.field(VECTOR).type.list_size
        finally:
            if writer is not None:
                writer.close()
        reading.require_any(graphs)
        if not graphs:
            raise PartwholeError("There are no graphs; give at least one.")
    return Written(graphs, width, reading)


def embedded_here(estimator: GraphMethod, shards: Iterator[Shard], reading: Reading) -> Iterator[Embedded]:
    """Read on all cores; the network uses them all by itself."""
    for piece, told in on_all_cores(read_shard, ((shard, reading.again()) for shard in shards)):
        yield _tables(estimator, piece), told


def _tables(estimator: GraphMethod, piece: Piece) -> list[pa.Table]:
    return list(vector_tables(estimator, piece)) if len(piece.store) else []


# ---------------------------------------------------------------- by a cluster


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


def embed_shard(content: RunContent, shard: Shard, reading: Reading) -> Embedded:
    piece, told = read_shard(shard, reading)
    return _tables(_loaded(content), piece), told


def embedded_by(
    cluster: RayCluster, content: RunContent, shards: Iterator[Shard], reading: Reading
) -> Iterator[Embedded]:
    """In the order of the shards."""
    shared = cluster.shared(content)
    return cluster.in_order(embed_shard, ((shared, shard, reading.again()) for shard in shards))


def divided(shard: Shard, reading: Reading) -> Iterator[Shard]:
    """What can only be read as a whole is read here, and sent in parts."""
    if not isinstance(shard, Whole | Loaded):
        yield shard
        return
    piece, told = read_shard(shard, reading.again())
    reading.add(told)
    for start in range(0, len(piece.store), PART):
        rows = None if piece.table is None else piece.table.slice(start, PART)
        yield Loaded(Piece(piece.store[start : start + PART], rows))
