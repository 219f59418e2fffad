"""The first sheet of an Excel workbook as a table."""

from __future__ import annotations

import functools
import zipfile
from pathlib import Path

import pyarrow as pa

from partwhole.errors import PartwholeError
from partwhole.files.whole import RATIO, UNPACKED

SUFFIX = ".xlsx"


def is_excel(path: Path) -> bool:
    """Whether the name ends in .xlsx, in whatever case."""
    return path.name.lower().endswith(SUFFIX)


def read_excel(path: Path) -> pa.Table:
    """The first sheet; its first row names the columns. A column is numbers, truth values, or else text."""
    state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=2)
def _read(path: Path, changed: int, size: int) -> pa.Table:
    heading, *rows = _rows(path) or [[]]
    width = max((k + 1 for k, name in enumerate(heading) if name is not None), default=0)
    if unnamed := [k for k in range(width) if heading[k] is None]:
        raise PartwholeError(f"Column {unnamed[0] + 1} of {path} has no name in its first row; give it one.")
    while rows and all(cell is None for cell in rows[-1]):  # a sheet is often longer than what is in it
        rows.pop()
    cells = [[row[k] if k < len(row) else None for row in rows] for k in range(width)]
    return pa.table([_column(column) for column in cells], names=[str(name) for name in heading[:width]])


def _rows(path: Path) -> list[list[object]]:
    try:
        import openpyxl
    except ImportError:
        raise PartwholeError(
            "Reading Excel files needs openpyxl; install it with `pip install 'partwhole[excel]'`, or save "
            "the sheet as CSV."
        ) from None
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(entry.file_size for entry in packed.infolist())
        if unpacked > max(UNPACKED, RATIO * path.stat().st_size):
            raise PartwholeError(f"{path} unpacks to more than {RATIO} times its size; save it as CSV.")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            return [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
        finally:
            book.close()
    except PartwholeError:
        raise
    except Exception as error:  # of a damaged file: whatever the zip, the XML or the workbook lacks
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PartwholeError(f"{path} cannot be read as a workbook ({reason}); save it again.") from None


def _column(cells: list[object]) -> pa.Array:
    types = {type(cell) for cell in cells if cell is not None}
    if types <= {bool} or types <= {int} or types <= {int, float}:
        return pa.array(cells, pa.float64() if float in types else None if types else pa.int64())
    return pa.array([None if cell in (None, "") else str(cell) for cell in cells], pa.string())
