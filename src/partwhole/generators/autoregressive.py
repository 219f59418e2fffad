"""Autoregressive generator: the factorisation of Eq. 8 without an approximation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.generators.base import BasicOperator, Generator, select
from partwhole.graph import GraphBatch
from partwhole.registry import GENERATORS
from partwhole.segment import segment_mean


@GENERATORS.register
class Autoregressive(Generator):
    """p(G_i | G, G_1 … G_{i-1}): the i-th operator sees what the earlier subgraphs took.

    Its logits add to X W_i (Eq. 11) two terms: U_i on the mean vector of the nodes already taken
    in the graph, and u_i on the share of the node itself that was taken. For i = 1 nothing was
    taken, and both are zero.
    """

    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection)
        self.operator = BasicOperator(hidden, num_subgraphs)
        self.context = nn.Parameter(torch.empty(num_subgraphs - 1, hidden, 2))  # U_2 … U_S
        self.coverage = nn.Parameter(torch.zeros(num_subgraphs - 1, 2))  # u_2 … u_S
        for weight in self.context:
            nn.init.xavier_uniform_(weight)

    def forward(self, x: Tensor, batch: GraphBatch) -> Tensor:
        logits = self.operator.logits(x)  # [S, n, 2]
        graph_of_node, ptr = batch.graph_of_node, batch.node_ptr
        parts: list[Tensor] = []
        for i in range(self.num_subgraphs):
            logit = logits[i]
            if i > 0:
                taken = torch.stack(parts).mean(0)  # [n], between 0 and 1
                seen = segment_mean(x, ptr, graph_of_node, taken)  # [B, d]
                logit = logit + (seen @ self.context[i - 1])[graph_of_node]
                logit = logit + taken[:, None] * self.coverage[i - 1]
            parts.append(select(logit.softmax(dim=-1)[:, 0], self.selection))
        return torch.stack(parts)  # [S, n]
