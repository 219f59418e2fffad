"""Multi-head generator: S independent basic operators."""

from __future__ import annotations

from torch import Tensor

from partwhole.generators.base import BasicOperator, Generator
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.registry import GENERATORS


@GENERATORS.register
class MultiHead(Generator):
    """Eq. 12: p(G_i | G) for each i alone. Subgraphs may overlap and may leave nodes out."""

    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection)
        self.operator = BasicOperator(hidden, num_subgraphs)

    def forward(self, nodes: NodeVectors) -> Tensor:
        """X_G -> membership [S, rows], all subgraphs at once"""
        return self.decide(self.operator.logits(nodes), nodes.rows, slice(0, self.num_subgraphs))
