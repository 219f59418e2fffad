"""A run and an input to a file of vectors: here, or by the machines of a cluster.

The input comes in shards, which are read and embedded one by one, so that neither memory nor a killed command
limits its size.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from partwhole.errors import PartwholeError
from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.loading import load_run
from partwhole.export.joining import Wanted, Written, joined
from partwhole.export.part_files import Parts
from partwhole.export.vector_files import names_of_vector, require_ending
from partwhole.export.vector_tables import FAR, VECTOR, Encoder
from partwhole.parallel.workers.all_cores import on_all_cores
from partwhole.parallel.workers.cluster import RayCluster
from partwhole.runs.folder import RunFolder
from partwhole.runs.landmarks import read_landmarks
from partwhole.runs.pretrained import run_folder
from partwhole.sources.base import LoadedShard, Piece, Shard, WholeShard
from partwhole.sources.loading import read_graphs, read_shard, shards_of
from partwhole.sources.reading import Reading

PART = 4096  # graphs of a task on a cluster, where the input is not read in shards anyway
NOTHING = Wanted()

Embedded = tuple[list[pa.Table], Reading]  # the vectors of a shard, and what there is to say about its graphs


def embed_file(
    run: Path,
    data: str,
    out: Path,
    *,
    strict: bool,
    fallback: bool,
    smiles_column: str | None = None,
    ray: str | None = None,
    wanted: Wanted = NOTHING,
) -> Written:
    """Write the vectors of all graphs, in the format that the name of `out` ends in. The file appears whole
    or not at all, and a call that was stopped goes on where it was."""
    require_ending(out)
    run = run_folder(run)
    estimator, content = load_run(run), RunContent.of(run)
    reserved = {VECTOR, FAR, *wanted.names, *names_of_vector(out, estimator.width)}
    reading = Reading(estimator.schema_, strict, fallback, smiles_column=smiles_column)
    shards, total = _shards(data, reading, estimator)
    about = _about(content, data, reading, here=ray is None)
    parts = Parts(out, about, lasting=Path(data).is_file())
    try:
        if ray is None:
            encoder = Encoder(estimator, read_landmarks(run), reserved)
            number = _make_here(parts, shards, encoder, reading, total)
        else:
            with RayCluster(ray) as cluster:
                embedded = functools.partial(embedded_by, cluster, content, reserved, reading=reading)
                sent = (part for shard in shards for part in divided(shard, reading))
                number = _make(parts, sent, embedded, total)
        written = joined(parts, number, reading, wanted)
    except BaseException:
        parts.remove_unless_useful()
        raise
    parts.remove()
    return written


def _shards(data: str, reading: Reading, estimator: AnyEstimator) -> tuple[Iterator[Shard], int | None]:
    if estimator.embeds_new_graphs:
        return shards_of(data, reading)
    store = read_graphs(data, reading)  # those of the fit, all at once
    return iter([LoadedShard(Piece(store))]), len(store)


def _about(content: RunContent, data: str, reading: Reading, here: bool) -> dict[str, Any]:
    """What the parts of two calls must agree in. Of a folder it would take too long to tell."""
    path = Path(data)
    state = [path.stat().st_size, path.stat().st_mtime_ns] if path.is_file() else [uuid.uuid4().hex]
    return {
        "run": hashlib.sha256(content.config + content.weights + content.landmarks).hexdigest(),
        "data": [str(path.absolute()), *state],
        "reading": [reading.strict, reading.fallback, reading.smiles_column],
        "here": here,  # a cluster divides some inputs further
    }


def _make(
    parts: Parts,
    shards: Iterator[Shard],
    embedded: Callable[[Iterator[Shard]], Iterator[Embedded]],
    total: int | None,
) -> int:
    """A part for each shard that has none yet; how many there are then."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
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
    return number


def _make_here(
    parts: Parts, shards: Iterator[Shard], encoder: Encoder, reading: Reading, total: int | None
) -> int:
    try:
        return _make(parts, shards, functools.partial(embedded_here, encoder, reading=reading), total)
    except PartwholeError as error:
        if not isinstance(error.__cause__, OSError):  # the disk may be full; bad input has to be changed, and
            parts.remove()  # parts of what was there before are of no use then
        raise


def embedded_here(encoder: Encoder, shards: Iterator[Shard], reading: Reading) -> Iterator[Embedded]:
    """Read on all cores; the network uses them all by itself."""
    for piece, told in on_all_cores(read_shard, ((shard, reading.again()) for shard in shards)):
        yield list(encoder.tables(piece)), told


# ---------------------------------------------------------------- by a cluster


@dataclass(frozen=True)
class RunContent:
    """A fitted run as bytes: other machines need not see its folder."""

    config: bytes
    weights: bytes
    landmarks: bytes  # none where the run has none

    @classmethod
    def of(cls, path: Path) -> RunContent:
        run = RunFolder(path)
        landmarks = run.landmarks_file.read_bytes() if run.landmarks_file.exists() else b""
        return cls(run.config_file.read_bytes(), run.weights_file.read_bytes(), landmarks)

    def load(self) -> Encoder:
        with tempfile.TemporaryDirectory() as folder:
            run = RunFolder(folder)
            run.config_file.write_bytes(self.config)
            run.weights_file.write_bytes(self.weights)
            if self.landmarks:
                run.landmarks_file.write_bytes(self.landmarks)
            return Encoder(load_run(folder), read_landmarks(folder))


@functools.lru_cache(maxsize=1)
def _loaded(content: RunContent) -> Encoder:
    """Once for all tasks of a process."""
    return content.load()


def embed_shard(content: RunContent, reserved: Collection[str], shard: Shard, reading: Reading) -> Embedded:
    piece, told = read_shard(shard, reading)
    return list(replace(_loaded(content), reserved=reserved).tables(piece)), told


def embedded_by(
    cluster: RayCluster,
    content: RunContent,
    reserved: Collection[str],
    shards: Iterator[Shard],
    reading: Reading,
) -> Iterator[Embedded]:
    """In the order of the shards."""
    shared = cluster.shared(content)
    return cluster.in_order(embed_shard, ((shared, reserved, shard, reading.again()) for shard in shards))


def divided(shard: Shard, reading: Reading) -> Iterator[Shard]:
    """What can only be read as a whole is read here, and sent in parts."""
    if not isinstance(shard, WholeShard | LoadedShard):
        yield shard
        return
    piece, told = read_shard(shard, reading.again())
    reading.add(told)
    for start in range(0, len(piece.store), PART):
        rows = None if piece.table is None else piece.table.slice(start, PART)
        yield LoadedShard(Piece(piece.store[start : start + PART], rows))
