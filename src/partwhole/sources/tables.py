"""CSV, TSV and Parquet files as columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from partwhole.errors import PartwholeError
from partwhole.values import plain

BLOCK = 1 << 24  # bytes of a CSV file at a time
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


def is_table(data: Any) -> bool:
    return isinstance(data, Path) and data.is_file() and data.name.lower().endswith(SUFFIXES)


def stem(path: Path) -> str:
    """`a` of `a.csv.gz`"""
    return path.name.partition(".")[0]


def column_names(path: Path) -> list[str]:
    """Without reading the rows."""
    with _told(path):
        if path.suffix.lower() == ".parquet":
            return list(parquet.read_schema(path).names)
        with csv.open_csv(path, **_options(path)) as reader:
            return list(reader.schema.names)


def named(names: list[str], wanted: tuple[str, ...]) -> str | None:
    """The first of the wanted names that there is, whatever its case."""
    by_lower = {name.strip().lower(): name for name in names}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    with _told(path):
        if path.suffix.lower() == ".parquet":
            table = parquet.read_table(path, columns=columns)
        else:
            table = csv.read_csv(path, **_options(path, columns))
    if table.num_rows == 0:
        raise PartwholeError(f"{path} has no rows; give at least one.")
    names = table.column_names
    if twice := [name for name in names if names.count(name) > 1]:
        raise PartwholeError(f"{path} has several columns {twice[0]!r}; give each a name of its own.")
    return table


def read_columns(path: Path, columns: list[str] | None = None) -> dict[str, list[Any]]:
    """Column by column, as Python values; None where a cell is empty."""
    table = read_table(path, columns)
    return {name: values(table.column(name)) for name in table.column_names}


def table_pieces(path: Path, rows: int) -> Iterator[pa.Table]:
    """So many rows at a time, without ever holding the whole file."""
    held = None
    with _told(path):
        for batch in _batches(path):
            table = pa.Table.from_batches([batch])
            held = table if held is None else pa.concat_tables([held, table])
            while held.num_rows >= rows:
                yield held.slice(0, rows)
                held = held.slice(rows)
    if held is not None and held.num_rows:
        yield held


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    if path.suffix.lower() == ".parquet":
        with parquet.ParquetFile(path) as file:
            yield from file.iter_batches()
    else:
        read = csv.ReadOptions(block_size=BLOCK)  # the first block decides what the columns are
        with csv.open_csv(path, read_options=read, **_options(path)) as reader:
            yield from reader


def count_rows(path: Path) -> int | None:
    """Told by the file itself; a CSV file would have to be read."""
    if path.suffix.lower() != ".parquet":
        return None
    with _told(path):
        return int(parquet.read_metadata(path).num_rows)


def values(column: Any) -> list[Any]:
    return [plain(value) for value in column.to_pylist()]


def _options(path: Path, columns: list[str] | None = None) -> dict[str, Any]:
    return {
        "parse_options": csv.ParseOptions(delimiter="\t" if ".tsv" in path.name.lower() else ","),
        "convert_options": csv.ConvertOptions(strings_can_be_null=True, include_columns=columns),
    }


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What Arrow or the system finds wrong, in one sentence."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise PartwholeError(f"{path} cannot be read as a table ({reason}); correct it there.") from None
