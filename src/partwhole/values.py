"""Single values as people give them."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """A number, text or boolean of Python; None where it is missing."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:  # of NumPy or PyTorch
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, str):
        return None if value.strip().lower() in ("", "nan") else value
    return None if isinstance(value, float) and value != value else value
