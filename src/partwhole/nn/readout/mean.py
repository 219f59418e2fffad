"""Mean readout."""

from __future__ import annotations

from torch import Tensor

from partwhole.graph import GraphBatch
from partwhole.nn.readout.base import Readout
from partwhole.registry import READOUTS
from partwhole.segment import segment_mean


@READOUTS.register
class MeanReadout(Readout):
    """h = mean_v x_v; of a subgraph, the mean weighted by membership; zero when it is empty."""

    def __init__(self, hidden: int):
        super().__init__(width=hidden)

    def read(self, x: Tensor, batch: GraphBatch, weight: Tensor | None) -> Tensor:
        return segment_mean(x, batch.node_ptr, batch.graph_of_node, weight)
