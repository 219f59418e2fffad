"""How far two views of the same graphs agree on which graphs are alike."""

from __future__ import annotations

import torch
from torch import Tensor

from partwhole.losses.scaled import standardised_columns

WEIGHT = 30.0  # of one minus the agreement, beside a bound on mutual information (docs/notes/learning.md)
FEWEST = 4  # graphs that tell anything of which are alike


def agreement(sums: Tensor, said: Tensor) -> Tensor:
    """Centred alignment of two kernels (Cortes, Mohri & Rostamizadeh 2012), between 0 and 1: 1 where the
    graphs that are alike by `sums` [B, m], sums over nodes, are those that are alike by `said` [B, k].

    `said` may be turned or mirrored without a difference. Graphs of which nothing is said (NaN) do not count.
    """
    known = ~said[:, 0].isnan() if said.shape[1] else said.new_zeros(len(said), dtype=torch.bool)
    if int(known.sum()) < FEWEST:
        return sums.sum() * 0  # nothing to agree with, and nothing to learn from it
    if not bool(known.all()):
        sums, said = sums[known], said[known]
    (x,), y = standardised_columns(sums), said - said.mean(0)
    alike, described = x @ x.T, y @ y.T  # [B, B]
    return (alike * described).sum() / (alike.norm() * described.norm()).clamp_min(1e-12)
