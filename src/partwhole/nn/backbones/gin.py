"""Graph Isomorphism Network (Xu et al. 2019), the paper's base model without labels."""

from __future__ import annotations

from torch import Tensor, nn

from partwhole.graph import GraphBatch
from partwhole.nn.layers import MLP, BatchNorm
from partwhole.registry import BACKBONES
from partwhole.segment import neighbor_sum


class GINLayer(nn.Module):
    """X^(k) = BatchNorm(ReLU(MLP(X^(k-1) + A X^(k-1)))), Eq. 1 with f the sum and h the rest.

    The order (ReLU, then BatchNorm) and eps = 0 are InfoGraph's, which the paper starts from.
    """

    def __init__(self, hidden: int):
        super().__init__()
        self.mlp = MLP(hidden, hidden, hidden)
        self.norm = BatchNorm(hidden)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        x = x + neighbor_sum(x, batch.edge_ptr, batch.neighbor)
        out: Tensor = self.norm(self.mlp(x).relu())
        return out


@BACKBONES.register
class GIN(nn.Module):
    """L layers of GIN."""

    def __init__(self, hidden: int, layers: int):
        super().__init__()
        self.layers = nn.ModuleList(GINLayer(hidden) for _ in range(layers))

    def forward(self, x: Tensor, batch: GraphBatch) -> list[Tensor]:
        outputs = []
        for layer in self.layers:
            x = layer(x, batch)
            outputs.append(x)
        return outputs
