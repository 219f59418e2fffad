"""The encoder of the compared methods, and what trains it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from partwhole.config import BackboneConfig, TrainConfig
from partwhole.graphs.graph import Batch
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.model import NodeAggregation
from partwhole.nn.readout.base import Readout
from partwhole.registry import BACKBONES, READOUTS, Plugin
from partwhole.training.objectives import Objective


class LayerwiseEncoder(nn.Module):
    """Ours without layer-conv: every layer is read out, and the vectors stand side by side."""

    def __init__(
        self,
        config: TrainConfig,
        widths: Mapping[str, int],
        edge_width: int,
        backbone: nn.Module,
        readout: Plugin = "sum",
    ):
        super().__init__()
        self.config = config
        self.node_aggregation = NodeAggregation(widths, edge_width, config.hidden)
        self.backbone = backbone
        self.readout: Readout = READOUTS.build(readout, hidden=config.hidden * config.layers)

    @classmethod
    def of(cls, config: BackboneConfig, widths: Mapping[str, int], edge_width: int) -> LayerwiseEncoder:
        """With the graph network that was chosen."""
        takes = {"edge_width": edge_width} if BACKBONES.takes(config.backbone, "edge_width") else {}
        backbone = BACKBONES.build(config.backbone, hidden=config.hidden, layers=config.layers, **takes)
        return cls(config, widths, edge_width, backbone, config.readout)

    @property
    def width(self) -> int:
        """Of a graph's vector."""
        return self.readout.width

    @property
    def node_width(self) -> int:
        return self.config.hidden * self.config.layers

    def start(self, batch: Batch) -> Tensor:
        """X^(0)"""
        x0: Tensor = self.node_aggregation(batch.inputs)
        return x0

    def nodes_from(self, x0: Tensor, batch: Batch) -> NodeVectors:
        """[n, L d]"""
        return batch.side_by_side(self.backbone(batch.start(x0), batch))

    def nodes(self, batch: Batch) -> NodeVectors:
        return self.nodes_from(self.start(batch), batch)

    def embed(self, batch: Batch) -> Tensor:
        """[B, width]"""
        return self.readout(self.nodes(batch))


class SelfSupervised(nn.Module):
    """An encoder and what its loss needs besides; a method defines `loss`."""

    def __init__(self, encoder: LayerwiseEncoder):
        super().__init__()
        self.encoder, self.config = encoder, encoder.config

    @property
    def backbone(self) -> nn.Module:
        return self.encoder.backbone

    @property
    def readout(self) -> Readout:
        return self.encoder.readout

    @property
    def width(self) -> int:
        return self.encoder.width

    def embed(self, batch: Batch) -> Tensor:
        return self.encoder.embed(batch)

    def loss(self, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
        """Of a batch, and what to log beside it."""
        raise TypeError("a method defines its loss")


class OwnLoss(Objective):
    """The loss that the network itself defines."""

    def __call__(self, model: SelfSupervised, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
        loss, logged = model.loss(batch)
        return loss, {"loss": loss.detach(), **logged}
