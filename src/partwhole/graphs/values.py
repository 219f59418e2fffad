"""Values and names as people give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

WIDEST_ID = 200  # characters of ids that are kept as an array of one width


def plain(value: object) -> Any:
    """The value as a number, text or boolean of Python; None where it is missing."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:  # of NumPy or PyTorch
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, str):
        return None if value.strip().lower() in ("", "nan") else value
    return None if isinstance(value, float) and value != value else value


def as_ids(names: Sequence[str | int]) -> np.ndarray:
    """Names as an array [G], to the letter.

    An array of text is as wide as its longest, so long ones stay objects of Python.
    """
    if all(isinstance(name, int | np.integer) for name in names):
        return np.array(names, dtype=np.int64)
    texts = [str(name) for name in names]
    return np.array(texts, dtype=str if max(map(len, texts)) <= WIDEST_ID else object)
