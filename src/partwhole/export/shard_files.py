"""A file of vectors while it is being made: one small file for each shard of the input.

A shard's file appears whole or not at all, and a command that was killed goes on after the last one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from partwhole.files.whole import atomic_file
from partwhole.sources.reading import Reading

TOLD = b"partwhole"  # in the metadata of a file: what there was to say about its graphs


def unfinished_folder(out: Path) -> Path:
    """Where the shards of `out` are kept until it is whole: hidden, beside it."""
    return out.with_name(f".{out.name}.parts")


class ShardFiles:
    """The vectors of the shards that are finished, numbered in the order of the input.

    `made_from` tells what they come from, and files of something else are thrown away. They are `lasting`
    where the next call can tell that they are of the same input.
    """

    def __init__(self, out: Path, made_from: Mapping[str, object], lasting: bool):
        self.out, self.folder, self.lasting = out, unfinished_folder(out), lasting
        described = self.folder / "made_from.json"
        content = json.dumps(made_from, sort_keys=True)
        if not described.exists() or described.read_text() != content:
            self.remove()
            with atomic_file(described) as temporary:
                temporary.write_text(content)

    def has(self, number: int) -> bool:
        """Whether this shard is finished."""
        return self._file(number).exists()

    def keep(self, number: int, tables: Sequence[pa.Table], told: Reading) -> None:
        """Write a finished shard; without tables, none of its graphs could be read."""
        table = pa.concat_tables(tables) if tables else pa.table({})
        said = json.dumps({"left_out": told.left_out, "notes": told.notes})
        with atomic_file(self._file(number)) as temporary:
            parquet.write_table(table.replace_schema_metadata({TOLD: said}), temporary)

    def rows(self, number: int) -> int:
        """How many graphs of this shard have a vector."""
        return int(parquet.read_metadata(self._file(number)).num_rows)

    def told(self, number: int) -> Reading:
        """What there was to say about the graphs of this shard."""
        said = json.loads(parquet.read_schema(self._file(number)).metadata[TOLD])
        left_out = [(item, reason) for item, reason in said["left_out"]]
        return Reading(left_out=left_out, notes=said["notes"])

    def tables(self, number: int) -> Iterator[pa.Table]:
        """Read the vectors of this shard, a few hundred rows at a time."""
        with parquet.ParquetFile(self._file(number)) as file:
            for batch in file.iter_batches():
                yield pa.Table.from_batches([batch]).replace_schema_metadata(None)

    def remove(self) -> None:
        """Throw all shards away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def remove_unless_useful(self) -> None:
        """Clean up after a call that did not end: what is finished serves the next one if it is of a file."""
        if not (self.lasting and self.has(0)):
            self.remove()

    def _file(self, number: int) -> Path:
        return self.folder / f"{number:06d}.parquet"
