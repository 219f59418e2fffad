"""The encoder with two layers on top: graphs to outputs."""

from __future__ import annotations

from torch import Tensor, nn

from partwhole.graphs.graph import Batch
from partwhole.model import PartWhole
from partwhole.nn.layers import MLP


class Predictor(nn.Module):
    """Two linear layers with a ReLU between them on h(G), as the paper has them."""

    def __init__(self, encoder: PartWhole, hidden: int, outputs: int):
        super().__init__()
        self.encoder = encoder
        self.head = MLP(encoder.width, hidden, outputs)

    def forward(self, batch: Batch) -> Tensor:
        """[B, outputs]"""
        out: Tensor = self.head(self.encoder.embed(batch))
        return out
