"""A file of vectors while it is being made: one part for each shard of the input.

A part appears whole or not at all, and a command that was killed goes on after the last one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from partwhole.files import atomic_file
from partwhole.sources.reading import Reading

TOLD = b"partwhole"  # in the metadata of a part: what there was to say about its graphs


class Parts:
    """In a hidden folder beside `out`; `about` tells what they are made from, and parts of something else are
    thrown away."""

    def __init__(self, out: Path, about: Mapping[str, Any]):
        self.out, self.folder = out, out.with_name(f".{out.name}.parts")
        described = self.folder / "about.json"
        content = json.dumps(about, sort_keys=True)
        if not described.exists() or described.read_text() != content:
            self.remove()
            with atomic_file(described) as temporary:
                temporary.write_text(content)

    def has(self, number: int) -> bool:
        return self._file(number).exists()

    def keep(self, number: int, tables: Sequence[pa.Table], told: Reading) -> None:
        """No tables: none of the graphs of this shard could be read."""
        table = pa.concat_tables(tables) if tables else pa.table({})
        said = json.dumps({"left_out": told.left_out, "notes": told.notes})
        with atomic_file(self._file(number)) as temporary:
            parquet.write_table(table.replace_schema_metadata({TOLD: said}), temporary)

    def read(self, number: int, reading: Reading) -> Iterator[pa.Table]:
        """A few hundred rows at a time; what there was to say is added to the reading."""
        with parquet.ParquetFile(self._file(number)) as part:
            said = json.loads(part.schema_arrow.metadata[TOLD])
            left_out = [(item, reason) for item, reason in said["left_out"]]
            reading.add(Reading(left_out=left_out, notes=said["notes"]))
            for batch in part.iter_batches():
                yield pa.Table.from_batches([batch]).replace_schema_metadata(None)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _file(self, number: int) -> Path:
        return self.folder / f"{number:06d}.parquet"
