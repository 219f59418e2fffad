"""GIN with edges in every layer (GINE, Hu et al. 2020): for molecules, whose bonds matter at any distance."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.graphs.graph import GraphBatch
from partwhole.nn.edge_patterns import alike
from partwhole.nn.fused import bias_relu
from partwhole.nn.layers import ReLUNorm, linear
from partwhole.nn.messages import edge_messages
from partwhole.registry import BACKBONES

# Of a unit, as batch normalisation sees it. One that is silent for nearly all atoms is not made louder than
# this allows: molecules unlike any of the fit would have vectors of any length.
LEAST_VARIANCE = 0.01


class GINELayer(nn.Module):
    """x_i <- BatchNorm(ReLU(MLP(x_i + sum_j ReLU(x_j + E e_ij)))), Eq. 1 with edges in f.

    ReLU and BatchNorm stand in the order of `gin`.
    """

    def __init__(self, hidden: int, edge_width: int):
        super().__init__()
        self.edge = linear(edge_width, hidden) if edge_width else None
        self.first = linear(hidden, hidden)
        self.second = linear(hidden, hidden)
        self.norm = ReLUNorm(hidden, eps=LEAST_VARIANCE)

    def forward(self, x: Tensor, batch: GraphBatch, edges: DistinctEdges) -> Tensor:
        """[n, d] -> [n, d]"""
        joint = batch.joint
        table = x.new_zeros(1, x.shape[1]) if self.edge is None else self.edge(edges.attributes)
        heard = edge_messages(x, table, edges.of_entry, joint.edge_ptr, joint.neighbor)
        inner = bias_relu((x + heard) @ self.first.weight.T, self.first.bias)
        out: Tensor = self.norm(inner @ self.second.weight.T, self.second.bias)
        return out


class DistinctEdges:
    """The attributes of edges that differ, and which of them each entry of the joint structure has."""

    def __init__(self, batch: GraphBatch):
        entries, found = len(batch.neighbor), batch.inputs.edge_attributes
        if found is None:
            of_entry, self.attributes = batch.neighbor.new_zeros(entries), torch.zeros(1, 0)
        elif entries and bool(((found == 0) | (found == 1)).all()):  # categories: few differ
            of_entry, example = alike(found > 0)
            self.attributes = found[example]
        else:
            of_entry, self.attributes = torch.arange(entries, device=found.device), found
        again = len(batch.joint.neighbor) // max(entries, 1)  # G^ has the edges of G
        self.of_entry = of_entry.repeat(again)  # [entries of G, and of G^]


@BACKBONES.register
class GINE(nn.Module):
    """L layers of GINE."""

    lifts = False  # colours would have to be refined by edges, too
    spans_ranks = True  # the moments of BatchNorm are those of all ranks

    def __init__(self, hidden: int, layers: int, edge_width: int = 0):
        super().__init__()
        self.layers = nn.ModuleList(GINELayer(hidden, edge_width) for _ in range(layers))

    def forward(self, x: Tensor, batch: GraphBatch) -> list[Tensor]:
        """X^(0) [n, d] -> X^(1) … X^(L), [n, d] each"""
        edges, outputs = DistinctEdges(batch), []
        for layer in self.layers:
            x = layer(x, batch, edges)
            outputs.append(x)
        return outputs
