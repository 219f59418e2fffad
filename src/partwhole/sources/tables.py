"""CSV, TSV, Parquet and Excel files, and tables of pandas, as columns.

Text is kept to the letter, so that a table can be written again as it was: 007 is not 7, and NA in a column
of names is a name. What counts as missing is decided where values are looked at (`values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypedDict, TypeGuard

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from partwhole.errors import PartwholeError
from partwhole.files.whole import is_packed, open_unpacked
from partwhole.graphs.values import plain
from partwhole.sources.base import is_file_of
from partwhole.sources.dialect import dialect_of, notes_on_encoding
from partwhole.sources.excel import SUFFIX as EXCEL
from partwhole.sources.excel import is_excel, read_excel
from partwhole.sources.frames import Frame, frame_columns, is_frame

TableLike = Path | Frame  # a file, or a DataFrame of pandas
BLOCK = 1 << 24  # bytes of a CSV file at a time
TEXT_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet", EXCEL)
TYPES = (pa.int64(), pa.float64(), pa.bool_(), pa.string())  # of a column, the first that all its cells are
NOT_A_NUMBER = r"^[+-]?(0\d|\d{19})"  # digits that a number would not give back: 007, a code of 20 digits
MISSING = frozenset(csv.ConvertOptions().null_values)  # NA, null, nan, …: what pandas and Arrow take for gaps


class CsvOptions(TypedDict):
    """What Arrow must know to read a CSV file."""

    read_options: csv.ReadOptions
    parse_options: csv.ParseOptions
    convert_options: csv.ConvertOptions


def is_table(data: object) -> TypeGuard[TableLike]:
    """Whether it is a `DataFrame`, or a file whose name says that it is a table."""
    return is_frame(data) or is_file_of(data, SUFFIXES)


def stem(data: TableLike) -> str:
    """The name of a file without what tells its format: `a` for `a.csv.gz`; `table` for a `DataFrame`."""
    return "table" if is_frame(data) else Path(data.name.removesuffix(".gz")).stem


def first_row(data: TableLike) -> int:
    """The number that the first row has where a person looks at the table: below the heading of a file."""
    if is_frame(data):
        return 0
    return 1 if _is_parquet(data) else 2


def notes_of(data: TableLike) -> list[str]:
    """What a person should know of how the table was read."""
    if is_frame(data) or _is_parquet(data) or is_excel(data):
        return []
    return notes_on_encoding(data)


def column_names(data: TableLike) -> list[str]:
    """The names of the columns, without reading the rows; each must be there once."""
    with _told(data):
        if is_frame(data):
            names = [str(name) for name in data.columns]
        elif _is_parquet(data):
            names = list(parquet.read_schema(data).names)
        elif is_excel(data):
            names = list(read_excel(data).column_names)
        else:
            with csv.open_csv(_opened(data), **_options(data)) as reader:
                names = list(reader.schema.names)
    if twice := [name for name in names if names.count(name) > 1]:
        what = "The DataFrame" if is_frame(data) else data
        raise PartwholeError(f"{what} has several columns {twice[0]!r}; give each a name of its own.")
    return names


def named(names: list[str], wanted: tuple[str, ...]) -> str | None:
    """The first of the wanted names that there is, whatever its case."""
    by_lower = {name.strip().lower(): name for name in names}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def read_table(path: Path, keys: Sequence[str | None] = ()) -> pa.Table:
    """All rows of a file; the columns `keys` name things and are text whatever they look like."""
    with _told(path):
        if _is_parquet(path):
            column_names(path)  # tells of names that stand twice
            table = parquet.read_table(path)
        elif is_excel(path):
            column_names(path)
            table = read_excel(path)
        else:
            table = _exact(csv.read_csv(_opened(path), **_options(path, _types(path, keys))))
        table.validate(full=True)  # text of a damaged Parquet file may not be UTF-8
    if table.num_rows == 0:
        raise PartwholeError(f"{path} has no rows; give at least one.")
    if broken := [field.name for field in table.schema if pa.types.is_binary(field.type)]:
        raise PartwholeError(f"{path} has a column {broken[0]!r} that is not UTF-8 text; save it as UTF-8.")
    return table


def read_columns(data: TableLike, keys: Sequence[str | None] = ()) -> dict[str, list[Any]]:
    """The cells of each column as Python values; None where one is empty."""
    if is_frame(data):
        found = frame_columns(data)
        return found | {key: _as_texts(found[key]) for key in keys if key is not None}
    table = read_table(data, keys)
    return {
        name: key_values(table.column(name)) if name in keys else values(table.column(name))
        for name in table.column_names
    }


def table_pieces(path: Path, rows: int, keys: Sequence[str | None] = ()) -> Iterator[pa.Table]:
    """The rows of a file, `rows` at a time, without ever holding all of them."""
    held = None
    with _told(path):
        for batch in _batches(path, keys):
            table = pa.Table.from_batches([batch])
            held = table if held is None else pa.concat_tables([held, table])
            while held.num_rows >= rows:
                yield _exact(held.slice(0, rows))
                held = held.slice(rows)
    if held is not None and held.num_rows:
        yield _exact(held)


def count_rows(path: Path) -> int | None:
    """How many rows the file itself tells; None for a CSV file, which would have to be read."""
    if is_excel(path):
        return int(read_excel(path).num_rows)
    if not _is_parquet(path):
        return None
    with _told(path):
        return int(parquet.read_metadata(path).num_rows)


def values(column: pa.ChunkedArray) -> list[Any]:
    """The cells of a column as Python values; None where one is missing."""
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return [None if text and value in MISSING else plain(value) for value in column.to_pylist()]


def key_values(column: pa.ChunkedArray) -> list[str | None]:
    """The cells of a column that names things, to the letter; None where one is empty."""
    return _as_texts(column.to_pylist())


def _as_texts(cells: list[object]) -> list[str | None]:
    return [None if value in (None, "") else str(value) for value in cells]


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _batches(path: Path, keys: Sequence[str | None]) -> Iterator[pa.RecordBatch]:
    if is_excel(path):
        yield from read_excel(path).to_batches()
    elif _is_parquet(path):
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                batch.validate(full=True)
                yield batch
    else:
        with csv.open_csv(_opened(path), **_streamed(_options(path, _types(path, keys)))) as reader:
            yield from reader


def _exact(table: pa.Table) -> pa.Table:
    """Empty cells of text are gaps."""
    for k, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            cells = table.column(k)
            empty = pc.equal(cells, "")
            if pc.any(empty).as_py():
                table = table.set_column(
                    k, field.name, pc.if_else(empty, pa.scalar(None, pa.string()), cells)
                )
    return table


def _types(path: Path, keys: Sequence[str | None]) -> dict[str, pa.DataType]:
    """What each column is, by all its cells: a first pass over the file, as text."""
    names = column_names(path)
    comma = dialect_of(path).decimal == ","
    places = {name: len(TYPES) - 1 if name in keys else 0 for name in names}
    options = _options(path, dict.fromkeys(names, pa.string()))
    options["convert_options"].strings_can_be_null = True
    with csv.open_csv(_opened(path), **_streamed(options)) as reader:
        for batch in reader:
            for name in names:
                cells = batch.column(name)
                while not _casts(cells, TYPES[places[name]], comma):
                    places[name] += 1
    return {name: TYPES[place] for name, place in places.items()}


def _casts(cells: pa.Array, wanted: pa.DataType, comma: bool) -> bool:
    if wanted == pa.string():
        return True
    if wanted != pa.bool_() and pc.any(pc.match_substring_regex(cells, NOT_A_NUMBER)).as_py():
        return False
    try:
        (pc.replace_substring(cells, ",", ".") if comma else cells).cast(wanted)
    except pa.ArrowInvalid:
        return False
    return True


def _opened(path: Path) -> Path | IO[bytes]:
    """What Arrow reads; it would unpack by itself, without bounds."""
    return open_unpacked(path) if is_packed(path) else path


def _options(path: Path, types: dict[str, pa.DataType] | None = None) -> CsvOptions:
    dialect = dialect_of(path)
    return CsvOptions(
        read_options=csv.ReadOptions(encoding=dialect.encoding),
        parse_options=csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=types, decimal_point=dialect.decimal),
    )


def _streamed(options: CsvOptions) -> CsvOptions:
    options["read_options"].block_size = BLOCK
    return options


@contextmanager
def _told(path: TableLike) -> Iterator[None]:
    """Tell what Arrow or the system finds wrong in one sentence."""
    try:
        yield
    except UnicodeDecodeError:
        raise PartwholeError(f"{path} is not text; save it as UTF-8.") from None
    except (pa.ArrowException, OSError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise PartwholeError(f"{path} cannot be read as a table ({reason}); correct it there.") from None
