"""A run and an input to a file of vectors: here, or by the machines of a cluster.

The input comes in shards, which are read and embedded one by one, so that neither memory nor a killed command
limits its size.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from partwhole.errors import PartwholeError
from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.loading import load_run
from partwhole.export.cluster_embedding import RunContent, divided, embedded_by
from partwhole.export.joining import GroupColumns, VectorFileSummary, joined
from partwhole.export.shard_files import ShardFiles
from partwhole.export.vector_files import names_of_vector, require_ending
from partwhole.export.vector_tables import FAR, VECTOR, EmbeddedShard, TableEncoder
from partwhole.parallel.workers.all_cores import on_all_cores
from partwhole.parallel.workers.cluster import RayCluster
from partwhole.runs.folder import RunFolder
from partwhole.runs.landmarks import read_landmarks
from partwhole.runs.pretrained import run_folder
from partwhole.sources.base import LoadedShard, Piece, Shard
from partwhole.sources.loading import read_graphs, read_shard, shards_of
from partwhole.sources.reading import Reading

NOTHING = GroupColumns()


def embed_file(
    run: Path,
    data: str,
    out: Path,
    *,
    strict: bool,
    fallback: bool,
    smiles_column: str | None = None,
    ray: str | None = None,
    wanted: GroupColumns = NOTHING,
) -> VectorFileSummary:
    """Write the vectors of all graphs, in the format that the name of `out` ends in.

    The file appears whole or not at all, and a call that was stopped goes on where it was.
    """
    require_ending(out)
    run = run_folder(run)
    estimator = load_run(run)
    reserved = {VECTOR, FAR, *wanted.names, *names_of_vector(out, estimator.width)}
    reading = Reading(estimator.schema_, strict, fallback, smiles_column=smiles_column)
    shards, total = _shards(data, reading, estimator)
    made_from = _made_from(run, data, reading, here=ray is None)
    files = ShardFiles(out, made_from, lasting=Path(data).is_file())
    try:
        if ray is None:
            encoder = TableEncoder(estimator, read_landmarks(run), reserved)
            number = _finish_here(files, shards, encoder, reading, total)
        else:
            with RayCluster(ray) as cluster:
                embedded = functools.partial(
                    embedded_by, cluster, RunContent.of(run), reserved, reading=reading
                )
                sent = (small for shard in shards for small in divided(shard, reading))
                number = _finish(files, sent, embedded, total)
        written = joined(files, number, reading, wanted)
    except BaseException:
        files.remove_unless_useful()
        raise
    files.remove()
    return written


def _shards(data: str, reading: Reading, estimator: AnyEstimator) -> tuple[Iterator[Shard], int | None]:
    if estimator.embeds_new_graphs:
        return shards_of(data, reading)
    store = read_graphs(data, reading)  # those of the fit, all at once
    return iter([LoadedShard(Piece(store))]), len(store)


def _made_from(run: Path, data: str, reading: Reading, here: bool) -> dict[str, object]:
    """What the shards of two calls must agree in."""
    folder, path = RunFolder(run), Path(data)
    of_run = (folder.config_file, folder.weights_file, folder.landmarks_file)
    return {
        "run": [_state(file) for file in of_run if file.exists()],
        "data": _state(path) if path.is_file() else uuid.uuid4().hex,  # of a folder it would take too long
        "reading": [reading.strict, reading.fallback, reading.smiles_column],
        "here": here,  # a cluster divides some inputs further
    }


def _state(file: Path) -> list[str | int]:
    """What changes with a file's content, without reading it."""
    state = file.stat()
    return [str(file.absolute()), state.st_size, state.st_mtime_ns]


def _finish(
    files: ShardFiles,
    shards: Iterator[Shard],
    embedded: Callable[[Iterator[Shard]], Iterator[EmbeddedShard]],
    total: int | None,
) -> int:
    """Embed and keep each shard that is not there yet; how many there are then."""
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
            if not files.has(number):
                numbers.append(number)
                yield shard
            number += 1

    with bar:
        task = bar.add_task("", total=total)
        for tables, told in embedded(missing()):
            files.keep(numbers.pop(0), tables, told)
            bar.update(task, advance=sum(table.num_rows for table in tables))
    return number


def _finish_here(
    files: ShardFiles, shards: Iterator[Shard], encoder: TableEncoder, reading: Reading, total: int | None
) -> int:
    try:
        return _finish(files, shards, functools.partial(embedded_here, encoder, reading=reading), total)
    except PartwholeError as error:
        if not isinstance(error.__cause__, OSError):  # the disk may be full; bad input has to be changed, and
            files.remove()  # shards of what was there before are of no use then
        raise


def embedded_here(
    encoder: TableEncoder, shards: Iterator[Shard], reading: Reading
) -> Iterator[EmbeddedShard]:
    """Embed shards in their order: they are read on all cores, and the network uses them all by itself."""
    for piece, told in on_all_cores(read_shard, ((shard, reading.again()) for shard in shards)):
        yield list(encoder.tables(piece)), told
