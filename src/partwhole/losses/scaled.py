"""Scores whose scale is set by the batch, so that a bound starts near that of knowing nothing and rises."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

STEEPEST = 20.0  # slope of a cosine, which is between -1 and 1
ALIKE = 1e-5  # one minus the cosine of vectors that are equal but for rounding
LEAST_VARIANCE = 1e-4  # of scores; less is rounding


def standardised(reference: Tensor, *others: Tensor) -> list[Tensor]:
    """Directions of vectors [B, ..., d] whose columns are standardised.

    Sums over nodes span orders of magnitude, and without a centre all of them point the same way.
    """
    return [normalize(x, dim=-1) for x in standardised_columns(reference, *others)]


def standardised_columns(reference: Tensor, *others: Tensor) -> list[Tensor]:
    """Logarithms of vectors [B, ..., d], centred and scaled column by column as those of `reference`, the
    first, are over its graphs."""
    known = signed_log(reference)
    mean = known.mean(0)  # [..., d]
    centred = known - mean
    variance = centred.square().mean(0)  # four times as fast as torch.var_mean over rows
    least = 1e-5 * variance.mean(-1, keepdim=True) + 1e-12  # a column in which all graphs agree tells nothing
    scale = (variance + least).rsqrt()
    return [centred * scale, *((signed_log(x) - mean) * scale for x in others)]


def signed_log(x: Tensor) -> Tensor:
    """sign(x) log(1 + |x|)"""
    return x.sign() * x.abs().log1p()


@torch.no_grad()
def discriminant(own: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Slope a and shift b for which a s - b is the logarithm of p(s | own) / p(s | other), if both are normal
    distributions of one variance. That ratio is where the bounds are largest. Both are numbers of the batch:
    no gradient flows into them."""
    far, near = own.mean(), other.mean()
    variance = (own.var(correction=0) + other.var(correction=0)) / 2
    # Negative where h~ weighs parts against each other, so that it points away from h.
    slope = ((far - near) / variance.clamp_min(LEAST_VARIANCE)).clamp(-STEEPEST, STEEPEST)
    return slope, slope * (far + near) / 2
