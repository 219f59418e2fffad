"""The edge network (Gilmer et al. 2017), the paper's base model for molecules with coordinates.

An edge's attributes choose the matrix that its message is multiplied by, a GRU takes the mean
message in, and all rounds share their weights. The matrix of an edge is never made. With features
h(e) [C] of the edge and matrices W_c [d, d],

    sum_j (sum_c h_c(e_ij) W_c) x_j  =  sum_c W_c (sum_j h_c(e_ij) x_j),

so the outer products of h and x are summed at each node, and the matrices are applied once per
node instead of once per edge: in complete graphs of 18 atoms, 17 times fewer operations. Where many
edges are alike (`edge_patterns`), far fewer still.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.graphs.graph import GraphBatch
from partwhole.nn.edge_patterns import EdgePatterns, PatternMessages, find_patterns
from partwhole.nn.layers import linear
from partwhole.registry import BACKBONES

EDGE_HIDDEN = 128  # InfoGraph's
EXACT = 32  # nodes of a degree up to this are taken together without padding


@BACKBONES.register
class EdgeNetwork(nn.Module):
    """X^(k) = GRU(ReLU(message(X^(k-1))), X^(k-1)), k = 1 … L rounds (Eq. 1)."""

    lifts = False  # distances make every node a class of its own
    spans_ranks = True  # nothing in it looks across graphs

    def __init__(self, hidden: int, layers: int, edge_width: int = 0):
        super().__init__()
        self.rounds = layers
        self.edge_layer = linear(edge_width, EDGE_HIDDEN) if edge_width else None
        features = (EDGE_HIDDEN if edge_width else 0) + 1  # the last is 1, for the bias of the matrix
        bound = features**-0.5
        self.matrices = nn.Parameter(torch.empty(features, hidden, hidden).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.gru = nn.GRUCell(hidden, hidden)

    def forward(self, x: Tensor, batch: GraphBatch) -> list[Tensor]:
        """X^(0) [n, d] -> the vectors after each round, [n, d] each"""
        messages = self.messages(batch)
        outputs = []
        for _ in range(self.rounds):
            x = self.gru((messages.mean(x) + self.bias).relu(), x)
            outputs.append(x)
        return outputs

    def messages(self, batch: GraphBatch) -> PatternMessages | ProductMessages:
        """The messages of a batch: by patterns of edges where these are few enough to pay."""
        structure = batch.edge_ptr, batch.neighbor
        attributes = batch.inputs.edge_attributes
        if self.edge_layer is not None and len(batch.neighbor):
            assert attributes is not None
            patterns = find_patterns(attributes, self.edge_layer)
            if self.patterns_pay(patterns, batch):
                return PatternMessages(patterns, self.edge_layer, self.matrices, attributes, *structure)
        return ProductMessages(self.edge_features(batch), self.matrices, *structure)

    def patterns_pay(self, patterns: EdgePatterns, batch: GraphBatch) -> bool:
        """Whether patterns need fewer matrices, and products with one, than there are outer products."""
        values = 1 + int(patterns.numeric.sum())  # 1 + F
        rows = min(len(batch.neighbor), batch.num_nodes * patterns.count)  # at most
        fewer_matrices = patterns.count * values < self.rounds * batch.num_nodes
        return fewer_matrices and rows * values < batch.num_nodes * len(self.matrices)

    def edge_features(self, batch: GraphBatch) -> Tensor:
        """h(e) [e, C]; in G^ the nodes are permuted and the edges stay, so both share them."""
        one = torch.ones(len(batch.neighbor), 1, dtype=self.bias.dtype, device=self.bias.device)
        if self.edge_layer is None:
            return one
        return torch.cat([self.edge_layer(batch.inputs.edge_attributes).relu(), one], dim=1)


class ProductMessages:
    """The mean message of every node, by dense blocks of nodes of like degree."""

    def __init__(self, features: Tensor, matrices: Tensor, edge_ptr: Tensor, neighbor: Tensor):
        self.matrices = matrices.flatten(0, 1)  # [C d, d]
        degree = edge_ptr.diff()
        self.nodes = len(degree)
        self.alone = (degree == 0).nonzero()[:, 0]  # they hear nothing
        self.blocks = []  # (nodes [m], their neighbours [m, K], h(e) of these over the degree [m, C, K])
        for nodes in nodes_by_degree(degree):
            count = degree[nodes, None]  # [m, 1]
            slot = torch.arange(int(count.max()), device=count.device)  # [K]
            entry = edge_ptr[nodes, None] + torch.minimum(slot, count - 1)  # [m, K]
            share = (slot < count).to(features.dtype) / count  # 0 where there is no such neighbour
            weighted = (features[entry] * share[..., None]).transpose(1, 2)
            self.blocks.append((nodes, neighbor[entry], weighted))

    def mean(self, x: Tensor) -> Tensor:
        """[r n, d] -> [r n, d], for r copies of the graphs: G, or G and then G^."""
        heard, rows = [x.new_zeros(0, x.shape[1])], [self.alone[:0]]
        for start in range(0, len(x), max(self.nodes, 1)):
            for nodes, neighbor, weighted in self.blocks:
                products = weighted @ x[neighbor + start]  # sum_j h(e_ij) x_j over the degree, [m, C, d]
                heard.append(products.flatten(1) @ self.matrices)  # [m, d]
                rows.append(nodes + start)
            heard.append(x.new_zeros(len(self.alone), x.shape[1]))
            rows.append(self.alone + start)
        return torch.cat(heard)[torch.cat(rows).argsort()]


def nodes_by_degree(degree: Tensor) -> list[Tensor]:
    """Nodes of like degree: equal up to `EXACT`, beyond that within a factor of two."""
    rounded = torch.where(degree <= EXACT, degree, 2 ** degree.clamp(min=1).log2().ceil().long())
    return [(rounded == like).nonzero()[:, 0] for like in rounded.unique() if like > 0]
