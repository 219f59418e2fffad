"""How far predictions are from what is known, in shares of its variance."""

from __future__ import annotations

import torch
from torch import Tensor


def unexplained(predicted: Tensor, known: Tensor, weight: Tensor) -> Tensor:
    """The mean over columns of the squared error [B, k], each with its weight [k]. Columns are standardised,
    so that 1 is knowing nothing; what is not known (NaN) does not count."""
    there = ~known.isnan()
    error = torch.where(there, predicted - known.nan_to_num(), 0.0).square()
    by_column = error.sum(0) / there.sum(0).clamp_min(1)  # [k]
    return (by_column * weight).sum() / weight.sum()
