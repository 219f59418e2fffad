"""What all readouts share: a graph is read as a whole, or once for each of its subgraphs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.graph import GraphBatch


class Readout(nn.Module):
    """Base of all readouts; `width` is the width of its output."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def read(self, x: Tensor, batch: GraphBatch, weight: Tensor | None) -> Tensor:
        """[n, d], each node counted `weight` [n] times -> [B, width]"""
        raise TypeError("a readout defines read")

    def forward(self, x: Tensor, batch: GraphBatch, membership: Tensor | None = None) -> Tensor:
        if membership is None:
            return self.read(x, batch, None)  # [B, width]
        return torch.stack([self.read(x, batch, m) for m in membership], dim=1)  # [B, S, width]
