"""SMILES files: a molecule on each line, its name after a blank."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from partwhole.errors import PartwholeError
from partwhole.files.whole import open_unpacked
from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Piece, Shard, Source, WholeShard, is_file_of
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.dialect import encoding_of, notes_on_encoding
from partwhole.sources.readers.molecules import (
    CHUNK,
    encode_molecules,
    read_any_molecules,
    require_rdkit,
    with_names,
)
from partwhole.sources.reading import Reading
from partwhole.sources.smiles_column import SMILES
from partwhole.sources.tables import stem

SUFFIXES = tuple(f"{ending}{packed}" for ending in (".smi", ".smiles", ".ism") for packed in ("", ".gz"))


@SOURCES.register
class SmilesFile(Source[Path]):
    """Molecules of a file of SMILES."""

    reads = "a SMILES file (.smi)"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether it is a file whose name ends as those of SMILES files do."""
        return is_file_of(data, SUFFIXES)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Read all lines; names after the SMILES are the ids."""
        lines = list(_lines(data))
        for note in notes_on_encoding(data):
            reading.note(note)
        store = read_any_molecules(
            [line.smiles for line in lines], reading, lambda row: f"line {lines[row].number}"
        )
        return replace(with_names(store, [lines[row].name for row in store.rows]), name=stem(data))

    @classmethod
    def shards(cls, data: Path, reading: Reading) -> Iterator[Shard]:
        """`CHUNK` lines at a time."""
        if needs_coordinates(reading.schema):  # which SMILES have not; reading them says so
            yield WholeShard(cls, data)
            return
        require_rdkit()
        for note in notes_on_encoding(data):
            reading.note(note)
        lines = _lines(data)
        for first in itertools.count(0, CHUNK):
            if not (some := list(itertools.islice(lines, CHUNK))):
                return
            yield MoleculeLines(some, first, stem(data))


class SmilesLine(NamedTuple):
    """A line of the file that holds a molecule."""

    number: int  # in the file, counted from 1
    smiles: str
    name: str | None


@dataclass(frozen=True)
class MoleculeLines:
    """Some lines of a file of SMILES: a shard."""

    lines: list[SmilesLine]
    first: int  # place of the first among the molecules
    name: str

    def read(self, reading: Reading) -> Piece:
        """Encode the molecules of these lines."""
        found = encode_molecules([line.smiles for line in self.lines], self.first, reading.most_nodes)
        found.tell(reading, lambda row: f"line {self.lines[row - self.first].number}")
        names = [self.lines[row].name for row in found.store.rows - self.first]
        return Piece(replace(with_names(found.store, names), name=self.name))


def _lines(path: Path) -> Iterator[SmilesLine]:
    """The lines with molecules; blank lines, remarks and a heading are passed over."""
    try:
        encoding = encoding_of(path)
        with open_unpacked(path) as file:
            for number, line in enumerate(file, start=1):
                text = line.decode(encoding).removeprefix("\ufeff")
                smiles, _, name = text.strip().replace("\t", " ").partition(" ")
                if smiles and not smiles.startswith("#") and not (number == 1 and smiles.lower() in SMILES):
                    yield SmilesLine(number, smiles, name.strip() or None)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise PartwholeError(f"{path} cannot be read as text ({error}); correct it.") from None
