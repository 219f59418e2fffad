"""GraphMAE: what was the attribute of a node that is hidden?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, one_hot

from partwhole.config import BackboneConfig, option
from partwhole.errors import PartwholeError
from partwhole.estimators.fits import Fit
from partwhole.estimators.network_estimator import NetworkEstimator
from partwhole.estimators.networks import NetworkInputs
from partwhole.estimators.self_supervised.network import LayerwiseEncoder, NetworkLoss, SelfSupervised
from partwhole.graphs.graph import GraphBatch, Movable
from partwhole.graphs.store import GraphStore
from partwhole.nn.layers import linear
from partwhole.registry import BACKBONES, METHODS
from partwhole.training.feeds import EpochFeed, step_generator
from partwhole.training.plan import TrainingPlan

DEGREES = 64  # told apart where the degree is all that a node has


@dataclass(eq=False)
class GraphMAEConfig(BackboneConfig):
    """Depth and epochs are those of its authors."""

    layers: int = option(2, "Number L of graph network layers.", least=1)
    epochs: int = option(20, "Passes over the graphs.", least=0)
    masked: float = option(0.5, "Share of nodes that are hidden.", above=0, below=1)
    power: float = option(2.0, "Of the error: the higher, the less easy nodes count.", above=0)

    def validate(self) -> None:
        """Refuse a readout that has weights of its own, which nothing would train."""
        super().validate()
        if self.readout == "set2set":
            raise PartwholeError("graphmae learns from nodes and not its readout; choose sum or mean.")


@dataclass(frozen=True, eq=False)
class Masked(Movable):
    """Graphs, and which of their nodes are hidden."""

    graphs: GraphBatch
    hidden: Tensor  # [n] bool

    @property
    def num_graphs(self) -> int:
        """Graphs in the batch."""
        return self.graphs.num_graphs


class MaskedFeed(EpochFeed[Masked]):
    """A share of all nodes of a batch hidden."""

    def __init__(self, store: GraphStore, config: GraphMAEConfig):
        super().__init__(store, config)
        self.share = config.masked

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> Masked:
        """Nodes drawn by seed, epoch and step."""
        batch = self.store.batch(graphs)
        drawn = torch.rand(batch.num_nodes, generator=step_generator(self.seed, epoch, step))
        hidden = torch.zeros(batch.num_nodes, dtype=torch.bool)
        hidden[drawn.argsort()[: max(1, round(self.share * batch.num_nodes))]] = True
        return Masked(batch, hidden)


class MaskedNetwork(SelfSupervised):
    """Hidden nodes start from a token, are hidden again after the encoder, and a GIN layer decodes them."""

    def __init__(self, encoder: LayerwiseEncoder, hidden: int, width: int, power: float):
        super().__init__(encoder)
        self.width_of_attributes, self.power = width, power
        self.token = nn.Parameter(torch.zeros(1, hidden))
        self.between = linear(encoder.node_width, hidden, bias=False)
        self.decoder = BACKBONES.build("gin", hidden=hidden, layers=1)
        self.out = linear(hidden, width or DEGREES)

    def loss(self, batch: Masked) -> tuple[Tensor, dict[str, Tensor]]:
        """The scaled cosine error of the hidden attributes."""
        graphs, hidden = batch.graphs, batch.hidden[:, None]
        x0 = torch.where(hidden, self.token, self.encoder.start(graphs))
        code = self.encoder.nodes_from(x0, graphs).project(self.between.weight.T)
        decoded = self.out(self.decoder(code.masked_fill(hidden, 0.0), graphs)[-1])
        likeness = cosine_similarity(decoded[batch.hidden], self._attributes(graphs)[batch.hidden], dim=1)
        loss = (1 - likeness).pow(self.power).mean()  # the scaled cosine error of its paper
        return loss, {"likeness": likeness.detach().mean()}

    def _attributes(self, graphs: GraphBatch) -> Tensor:
        """[n, …] what is to be found: the attributes, or else the degree, one-hot."""
        if self.width_of_attributes:
            return graphs.inputs.attributes["node"]
        degrees = graphs.edge_ptr.diff().clamp_max(DEGREES - 1)
        return one_hot(degrees, DEGREES).to(self.token.dtype)


@METHODS.register
class GraphMAE(NetworkEstimator[GraphMAEConfig, MaskedNetwork]):
    """A masked autoencoder of node attributes."""

    method = "graphmae"
    idea = "hidden attributes of nodes are found again"
    paper = "Hou et al., GraphMAE: Self-Supervised Masked Graph Autoencoders, KDD 2022"
    config_class = GraphMAEConfig

    def build(self, config: GraphMAEConfig, inputs: NetworkInputs) -> MaskedNetwork:
        """An encoder, and a decoder that is used in training only."""
        encoder = LayerwiseEncoder.of(config, inputs)
        return MaskedNetwork(encoder, config.hidden, inputs.widths.get("node", 0), config.power)

    def plan(self, network: MaskedNetwork, fit: Fit[GraphMAEConfig]) -> TrainingPlan[MaskedNetwork, Masked]:
        """Graphs with hidden nodes."""
        return TrainingPlan(network, NetworkLoss(), MaskedFeed(fit.store, fit.config))
