"""Tree-split generator: a binary tree of basic operators."""

from __future__ import annotations

import torch
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.generators.base import BasicOperator, Generator
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.registry import GENERATORS


@GENERATORS.register
class TreeSplit(Generator):
    """After T rounds, S = 2^T subgraphs that share every node out among them.

    Each of the S - 1 inner tree nodes has an operator of its own. A child holds what its parent
    holds times the probability of its side, so the memberships of a node sum to one.
    """

    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection, num_subgraphs - 1)
        self.operator = BasicOperator(hidden, num_subgraphs - 1)

    @classmethod
    def check(cls, num_subgraphs: int) -> None:
        """Raise unless the number is a power of two from 2 on."""
        if num_subgraphs < 2 or num_subgraphs & (num_subgraphs - 1):
            raise PartwholeError(
                f"Tree-split makes 2, 4, 8, … subgraphs, not {num_subgraphs}; choose a power of two "
                "or the multi-head generator."
            )

    def forward(self, nodes: NodeVectors) -> Tensor:
        """X_G -> membership [S, rows], level by level of the tree"""
        logits, everywhere = self.operator.logits(nodes), slice(0, self.num_subgraphs - 1)  # [S - 1, rows]
        # Only a middle asks which nodes reach an inner node of the tree.
        sides = self.decide(logits, nodes.rows, everywhere) if self.middle is None else None
        leaves = torch.ones_like(logits[:1])  # [leaves of this level, rows]
        for level in range(self.num_subgraphs.bit_length() - 1):
            inner = slice(2**level - 1, 2 ** (level + 1) - 1)  # inner nodes stand level by level
            if sides is None:
                left = self.decide(logits[inner], nodes.rows, inner, among=leaves)
            else:
                left = sides[inner]
            leaves = torch.stack([leaves * left, leaves * (1 - left)], dim=1).flatten(0, 1)
        return leaves
