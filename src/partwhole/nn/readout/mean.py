"""Mean readout."""

from __future__ import annotations

from torch import Tensor

from partwhole.graphs.node_vectors import NodeVectors, node_total
from partwhole.nn.readout.base import Readout
from partwhole.registry import READOUTS


@READOUTS.register
class MeanReadout(Readout):
    """h = mean_v x_v; of a subgraph, the mean weighted by membership; zero when it is empty."""

    def __init__(self, hidden: int):
        super().__init__(width=hidden)

    def read(self, nodes: NodeVectors, weight: Tensor | None) -> Tensor:
        """The weighted mean over the nodes of each graph, [B, d]"""
        total = node_total(nodes, weight)  # [B, 1]
        return nodes.sum(weight) / total.where(total > 0, 1.0)
