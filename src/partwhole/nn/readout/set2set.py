"""Set2Set readout (Vinyals, Bengio & Kudlur 2016), the paper's choice with labels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwhole.graphs.node_vectors import NodeVectors, PlainNodes
from partwhole.nn.readout.base import Readout
from partwhole.numerics.segment import segment_softmax, segment_sum
from partwhole.registry import READOUTS


@READOUTS.register
class Set2SetReadout(Readout):
    """An LSTM asks, attention answers, `steps` times:

    q_t = LSTM(q*_{t-1}),  a = softmax_v(x_v . q_t),  q*_t = [q_t, sum_v a_v x_v].

    In a subgraph the attention of a node is weighted by its membership, so that a node outside
    counts for nothing.
    """

    lifts = False  # the query differs from graph to graph, and with it every node's attention

    def __init__(self, hidden: int, steps: int = 3):
        super().__init__(width=2 * hidden)
        self.steps = steps
        self.lstm = nn.LSTMCell(2 * hidden, hidden)

    def read(self, nodes: NodeVectors, weight: Tensor | None) -> Tensor:
        """The last query and its answer for each graph, [B, 2 d]"""
        assert isinstance(nodes, PlainNodes)
        x, ptr, graph = nodes.x, nodes.rows.ptr, nodes.rows.graph
        graphs = len(ptr) - 1
        query = cell = x.new_zeros(graphs, x.shape[1])
        answer = x.new_zeros(graphs, self.width)
        for _ in range(self.steps):
            query, cell = self.lstm(answer, (query, cell))
            score = (x * query[graph]).sum(1)  # [n]
            attention = segment_softmax(score, ptr, graph, weight)  # [n]
            found = segment_sum(x, ptr, graph, attention)  # [B, d]
            answer = torch.cat([query, found], dim=1)
        return answer
