"""InfoGraph's loss (Sun et al. 2020): the vector of a node against those of whole graphs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.errors import PartwholeError
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.nn.layers import linear
from partwhole.registry import BOUNDS, Plugin


class Discriminator(nn.Module):
    """Three layers and a straight way past them, before vectors are compared."""

    def __init__(self, inputs: int, width: int):
        super().__init__()
        self.first, self.straight = linear(inputs, width), linear(inputs, width)
        self.rest = nn.Sequential(nn.ReLU(), linear(width, width), nn.ReLU(), linear(width, width), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        """[n, inputs] -> [n, width]"""
        out: Tensor = self.rest(self.first(x)) + self.straight(x)
        return out

    def of_nodes(self, nodes: NodeVectors) -> Tensor:
        """The same for every row of X_G, [rows, width]"""
        weight = torch.cat([self.first.weight, self.straight.weight])  # both in one projection
        first, straight = nodes.project(weight.T).chunk(2, dim=1)
        out: Tensor = self.rest(first + self.first.bias) + straight + self.straight.bias
        return out


class LocalGlobal(nn.Module):
    """I(x_v; h(G)): a node with its own graph against a node with another graph of the batch."""

    def __init__(self, hidden: int, graph_width: int):
        super().__init__()
        self.local, self.whole = Discriminator(hidden, hidden), Discriminator(graph_width, hidden)

    def forward(self, nodes: NodeVectors, h: Tensor, bound: Plugin) -> Tensor:
        """The bound over all pairs of a node and a graph of the batch; to be maximised."""
        if len(h) < 2:
            raise PartwholeError(
                "The contrastive loss needs at least two graphs in a batch; give more graphs or a larger "
                "batch size."
            )
        rows = nodes.rows
        scores, own = self.local.of_nodes(nodes) @ self.whole(h).T, rows.graph  # [rows, B]
        if rows.count is not None:  # a row that stands for several nodes counts as often
            times = rows.count.long()
            scores, own = scores.repeat_interleave(times, dim=0), own.repeat_interleave(times)
        return own_and_other(scores, own, bound)


def own_and_other(scores: Tensor, own: Tensor, bound: Plugin) -> Tensor:
    """The bound from scores [n, B] of nodes with graphs, `own` [n] being the graph of each node."""
    mine = own[:, None] == torch.arange(scores.shape[1], device=own.device)  # [n, B]
    value: Tensor = BOUNDS.get(bound)(scores[mine], scores[~mine])
    return value
