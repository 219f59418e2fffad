"""A table of molecules: CSV, TSV, Parquet, Excel or pandas; columns beside the SMILES are targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Piece, Shard, Source, WholeShard
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.frames import frame_index, is_frame
from partwhole.sources.readers.edge_table import is_edge_table
from partwhole.sources.readers.molecules import (
    CHUNK,
    encode_molecules,
    read_any_molecules,
    require_rdkit,
    with_names,
)
from partwhole.sources.reading import Reading
from partwhole.sources.smiles_column import SMILES, smiles_column
from partwhole.sources.tables import (
    TableLike,
    column_names,
    count_rows,
    first_row,
    is_table,
    key_values,
    named,
    notes_of,
    read_columns,
    stem,
    table_pieces,
    values,
)
from partwhole.sources.target_columns import with_targets

IDS = ("id", "name", "compound_id", "molecule_id", "mol_id")


@SOURCES.register
class MoleculeTable(Source[TableLike]):
    """Molecules by a column of SMILES; the other columns are targets."""

    reads = "a table (CSV, TSV, Parquet, Excel, pandas) with a SMILES column"
    has_smiles_column = True

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether it is a table, unless of edges."""
        return is_table(data) and not is_edge_table(data)

    @staticmethod
    def read(data: TableLike, reading: Reading) -> GraphStore:
        """Read all rows; a column of names gives the ids."""
        names = column_names(data)
        key = named(names, IDS)
        smiles = smiles_column(data, names, reading)
        for note in notes_of(data):
            reading.note(note)
        columns = read_columns(data, [key])
        store = read_any_molecules(columns.pop(smiles), reading, called_in(data))
        kept = {name: [cells[row] for row in store.rows] for name, cells in columns.items()}
        called: Sequence[str | None] | None = kept.pop(key) if key else None
        if key is None and is_frame(data) and (index := frame_index(data)) is not None:
            called = [index[row] for row in store.rows]
        if called is not None:
            store = with_names(store, called)
        store = replace(with_targets(store, kept, reading), name=stem(data))
        return _knowing(store, smiles)

    @classmethod
    def shards(cls, data: TableLike, reading: Reading) -> Iterator[Shard]:
        """`CHUNK` rows of a file at a time; a `DataFrame`, which is in memory already, at once."""
        if is_frame(data) or needs_coordinates(reading.schema):  # a table has none; reading it says so
            yield WholeShard(cls, data)
            return
        require_rdkit()
        names = column_names(data)
        key = named(names, IDS)
        smiles = smiles_column(data, names, reading)
        for note in notes_of(data):
            reading.note(note)
        for k, table in enumerate(table_pieces(data, CHUNK, [key])):
            yield MoleculeRows(table, smiles, key, k * CHUNK, first_row(data), stem(data))

    @staticmethod
    def count(data: TableLike) -> int | None:
        """How many rows a Parquet or Excel file has."""
        return None if is_frame(data) else count_rows(data)


def called_in(data: TableLike) -> Callable[[int], str]:
    """How a person calls a row of the table, by its place: `row 2`."""
    first = first_row(data)
    return lambda row: f"row {row + first}"


def _knowing(store: GraphStore, smiles: str) -> GraphStore:
    """A column that its name does not tell is remembered, so that a model finds it in another table too."""
    if smiles.strip().lower() in SMILES:
        return store
    return replace(store, schema=replace(store.schema, smiles_column=smiles))


@dataclass(frozen=True)
class MoleculeRows:
    """Some rows of a table of molecules: a shard."""

    table: pa.Table
    smiles: str  # the columns
    key: str | None
    first: int  # place of the first, counted from 0
    counted_from: int  # the number that place 0 has in the file
    name: str

    def read(self, reading: Reading) -> Piece:
        """Encode these rows; the piece keeps those that could be read."""
        found = encode_molecules(values(self.table.column(self.smiles)), self.first, reading.most_nodes)
        found.tell(reading, lambda row: f"row {row + self.counted_from}")
        rows = self.table.take(found.store.rows - self.first)
        store = replace(found.store, name=self.name)
        return Piece(with_names(store, key_values(rows.column(self.key))) if self.key else store, rows)
