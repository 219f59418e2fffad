"""What all readouts share: a graph is read as a whole, or once for each of its subgraphs."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from partwhole.graphs.node_vectors import NodeVectors


class Readout(nn.Module, ABC):
    """Base of all readouts; `width` is the width of its output."""

    is_linear = False  # in the weights: a mix of subgraphs may be read out instead of each (Eq. 10)
    lifts = True  # only sums over nodes are needed, so compressed vectors will do

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    @abstractmethod
    def read(self, nodes: NodeVectors, weight: Tensor | None) -> Tensor:
        """Node vectors, each counted `weight` [rows] times -> [B, width]"""

    def forward(self, nodes: NodeVectors, membership: Tensor | None = None) -> Tensor:
        """Graphs to [B, width] (Eq. 6); with membership [S, rows], subgraphs to [B, S, width] (Eq. 9)."""
        if membership is None:
            return self.read(nodes, None)
        return torch.stack([self.read(nodes, m) for m in membership], dim=1)
