"""Sum readout, the paper's choice without labels."""

from __future__ import annotations

from torch import Tensor

from partwhole.graph import GraphBatch
from partwhole.nn.readout.base import Readout
from partwhole.registry import READOUTS
from partwhole.segment import segment_sum


@READOUTS.register
class SumReadout(Readout):
    """h = sum_v x_v; of a subgraph, sum_v m_v x_v (Eq. 6, 9)."""

    def __init__(self, hidden: int):
        super().__init__(width=hidden)

    def read(self, x: Tensor, batch: GraphBatch, weight: Tensor | None) -> Tensor:
        return segment_sum(x, batch.node_ptr, batch.graph_of_node, weight)
