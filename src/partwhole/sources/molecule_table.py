"""A table of molecules: CSV, TSV or Parquet with a SMILES column; the other columns are targets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from partwhole.errors import PartwholeError
from partwhole.registry import SOURCES
from partwhole.sources.base import Piece, Source
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.edge_table import is_edge_table
from partwhole.sources.molecules import CHUNK, encoded_pieces, read_any_molecules, with_names
from partwhole.sources.reading import Reading
from partwhole.sources.tables import (
    column_names,
    count_rows,
    is_table,
    named,
    read_columns,
    stem,
    table_pieces,
    values,
)
from partwhole.sources.targets import with_targets
from partwhole.store import GraphStore

SMILES = ("smiles", "canonical_smiles", "isomeric_smiles", "smi")  # names of the column, in this order
IDS = ("id", "name", "compound_id", "molecule_id", "mol_id")


@SOURCES.register
class MoleculeTable(Source):
    about = "a CSV, TSV or Parquet file with a SMILES column"

    @staticmethod
    def accepts(data: Any) -> bool:
        return is_table(data) and not is_edge_table(data)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        names = column_names(data)
        smiles, key = smiles_column(data, names), named(names, IDS)
        columns = read_columns(data, [key])
        store, rows = read_any_molecules(columns.pop(smiles), reading)
        kept = {name: [cells[row] for row in rows] for name, cells in columns.items()}
        if key:
            store = with_names(store, kept.pop(key))
        return replace(with_targets(store, kept, reading), name=stem(data))

    @classmethod
    def pieces(cls, data: Path, reading: Reading) -> Iterator[Piece]:
        if needs_coordinates(reading.schema):  # which a table has not; this says so
            yield Piece(cls.read(data, reading))
            return
        names = column_names(data)
        column, key = smiles_column(data, names), named(names, IDS)
        waiting: deque[pa.Table] = deque()  # rows whose molecules are being encoded

        def texts() -> Iterator[Any]:
            for table in table_pieces(data, CHUNK):
                waiting.append(table)
                yield from values(table.column(column))

        start = 0
        for piece in encoded_pieces(texts(), reading):
            table = waiting.popleft()
            rows = table.take(piece.rows - start)
            start += table.num_rows
            store = replace(piece.store, name=stem(data))
            yield Piece(with_names(store, values(rows.column(key))) if key else store, rows)

    @staticmethod
    def count(data: Path) -> int | None:
        return count_rows(data)


def smiles_column(path: Path, names: list[str]) -> str:
    column = named(names, SMILES)
    if column is None:
        raise PartwholeError(
            f"{path} has no column of SMILES among {', '.join(names)}; name one of them smiles, or name "
            "graph, source and target if it is a list of edges."
        )
    return column
