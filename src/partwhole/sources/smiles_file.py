"""SMILES files: a molecule on each line, its name after a blank."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files import open_unpacked
from partwhole.registry import SOURCES
from partwhole.sources.base import Piece, Source
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.molecule_table import SMILES
from partwhole.sources.molecules import CHUNK, encoded_pieces, read_any_molecules
from partwhole.sources.reading import Reading
from partwhole.sources.tables import stem
from partwhole.store import GraphStore

SUFFIXES = tuple(f"{kind}{packed}" for kind in (".smi", ".smiles", ".ism") for packed in ("", ".gz"))


@SOURCES.register
class SmilesFile(Source):
    about = "a SMILES file (.smi)"

    @staticmethod
    def accepts(data: Any) -> bool:
        return isinstance(data, Path) and data.is_file() and data.name.lower().endswith(SUFFIXES)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        lines = list(_lines(data))
        store, rows = read_any_molecules([smiles for smiles, _ in lines], reading)
        return _named(store, [lines[row] for row in rows], data)

    @classmethod
    def pieces(cls, data: Path, reading: Reading) -> Iterator[Piece]:
        """Molecule and name of each; the names are read a second time rather than held."""
        if needs_coordinates(reading.schema):  # which SMILES have not; this says so
            yield Piece(cls.read(data, reading))
            return
        names = _lines(data)
        start = 0
        for piece in encoded_pieces((smiles for smiles, _ in _lines(data)), reading):
            lines = list(itertools.islice(names, CHUNK))
            yield Piece(_named(piece.store, [lines[row - start] for row in piece.rows], data))
            start += len(lines)


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


def _named(store: GraphStore, lines: list[tuple[str, str]], path: Path) -> GraphStore:
    """With the names as ids; the SMILES of molecules that have none."""
    return replace(
        store, name=stem(path), ids=np.array([name or smiles for smiles, name in lines], dtype=str)
    )
