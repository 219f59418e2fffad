"""The encoder of the compared methods, and what trains it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from partwhole.config import BackboneConfig
from partwhole.estimators.networks import NetworkInputs
from partwhole.graphs.graph import Batch
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.model import NodeAggregation
from partwhole.nn.building import build_backbone
from partwhole.nn.graph_encoder import GraphEncoder
from partwhole.nn.readout.base import Readout
from partwhole.registry import READOUTS, Plugin
from partwhole.training.plan import Objective


class LayerwiseEncoder(GraphEncoder):
    """Ours without layer-conv: every layer is read out, and the vectors stand side by side."""

    def __init__(
        self,
        widths: Mapping[str, int],
        edge_width: int,
        hidden: int,
        layers: int,
        backbone: nn.Module,
        readout: Plugin = "sum",
    ):
        super().__init__()
        self.node_width = hidden * layers
        self.node_aggregation = NodeAggregation(widths, edge_width, hidden)
        self.backbone = backbone
        self.readout: Readout = READOUTS.build(readout, hidden=self.node_width)

    @classmethod
    def of(cls, config: BackboneConfig, inputs: NetworkInputs) -> LayerwiseEncoder:
        """With the graph network that was chosen."""
        hidden, layers = config.hidden, config.layers
        return cls(
            inputs.widths,
            inputs.edge_width,
            hidden,
            layers,
            build_backbone(config.backbone, hidden, layers, inputs.edge_width),
            config.readout,
        )

    @property
    def width(self) -> int:
        """Columns of a graph's vector."""
        return self.readout.width

    def start(self, batch: Batch) -> Tensor:
        """X^(0)"""
        x0: Tensor = self.node_aggregation(batch.inputs)
        return x0

    def nodes_from(self, x0: Tensor, batch: Batch) -> NodeVectors:
        """[n, L d] from X^(0)"""
        return batch.side_by_side(self.backbone(batch.start(x0), batch))

    def nodes(self, batch: Batch) -> NodeVectors:
        """[n, L d]"""
        return self.nodes_from(self.start(batch), batch)

    def embed(self, batch: Batch) -> Tensor:
        """[B, width]"""
        return self.readout(self.nodes(batch))


class LossNetwork(GraphEncoder):
    """A network that defines its own loss."""

    @abstractmethod
    def loss(self, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, and what to log beside it."""


class SelfSupervised(LossNetwork):
    """An encoder and what its loss needs besides."""

    def __init__(self, encoder: LayerwiseEncoder):
        super().__init__()
        self.encoder = encoder

    @property
    def backbone(self) -> nn.Module:
        """The graph network of the encoder."""
        return self.encoder.backbone

    @property
    def readout(self) -> Readout:
        """The readout of the encoder."""
        return self.encoder.readout

    @property
    def width(self) -> int:
        """Columns of a graph's vector."""
        return self.encoder.width

    def embed(self, batch: Batch) -> Tensor:
        """[B, width]"""
        return self.encoder.embed(batch)


class NetworkLoss(Objective[LossNetwork, Any]):
    """The loss that the network itself defines."""

    def __call__(self, network: LossNetwork, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
        loss, logged = network.loss(batch)
        return loss, {"loss": loss.detach(), **logged}
