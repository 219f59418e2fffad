"""From the layer sums of a network to the vector of a graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.nn.layers import linear

LEAST_VARIANCE = 0.01  # that a column is scaled by
FAREST = 10.0  # standard deviations; beyond that all graphs are as far


class SumsToVector(nn.Module):
    """z = A s + MLP(s), with s the standardised sums over nodes of each layer, and their means beside them.

    What adds up over nodes is linear in the sums, what does not depend on size in the means; the hidden layer
    is for all else.
    """

    def __init__(self, columns: int, hidden: int, width: int):
        super().__init__()
        self.width = width
        self.norm = nn.BatchNorm1d(2 * columns, affine=False, eps=LEAST_VARIANCE)
        self.straight = linear(2 * columns, width)
        self.first = linear(2 * columns, hidden)
        self.second = linear(hidden, width)

    def forward(self, sums: Tensor, nodes: Tensor) -> Tensor:
        """[B, columns] and the number of nodes [B] -> [B, width]"""
        s = self.norm(torch.cat([sums, sums / nodes.clamp_min(1)[:, None]], dim=1)).clamp(-FAREST, FAREST)
        out: Tensor = self.straight(s) + self.second(self.first(s).relu())
        return out
