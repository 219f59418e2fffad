"""Autoregressive generator: the factorisation of Eq. 8 without an approximation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.generators.base import BasicOperator, Generator
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.registry import GENERATORS


@GENERATORS.register
class Autoregressive(Generator):
    """p(G_i | G, G_1 … G_{i-1}): the i-th operator sees what the earlier subgraphs took.

    Its logits add to X W_i (Eq. 11) two terms: U_i on the mean vector of the nodes already taken
    in the graph, and u_i on the share of the node itself that was taken. For i = 1 nothing was
    taken, and both are zero.
    """

    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection)
        self.operator = BasicOperator(hidden, num_subgraphs)  # W_1 … W_S
        self.context = BasicOperator(hidden, num_subgraphs - 1)  # U_2 … U_S
        self.coverage = nn.Parameter(torch.zeros(num_subgraphs - 1, 2))  # u_2 … u_S

    def forward(self, nodes: NodeVectors) -> Tensor:
        """X_G -> membership [S, rows], one subgraph after the other"""
        # U_i is linear, so it may be applied to the nodes before their mean is taken.
        projected = nodes.project(torch.cat([self.operator.contrast, self.context.contrast], dim=1))
        own, context = projected.split([self.num_subgraphs, self.num_subgraphs - 1], dim=1)
        coverage = self.coverage[:, 0] - self.coverage[:, 1]
        subgraphs: list[Tensor] = []
        for i in range(self.num_subgraphs):
            logit = own[:, i]  # [rows]
            if i > 0:
                taken = torch.stack(subgraphs).mean(0)  # [rows], between 0 and 1
                both = torch.stack([taken * context[:, i - 1], taken], dim=1)
                seen, amount = nodes.rows.total(both).unbind(1)  # [B] each
                mean = seen / amount.where(amount > 0, 1.0)
                logit = logit + mean[nodes.rows.graph] + taken * coverage[i - 1]
            subgraphs.append(self.decide(logit[None], nodes.rows, slice(i, i + 1))[0])
        return torch.stack(subgraphs)
