"""Sum readout, the paper's choice without labels."""

from __future__ import annotations

from torch import Tensor

from partwhole.graphs.node_vectors import NodeVectors
from partwhole.nn.readout.base import Readout
from partwhole.registry import READOUTS


@READOUTS.register
class SumReadout(Readout):
    """h = sum_v x_v; of a subgraph, sum_v m_v x_v (Eq. 6, 9)."""

    is_linear = True

    def __init__(self, hidden: int):
        super().__init__(width=hidden)

    def read(self, nodes: NodeVectors, weight: Tensor | None) -> Tensor:
        """The weighted sum over the nodes of each graph, [B, d]"""
        return nodes.sum(weight)
