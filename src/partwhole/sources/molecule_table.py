"""A table of molecules: CSV, TSV or Parquet with a SMILES column; the other columns are targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from partwhole.errors import PartwholeError
from partwhole.registry import SOURCES
from partwhole.sources.base import Piece, Shard, Source, Whole
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.edge_table import is_edge_table
from partwhole.sources.molecules import CHUNK, encode_molecules, read_any_molecules, require_rdkit, with_names
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
    def shards(cls, data: Path, reading: Reading) -> Iterator[Shard]:
        if needs_coordinates(reading.schema):  # which a table has not; reading it says so
            yield Whole(cls, data)
            return
        require_rdkit()
        names = column_names(data)
        column, key = smiles_column(data, names), named(names, IDS)
        for k, table in enumerate(table_pieces(data, CHUNK)):
            yield MoleculeRows(table, column, key, k * CHUNK, stem(data))

    @staticmethod
    def count(data: Path) -> int | None:
        return count_rows(data)


@dataclass(frozen=True)
class MoleculeRows:
    """Some rows of a table."""

    table: pa.Table
    smiles: str  # the columns
    key: str | None
    first: int  # row of the first
    name: str

    def read(self, reading: Reading) -> Piece:
        found = encode_molecules(values(self.table.column(self.smiles)), self.first, reading.most_nodes)
        found.tell(reading)
        rows = self.table.take(found.rows - self.first)
        store = replace(found.store, name=self.name)
        return Piece(with_names(store, values(rows.column(self.key))) if self.key else store, rows)


def smiles_column(path: Path, names: list[str]) -> str:
    column = named(names, SMILES)
    if column is None:
        raise PartwholeError(
            f"{path} has no column of SMILES among {', '.join(names)}; name one of them smiles, or name "
            "graph, source and target if it is a list of edges."
        )
    return column
