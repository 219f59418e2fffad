"""Graph Isomorphism Network (Xu et al. 2019), the paper's base model without labels."""

from __future__ import annotations

from torch import Tensor, nn

from partwhole.graphs.graph import Batch
from partwhole.nn.fused import bias_relu
from partwhole.nn.layers import ReLUNorm, linear
from partwhole.registry import BACKBONES


class GINLayer(nn.Module):
    """X^(k) = BatchNorm(ReLU(MLP(X^(k-1) + A X^(k-1)))), Eq. 1 with f the sum and h the rest.

    The order (ReLU, then BatchNorm) and eps = 0 are InfoGraph's, which the paper starts from. The
    first linear map of the MLP commutes with the sum over neighbours and is applied before it,
    where a lifted batch has fewer rows.
    """

    def __init__(self, hidden: int, depth: int):
        super().__init__()
        self.depth = depth
        self.first = linear(hidden, hidden)
        self.second = linear(hidden, hidden)
        self.norm = ReLUNorm(hidden)

    def forward(self, x: Tensor, batch: Batch) -> Tensor:
        """Rows of one depth, [rows, d], to rows of the next"""
        summed = batch.aggregate(self.depth, x @ self.first.weight.T)
        inner = bias_relu(summed, self.first.bias)
        out: Tensor = self.norm(inner @ self.second.weight.T, self.second.bias, batch.sizes(self.depth))
        return out


@BACKBONES.register
class GIN(nn.Module):
    """L layers of GIN."""

    lifts = True  # a node's vector depends on its attributes and the multiset of its neighbours'
    spans_ranks = True  # the moments of BatchNorm are those of all ranks

    def __init__(self, hidden: int, layers: int):
        super().__init__()
        self.layers = nn.ModuleList(GINLayer(hidden, k + 1) for k in range(layers))

    def forward(self, x: Tensor, batch: Batch) -> list[Tensor]:
        """X^(0) -> X^(1) … X^(L), each with the rows of its depth"""
        outputs = []
        for layer in self.layers:
            x = layer(x, batch)
            outputs.append(x)
        return outputs
