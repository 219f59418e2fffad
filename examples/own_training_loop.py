"""Own backbone, own training loop: the model is built from parts and trained by plain PyTorch.

python examples/own_training_loop.py
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from partwhole import PartWhole, make_motif_graphs
from partwhole.config import FitConfig
from partwhole.generators.tree_split import TreeSplit
from partwhole.graphs.graph import Batch
from partwhole.model import LayerAggregation, NodeAggregation, SubgraphAggregation
from partwhole.nn.readout.sum import SumReadout
from partwhole.structure.base import with_structure
from partwhole.training.objectives import head_tail_loss


class StepsOnGraphs(nn.Module):
    """A backbone of our own: in each layer a node adds a map of the sum over itself and its neighbours."""

    def __init__(self, hidden: int, layers: int):
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers))

    def forward(self, x: Tensor, batch: Batch) -> list[Tensor]:
        """X^(1) … X^(L) from X^(0)."""
        layers: list[Tensor] = []
        for depth, linear in enumerate(self.maps):
            x = x + linear(batch.aggregate(depth, x)).tanh()
            layers.append(x)
        return layers


hidden, layers, parts = 32, 3, 4
graphs = with_structure(make_motif_graphs(200, random_state=0), ["degree", "triangles"])
widths = {kind: columns.shape[1] for kind, columns in graphs.structure.items()}

torch.manual_seed(0)
model = PartWhole(
    NodeAggregation(widths, 0, hidden),
    LayerAggregation(StepsOnGraphs(hidden, layers), layers),
    SumReadout(hidden),
    SubgraphAggregation(TreeSplit(hidden, parts, "straight-through"), parts),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scoring = FitConfig(pair_score="cosine")
for epoch in range(5):
    order = np.random.default_rng(epoch).permutation(len(graphs))
    for step, index in enumerate(np.split(order, 4)):
        batch = graphs.batch(index, torch.Generator().manual_seed(100 * epoch + step))  # G, and G^ after it
        loss, told = head_tail_loss(model(batch), scoring)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}, mutual information {told['mutual_information']:.3f}")

with torch.inference_mode():
    vectors = model.eval().embed(graphs.batch(np.arange(len(graphs))))
print(f"{len(vectors)} vectors of {vectors.shape[1]} numbers")
