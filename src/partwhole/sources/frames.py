"""Tables of pandas, which is not needed to read them."""

from __future__ import annotations

from typing import Any

from partwhole.graphs.values import plain


def is_frame(data: Any) -> bool:
    return _of_pandas(data) and hasattr(data, "columns")


def is_series(data: Any) -> bool:
    return _of_pandas(data) and not hasattr(data, "columns") and hasattr(data, "tolist")


def frame_columns(frame: Any) -> dict[str, list[Any]]:
    """Column by column, as Python values; None where one is missing."""
    names = [str(name) for name in frame.columns]
    return {name: [plain(v) for v in frame.iloc[:, k].tolist()] for k, name in enumerate(names)}


def frame_index(frame: Any) -> list[str] | None:
    """What the rows are called, unless they are only numbered."""
    return None if type(frame.index).__name__ == "RangeIndex" else [str(name) for name in frame.index]


def _of_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas"
