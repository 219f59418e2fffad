"""Files of vectors, in the format that their name ends in: Parquet, CSV or NumPy's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from partwhole.errors import PartwholeError
from partwhole.export.vector_tables import ID, VECTOR, as_array, as_column
from partwhole.files.whole import atomic_file, is_packed, open_unpacked

CSV, NPY = (".csv", ".csv.gz"), ".npy"
ENDINGS = (".parquet", *CSV, NPY)
Write = Callable[[pa.Table], None]


class TableWriter(Protocol):
    """What we use of the writers of PyArrow."""

    def write_table(self, table: pa.Table) -> None:
        """Append the rows of a table."""
        ...


def require_ending(out: Path) -> None:
    """Raise unless the name ends in a format that is written; a name without an ending is Parquet."""
    if out.suffix and not out.name.lower().endswith(ENDINGS):
        raise PartwholeError(
            f"Vectors are written as Parquet, CSV or NumPy; give {out.name} a name that ends in "
            f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}."
        )


def files_of(out: Path) -> list[Path]:
    """List all that is written for a file of vectors: an array has its other columns beside it."""
    return [out, _columns_file(out)] if _is_array(out) else [out]


def names_of_vector(out: Path, width: int) -> list[str]:
    """Name the columns that the vector takes: one, or in CSV one for each number."""
    return _numbered(width) if _is_csv(out) else [VECTOR]


@contextmanager
def vector_file(out: Path, rows: int) -> Iterator[Write]:
    """Open a file of so many rows: gives what appends a table to it. It appears whole or not at all."""
    if _is_array(out):
        opened = _array_file(out, rows)
    elif _is_csv(out):
        opened = _csv_file(out)
    else:
        opened = _table_file(out, parquet.ParquetWriter)
    with opened as write:
        yield write


def read_vectors(path: Path) -> tuple[pa.Table, np.ndarray]:
    """Read what stands beside the vectors, and the vectors [n, d] themselves."""
    try:
        if _is_array(path):
            vectors, beside = np.load(path), _read_csv(_columns_file(path))
            return beside, np.asarray(vectors, dtype=np.float32).reshape(beside.num_rows, -1)
        table = _gathered(_read_csv(path)) if _is_csv(path) else parquet.read_table(path)
        return table.drop_columns([VECTOR]), as_array(table)
    except (KeyError, AttributeError, ValueError, pa.ArrowException, OSError) as error:
        raise PartwholeError(
            f"{path} is not a file of vectors ({' '.join(str(error).split())}); write one with `partwhole "
            "embed`."
        ) from None


def _is_csv(path: Path) -> bool:
    return path.name.lower().endswith(CSV)


def _is_array(path: Path) -> bool:
    return path.name.lower().endswith(NPY)


def _columns_file(array: Path) -> Path:
    return array.with_suffix(".ids.csv")


def _numbered(width: int) -> list[str]:
    return [f"e{k}" for k in range(width)]


# ---------------------------------------------------------------- writing


@contextmanager
def _table_file(
    out: Path, opened: Callable[[Path, pa.Schema], AbstractContextManager[TableWriter]]
) -> Iterator[Write]:
    with atomic_file(out) as temporary, ExitStack() as stack:
        writer: TableWriter | None = None
        schema = pa.schema([])

        def write(table: pa.Table) -> None:
            nonlocal writer, schema
            if writer is None:
                schema = table.schema
                writer = stack.enter_context(opened(temporary, schema))
            writer.write_table(table.cast(schema))

        yield write


@contextmanager
def _csv_file(out: Path) -> Iterator[Write]:
    """The numbers of a vector are columns of their own."""
    with _table_file(out, partial(_csv_writer, packed=is_packed(out))) as append:

        def write(table: pa.Table) -> None:
            try:
                append(_spread(table))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise PartwholeError(
                    f"A column of the table cannot be written as CSV ({error}); give {out.name} a name that "
                    "ends in .parquet."
                ) from None

        yield write


@contextmanager
def _csv_writer(path: Path, schema: pa.Schema, packed: bool) -> Iterator[TableWriter]:
    with (
        pa.output_stream(path, compression="gzip" if packed else None) as stream,
        csv.CSVWriter(stream, schema) as writer,
    ):
        yield writer


@contextmanager
def _array_file(out: Path, rows: int) -> Iterator[Write]:
    with atomic_file(out) as temporary, temporary.open("wb") as file, _csv_file(_columns_file(out)) as beside:

        def write(table: pa.Table) -> None:
            vectors = as_array(table)
            if file.tell() == 0:
                header = {"descr": "<f4", "fortran_order": False, "shape": (rows, vectors.shape[1])}
                np.lib.format.write_array_header_1_0(file, header)
            file.write(vectors.astype("<f4").tobytes())
            beside(table.drop_columns([VECTOR]))

        yield write


def _spread(table: pa.Table) -> pa.Table:
    if VECTOR not in table.column_names:
        return table
    vectors = as_array(table)
    table = table.drop_columns([VECTOR])
    for name, column in zip(_numbered(vectors.shape[1]), vectors.T):
        table = table.append_column(name, pa.array(np.ascontiguousarray(column)))
    return table


# ---------------------------------------------------------------- reading


def _read_csv(path: Path) -> pa.Table:
    """Ids are text to the letter: 007 is not 7."""
    with open_unpacked(path) as file:
        convert = csv.ConvertOptions(column_types={ID: pa.string()})
        return csv.read_csv(file, convert_options=convert)


def _gathered(table: pa.Table) -> pa.Table:
    numbered = [name for name in table.column_names if re.fullmatch(r"e\d+", name)]
    if not numbered or numbered != _numbered(len(numbered)):
        raise ValueError("it has no columns e0, e1, …")
    vectors = np.stack([table.column(name).to_numpy() for name in numbered], axis=1)
    return table.drop_columns(numbered).append_column(VECTOR, as_column(vectors))
