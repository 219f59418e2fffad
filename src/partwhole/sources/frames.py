"""Tables of pandas, which is not needed to read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from partwhole.graphs.values import plain

if TYPE_CHECKING:
    from typing_extensions import TypeIs


class Frame(Protocol):
    """What is used of a `pandas.DataFrame`."""

    columns: Iterable[object]
    index: Iterable[object]
    iloc: Any

    def head(self, rows: int) -> Frame:
        """The first rows."""
        ...


class Series(Protocol):
    """What is used of a `pandas.Series`."""

    def tolist(self) -> list[Any]:
        """The values row by row."""
        ...


def is_frame(data: object) -> TypeIs[Frame]:
    """Whether it is a `DataFrame` of pandas."""
    return _of_pandas(data) and hasattr(data, "columns")


def is_series(data: object) -> TypeIs[Series]:
    """Whether it is a `Series` or another single column of pandas."""
    return _of_pandas(data) and not hasattr(data, "columns") and hasattr(data, "tolist")


def frame_columns(frame: Frame) -> dict[str, list[Any]]:
    """The values of each column as those of Python; None where one is missing."""
    names = [str(name) for name in frame.columns]
    return {name: [plain(v) for v in frame.iloc[:, k].tolist()] for k, name in enumerate(names)}


def frame_index(frame: Frame) -> list[str] | None:
    """What the rows are called, unless they are only numbered."""
    return None if type(frame.index).__name__ == "RangeIndex" else [str(name) for name in frame.index]


def _of_pandas(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas"
