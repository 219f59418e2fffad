"""A table of molecules: CSV, TSV or Parquet with a SMILES column; the other columns are targets."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.registry import SOURCES
from partwhole.schema import Column, Schema
from partwhole.sources.base import Source, target_column
from partwhole.store import GraphStore
from partwhole.values import plain

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
SMILES = ("smiles", "canonical_smiles", "isomeric_smiles", "smi")  # names of the column, in this order
MOST_CLASSES = 20  # integers with more values than this are numbers


@SOURCES.register
class MoleculeTable(Source):
    about = "a CSV, TSV or Parquet file with a SMILES column"

    @staticmethod
    def accepts(data: Any) -> bool:
        return isinstance(data, Path) and data.is_file() and data.name.lower().endswith(SUFFIXES)

    @staticmethod
    def read(data: Any, schema: Schema | None) -> GraphStore:
        from partwhole.sources.molecules import MoleculeSource

        columns = read_columns(data)
        named = {name.lower(): name for name in columns}
        smiles = next((named[name] for name in SMILES if name in named), None)
        if smiles is None:
            raise PartwholeError(
                f"{data} has no column of SMILES among {', '.join(columns)}; name one of them smiles."
            )
        texts = columns.pop(smiles)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                raise PartwholeError(f"{data} has no SMILES in row {row}; fill it in or drop the row.")
        store = MoleculeSource.read(texts, schema)
        targets = {name: as_target(name, values) for name, values in columns.items()}
        if left_out := [name for name, target in targets.items() if target is None]:
            told = ", ".join(left_out)
            print(
                f"{data.name}: {told}: text that differs from row to row, read as no target.", file=sys.stderr
            )
        found = [target for target in targets.values() if target is not None]
        return replace(
            store,
            name=data.name.partition(".")[0],
            schema=replace(store.schema, targets=tuple(column for column, _ in found)),
            targets=np.concatenate([np.zeros((len(texts), 0)), *(numbers for _, numbers in found)], axis=1),
        )


def read_columns(path: Path) -> dict[str, list[Any]]:
    """Column by column, as Python values; None where a cell is empty."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    try:
        if path.suffix.lower() == ".parquet":
            table = parquet.read_table(path)
        else:
            parse = csv.ParseOptions(delimiter="\t" if ".tsv" in path.name.lower() else ",")
            convert = csv.ConvertOptions(strings_can_be_null=True)
            table = csv.read_csv(path, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, OSError) as error:
        reason = " ".join(str(error).split())
        raise PartwholeError(f"{path} cannot be read as a table ({reason}); correct it there.") from None
    if table.num_rows == 0:
        raise PartwholeError(f"{path} has no rows; give at least one molecule.")
    if twice := [name for name in table.column_names if table.column_names.count(name) > 1]:
        raise PartwholeError(f"{path} has several columns {twice[0]!r}; give each a name of its own.")
    return {name: [plain(v) for v in table.column(name).to_pylist()] for name in table.column_names}


def as_target(name: str, values: list[Any]) -> tuple[Column, np.ndarray] | None:
    """Numbers, or classes where few values occur again and again; None for text that names rows."""
    known = [value for value in values if value is not None]
    if not known:
        return Column.numeric(name), np.full((len(values), 1), np.nan)
    if not all(isinstance(value, bool | int | float | str) for value in known):  # dates, lists, …
        return as_target(name, [None if value is None else str(value) for value in values])
    different = len(set(known))
    few = different <= min(MOST_CLASSES, len(known) / 2)
    if any(isinstance(value, str) for value in known):
        numbers = sum(map(is_number, known)) > len(known) / 2
        return target_column(name, values) if few or numbers or different <= MOST_CLASSES else None
    whole = all(float(value).is_integer() for value in known)  # 1.0 and a gap, as pandas writes them
    kind = int if whole and few else float
    return target_column(name, [None if value is None else kind(value) for value in values])


def is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
