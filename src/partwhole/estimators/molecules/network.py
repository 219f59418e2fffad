"""The network of molecule vectors: the paper's model, a vector of its layer sums, and what it tells."""

from __future__ import annotations

from typing import Self

import torch
from torch import Tensor

from partwhole.config import ModelOptions
from partwhole.estimators.networks import NetworkInputs
from partwhole.graphs.graph import GraphBatch, GraphViews
from partwhole.losses.prediction import unexplained
from partwhole.model import PartWhole
from partwhole.nn.graph_encoder import GraphEncoder
from partwhole.nn.layers import linear
from partwhole.nn.readout.base import Readout
from partwhole.nn.sums_to_vector import SumsToVector
from partwhole.training.feeds import DescribedBatch
from partwhole.training.objectives import BoundOptions, head_tail_loss
from partwhole.training.plan import Objective

HIDDEN = 2  # times the width of a vector: the hidden layer between layer sums and vector


class MoleculeNetwork(GraphEncoder):
    """`PartWhole`, whose layer sums make a vector z, from which a linear map tells what can be computed of a
    molecule."""

    def __init__(self, model: PartWhole, columns: int, width: int, told: int):
        super().__init__()
        self.model = model
        self.vector = SumsToVector(columns, HIDDEN * width, width)
        self.tell = linear(width, told)

    @classmethod
    def from_config(cls, options: ModelOptions, inputs: NetworkInputs, width: int, told: int) -> Self:
        """With its first weights; `told`: how many numbers it learns to tell from a vector."""
        model = PartWhole.from_config(options, inputs.widths, inputs.edge_width)
        return cls(model, options.layers * options.hidden, width, told)

    @property
    def width(self) -> int:
        """Columns of z."""
        return self.vector.width

    @property
    def backbone(self) -> torch.nn.Module:
        """The graph network."""
        return self.model.backbone

    @property
    def readout(self) -> Readout:
        """Of the paper's model."""
        return self.model.readout

    def embed(self, batch: GraphBatch) -> Tensor:
        """z [B, width]"""
        z: Tensor = self.vector(self.model.layer_sums(batch), batch.node_ptr.diff())
        return z

    def forward(self, batch: GraphBatch) -> tuple[GraphViews, Tensor]:
        """The views that training compares, and what is told of the graphs [B, told]."""
        views = self.model(batch)
        z = self.vector(views.layer_sums(), batch.node_ptr.diff())
        return views, self.tell(z)


class ToldObjective(Objective[MoleculeNetwork, DescribedBatch]):
    """What is not told of molecules, and beside it the Head-Tail bound (Eq. 17)."""

    def __init__(self, weight: Tensor, options: BoundOptions, bound_weight: float):
        self.weight, self.options, self.bound_weight = weight, options, bound_weight  # weight [told]

    def __call__(self, network: MoleculeNetwork, batch: DescribedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        assert isinstance(batch.graphs, GraphBatch)
        views, told = network(batch.graphs)
        bound, logged = head_tail_loss(views, self.options)
        missed = unexplained(told, batch.said, self.weight.to(told.device))
        loss = missed + self.bound_weight * bound
        return loss, {"loss": loss.detach(), "unexplained": missed.detach(), **logged}
