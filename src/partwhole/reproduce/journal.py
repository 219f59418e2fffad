"""The results file: one line for each finished cell, only ever appended to.

A line goes to the disk as a whole before the next cell is taken on. A line that a crash or a full
disk has cut is passed over by readers and removed by the next writer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from partwhole.errors import PartwholeError
from partwhole.files.whole import read_json, told_when_unwritable

Record = dict[str, Any]  # of a cell: plain values, as JSON gives them back
FORMAT = {"format": "partwhole results", "version": 1}


class Journal:
    """The results file of a folder, with one record a line."""

    def __init__(self, path: Path):
        self.path = path

    def read(self) -> list[Record]:
        """Give all whole records, oldest first."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")[:-1]  # what follows the last line end was cut
        records = []
        for number, line in enumerate(lines, start=1):
            try:
                records.append(read_json(line))
            except ValueError:
                raise PartwholeError(
                    f"Line {number} of {self.path} is damaged; restore the file, or remove that line to "
                    "compute its cell again."
                ) from None
        if records:
            self._check_format(records[0])
        return records[1:]

    def _check_format(self, header: object) -> None:
        if not isinstance(header, dict) or header.get("format") != FORMAT["format"]:
            raise PartwholeError(f"{self.path} is not a results file; choose another folder with --out.")
        if header["version"] != FORMAT["version"]:
            raise PartwholeError(
                f"{self.path} was written in version {header['version']} of the results file, this one "
                f"reads {FORMAT['version']}; choose another folder with --out, or use the version of "
                "partwhole that wrote it."
            )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other writers away, and make the file ready: a header, and no cut line at its end."""
        self.read()  # refuse what is not ours before touching it
        with told_when_unwritable(self.path, " The cells that are finished are kept."):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file:
                _lock(file.fileno(), self.path)
                content = self.path.read_bytes()
                os.ftruncate(file.fileno(), content.rfind(b"\n") + 1)
                if b"\n" not in content:
                    self.append(FORMAT)
                yield

    def append(self, record: Record) -> None:
        """Write a record to the disk as a whole, or leave the file as it was."""
        line = (json.dumps(record) + "\n").encode()
        with self.path.open("ab", buffering=0) as file:
            end = file.tell()
            try:
                if file.write(line) < len(line):
                    raise OSError(28, "No space left on device")
                os.fsync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), end)
                raise


def _lock(descriptor: int, path: Path) -> None:
    """One writer at a time; the lock ends with its process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PartwholeError(
            f"Another process is writing to {path}; wait for it, or choose another folder with --out."
        ) from None
