"""The bound of Donsker and Varadhan."""

from __future__ import annotations

import math

from torch import Tensor

from partwhole.registry import BOUNDS


@BOUNDS.register
def donsker_varadhan(positive: Tensor, *negatives: Tensor) -> Tensor:
    """Eq. 15: E_P[T] - sum over sets of log E_Q[e^T]."""
    bound = positive.mean()
    for negative in negatives:
        flat = negative.flatten()
        bound = bound - (flat.logsumexp(0) - math.log(len(flat)))
    return bound
