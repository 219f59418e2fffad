"""SMILES files: a molecule on each line, its name after a blank."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partwhole.errors import PartwholeError
from partwhole.files import open_unpacked
from partwhole.registry import SOURCES
from partwhole.sources.base import Piece, Shard, Source, Whole, is_file_of
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.molecule_table import SMILES
from partwhole.sources.molecules import CHUNK, encode_molecules, read_any_molecules, require_rdkit, with_names
from partwhole.sources.reading import Reading
from partwhole.sources.tables import stem
from partwhole.store import GraphStore

SUFFIXES = tuple(f"{kind}{packed}" for kind in (".smi", ".smiles", ".ism") for packed in ("", ".gz"))


@SOURCES.register
class SmilesFile(Source):
    about = "a SMILES file (.smi)"

    @staticmethod
    def accepts(data: Any) -> bool:
        return is_file_of(data, SUFFIXES)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        lines = list(_lines(data))
        store, rows = read_any_molecules([smiles for smiles, _ in lines], reading)
        return replace(with_names(store, [lines[row][1] for row in rows]), name=stem(data))

    @classmethod
    def shards(cls, data: Path, reading: Reading) -> Iterator[Shard]:
        if needs_coordinates(reading.schema):  # which SMILES have not; reading them says so
            yield Whole(cls, data)
            return
        require_rdkit()
        lines = _lines(data)
        for first in itertools.count(0, CHUNK):
            if not (some := list(itertools.islice(lines, CHUNK))):
                return
            yield MoleculeLines(some, first, stem(data))


@dataclass(frozen=True)
class MoleculeLines:
    """Some lines of a file."""

    lines: list[tuple[str, str]]  # SMILES and name
    first: int  # number of the first
    name: str

    def read(self, reading: Reading) -> Piece:
        found = encode_molecules([smiles for smiles, _ in self.lines], self.first, reading.most_nodes)
        found.tell(reading)
        store = with_names(found.store, [self.lines[row][1] for row in found.rows - self.first])
        return Piece(replace(store, name=self.name))


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """(SMILES, name) of each molecule; blank lines, remarks and a heading are passed over."""
    try:
        with open_unpacked(path) as file:
            for number, line in enumerate(file):
                smiles, _, name = line.decode("utf-8-sig").strip().replace("\t", " ").partition(" ")
                if smiles and not smiles.startswith("#") and not (number == 0 and smiles.lower() in SMILES):
                    yield smiles, name.strip()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise PartwholeError(f"{path} cannot be read as text ({error}); correct it.") from None
