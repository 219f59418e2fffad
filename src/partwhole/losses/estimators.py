"""Lower bounds of mutual information from scores of positive and negative pairs.

An estimator never sees a mask: it is given the scores that count. Each further set of negatives
is an expectation of its own, of equal weight (Eq. 17).
"""

from __future__ import annotations

import math

from torch import Tensor
from torch.nn.functional import softplus

from partwhole.registry import ESTIMATORS


@ESTIMATORS.register("jsd")
def jensen_shannon(positive: Tensor, *negatives: Tensor) -> Tensor:
    """Eq. 14 and 17: E_P[-sp(-T)] - sum over sets of E_Q[sp(T)]. At most 0."""
    bound = -softplus(-positive).mean()
    for negative in negatives:
        bound = bound - softplus(negative).mean()
    return bound


@ESTIMATORS.register("dv")
def donsker_varadhan(positive: Tensor, *negatives: Tensor) -> Tensor:
    """Eq. 15: E_P[T] - sum over sets of log E_Q[e^T]."""
    bound = positive.mean()
    for negative in negatives:
        flat = negative.flatten()
        bound = bound - (flat.logsumexp(0) - math.log(len(flat)))
    return bound
