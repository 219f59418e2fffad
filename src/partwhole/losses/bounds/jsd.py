"""The bound of Jensen and Shannon."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import softplus

from partwhole.registry import BOUNDS


@BOUNDS.register
def jensen_shannon(positive: Tensor, *negatives: Tensor) -> Tensor:
    """Eq. 14 and 17: E_P[-sp(-T)] - sum over sets of E_Q[sp(T)]. At most 0."""
    bound = -softplus(-positive).mean()
    for negative in negatives:
        bound = bound - softplus(negative).mean()
    return bound
