"""The basic operator that every generator applies, and the ways to select by it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from partwhole.generators.middle import Middle
from partwhole.graphs.node_vectors import NodeVectors, Rows


def select(probability: Tensor, selection: str) -> Tensor:
    """Probability of being in the subgraph -> membership, elementwise.

    `hard` is the paper's letter, P >= 1/2, and gives W no gradient (the step is flat).
    `straight-through` has the same values and the gradient of `soft`. `soft` is P itself. `balanced` is
    `straight-through` for probabilities that are 1/2 in the middle of the nodes.
    """
    if selection == "soft":
        return probability
    chosen = (probability >= 0.5).to(probability.dtype)
    if selection == "hard":
        return chosen
    # The bracket is exactly zero in value, so memberships stay exactly 0 or 1.
    return chosen + (probability - probability.detach())


class BasicOperator(nn.Module):
    """Eq. 11, K times side by side: P = softmax(X W), W in R^{d x 2}; gives the first column.

    The second column is one minus the first, and the first is the logistic function of the
    difference of the two logits; so one projection per operator will do.
    """

    def __init__(self, hidden: int, count: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(count, hidden, 2))
        for weight in self.weight:
            nn.init.xavier_uniform_(weight)

    @property
    def contrast(self) -> Tensor:
        """[d, K]: the difference of the two columns of each W"""
        return (self.weight[..., 0] - self.weight[..., 1]).T

    def logits(self, nodes: NodeVectors) -> Tensor:
        """X_G -> [K, rows], before the logistic function"""
        return nodes.project(self.contrast).T

    def forward(self, nodes: NodeVectors) -> Tensor:
        """X_G -> P [K, rows]"""
        return self.logits(nodes).sigmoid()


class Generator(nn.Module, ABC):
    """Base of all generators: stores the number of subgraphs and the selection mode.

    Parameters
    ----------
    num_subgraphs : int
        Number S of subgraphs.
    selection : str
        How a probability makes a membership.
    operators : int
        How many basic operators decide; with balanced selection each has a middle of its own.
    """

    def __init__(self, num_subgraphs: int, selection: str, operators: int | None = None):
        super().__init__()
        self.num_subgraphs = num_subgraphs
        self.selection = selection
        self.middle = Middle(operators or num_subgraphs) if selection == "balanced" else None

    @classmethod
    def check(cls, num_subgraphs: int) -> None:
        """Raise a `PartwholeError` when this generator cannot make that many subgraphs."""

    @abstractmethod
    def forward(self, nodes: NodeVectors) -> Tensor:
        """X_G -> membership [S, rows]"""

    def decide(self, logit: Tensor, rows: Rows, operators: slice, among: Tensor | None = None) -> Tensor:
        """Logits [k, rows] of some operators -> whether a node goes their way [k, rows]; `among` [k, rows]:
        of which nodes, where it is not all."""
        if self.middle is not None:
            everything = torch.ones_like(logit) if among is None else among
            logit = self.middle(logit, rows, operators, everything)
        return select(logit.sigmoid(), self.selection)
