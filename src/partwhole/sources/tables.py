"""CSV, TSV and Parquet files as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from partwhole.errors import PartwholeError
from partwhole.files import is_packed, open_unpacked
from partwhole.sources.base import is_file_of
from partwhole.values import plain

BLOCK = 1 << 24  # bytes of a CSV file at a time
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
KINDS = (pa.int64(), pa.float64(), pa.bool_(), pa.string())  # of a column, the first that all its cells are


def is_table(data: Any) -> bool:
    return is_file_of(data, SUFFIXES)


def stem(path: Path) -> str:
    """`a` of `a.csv.gz`"""
    return Path(path.name.removesuffix(".gz")).stem


def column_names(path: Path) -> list[str]:
    """Without reading the rows."""
    with _told(path):
        if _is_parquet(path):
            names = list(parquet.read_schema(path).names)
        else:
            with csv.open_csv(_opened(path), **_options(path)) as reader:
                names = list(reader.schema.names)
    if twice := [name for name in names if names.count(name) > 1]:
        raise PartwholeError(f"{path} has several columns {twice[0]!r}; give each a name of its own.")
    return names


def named(names: list[str], wanted: tuple[str, ...]) -> str | None:
    """The first of the wanted names that there is, whatever its case."""
    by_lower = {name.strip().lower(): name for name in names}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def read_table(path: Path) -> pa.Table:
    column_names(path)  # tells of names that stand twice
    with _told(path):
        table = (
            parquet.read_table(path) if _is_parquet(path) else csv.read_csv(_opened(path), **_options(path))
        )
        table.validate(full=True)  # text of a damaged Parquet file may not be UTF-8
    if table.num_rows == 0:
        raise PartwholeError(f"{path} has no rows; give at least one.")
    if broken := [field.name for field in table.schema if pa.types.is_binary(field.type)]:
        raise PartwholeError(f"{path} has a column {broken[0]!r} that is not UTF-8 text; save it as UTF-8.")
    return table


def read_columns(path: Path, keys: Sequence[str | None] = ()) -> dict[str, list[Any]]:
    """Column by column, as Python values; None where a cell is empty.

    The columns `keys` name things and are text to the letter: 007 is not 7, and NA is a name.
    """
    table = read_table(path)
    columns = {name: values(table.column(name)) for name in table.column_names}
    wanted = [key for key in dict.fromkeys(keys) if key is not None]
    if _is_parquet(path):
        names: dict[str, list[Any]] = {key: table.column(key).to_pylist() for key in wanted}
    elif wanted:
        convert = csv.ConvertOptions(
            include_columns=wanted,
            column_types=dict.fromkeys(wanted, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        )
        names = csv.read_csv(_opened(path), **_options(path) | {"convert_options": convert}).to_pydict()
    else:
        names = {}
    return columns | {key: [None if v in (None, "") else str(v) for v in names[key]] for key in wanted}


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


def count_rows(path: Path) -> int | None:
    """Told by the file itself; a CSV file would have to be read."""
    if not _is_parquet(path):
        return None
    with _told(path):
        return int(parquet.read_metadata(path).num_rows)


def values(column: Any) -> list[Any]:
    return [plain(value) for value in column.to_pylist()]


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    if _is_parquet(path):
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                batch.validate(full=True)
                yield batch
        return
    kinds = _kinds(path)
    convert = csv.ConvertOptions(strings_can_be_null=True, column_types=kinds)
    with csv.open_csv(_opened(path), **_streamed(path) | {"convert_options": convert}) as reader:
        yield from reader


def _kinds(path: Path) -> dict[str, pa.DataType]:
    """What each column is, by all its cells: a first pass over the file, as text."""
    names = column_names(path)
    places = dict.fromkeys(names, 0)
    text = csv.ConvertOptions(strings_can_be_null=True, column_types=dict.fromkeys(names, pa.string()))
    with csv.open_csv(_opened(path), **_streamed(path) | {"convert_options": text}) as reader:
        for batch in reader:
            for name in names:
                while not _casts(batch.column(name), KINDS[places[name]]):
                    places[name] += 1
    return {name: KINDS[place] for name, place in places.items()}


def _casts(column: pa.Array, kind: pa.DataType) -> bool:
    try:
        column.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _opened(path: Path) -> Any:
    """What Arrow reads; it would unpack by itself, without bounds."""
    return open_unpacked(path) if is_packed(path) else path


def _options(path: Path) -> dict[str, Any]:
    return {
        "parse_options": csv.ParseOptions(delimiter="\t" if ".tsv" in path.name.lower() else ","),
        "convert_options": csv.ConvertOptions(strings_can_be_null=True),
    }


def _streamed(path: Path) -> dict[str, Any]:
    return _options(path) | {"read_options": csv.ReadOptions(block_size=BLOCK)}


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What Arrow or the system finds wrong, in one sentence."""
    try:
        yield
    except UnicodeDecodeError:
        raise PartwholeError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except (pa.ArrowException, OSError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise PartwholeError(f"{path} cannot be read as a table ({reason}); correct it there.") from None
