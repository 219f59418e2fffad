"""How a text file is written: its encoding; of a table, what divides its cells and the decimal mark."""

from __future__ import annotations

import codecs
import csv
import functools
import re
from dataclasses import dataclass
from pathlib import Path

from partwhole.errors import PartwholeError
from partwhole.files.whole import open_unpacked

UTF8, WINDOWS = "utf-8", "cp1252"  # the second is Latin-1 with the signs that Windows adds
DELIMITERS = (",", ";", "\t")
BLOCK = 1 << 20  # bytes at a time
LOOKED_AT = 200  # lines that tell the decimal mark
COMMA, POINT = re.compile(r"[+-]?\d+,\d+"), re.compile(r"[+-]?\d+\.\d+")


@dataclass(frozen=True)
class Dialect:
    """How the text of a table is written."""

    delimiter: str = ","
    encoding: str = UTF8
    decimal: str = "."


def encoding_of(path: Path) -> str:
    """The encoding of a text file: UTF-8, or what Windows and older programs write where they do not."""
    state = path.stat()
    return _encoding(path, state.st_mtime_ns, state.st_size)


def notes_on_encoding(path: Path) -> list[str]:
    """What a person should know of the encoding: nothing where it is UTF-8."""
    if encoding_of(path) == UTF8:
        return []
    return [f"{path.name} is not UTF-8 text; it was read as Latin-1 (Windows-1252)."]


def dialect_of(path: Path) -> Dialect:
    """The dialect of a table, found in the file itself, once for each state of it."""
    state = path.stat()
    return _dialect(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=16)
def _dialect(path: Path, changed: int, size: int) -> Dialect:
    encoding = _encoding(path, changed, size)
    with open_unpacked(path) as file:
        start = file.read(BLOCK).decode(encoding, errors="ignore")
    lines = start.lstrip("\ufeff").splitlines()[:LOOKED_AT]
    delimiter = "\t" if ".tsv" in path.name.lower() else _delimiter(lines[0] if lines else "")
    return Dialect(delimiter, encoding, _decimal(lines[1:], delimiter))


@functools.lru_cache(maxsize=16)
def _encoding(path: Path, changed: int, size: int) -> str:
    found = next((encoding for encoding in (UTF8, WINDOWS) if _is_text(path, encoding)), None)
    if found is None:
        raise PartwholeError(f"{path} is not text; save it as UTF-8.")
    return found


def _is_text(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open_unpacked(path) as file:
            while block := file.read(BLOCK):
                if "\0" in decoder.decode(block):
                    return False
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _delimiter(heading: str) -> str:
    """The sign that divides the heading into most names."""
    return max(DELIMITERS, key=lambda sign: len(next(csv.reader([heading], delimiter=sign), [])))


def _decimal(lines: list[str], delimiter: str) -> str:
    """A comma where numbers have one and none has a point, as spreadsheets write them beside semicolons."""
    if delimiter == ",":
        return "."
    cells = [cell.strip() for row in csv.reader(lines, delimiter=delimiter) for cell in row]
    with_comma = any(COMMA.fullmatch(cell) for cell in cells)
    return "," if with_comma and not any(POINT.fullmatch(cell) for cell in cells) else "."
