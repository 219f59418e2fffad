"""InfoGraph: every node against the graph it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from partwhole.config import BackboneConfig, option
from partwhole.estimators.fits import Fit
from partwhole.estimators.network_estimator import NetworkEstimator
from partwhole.estimators.networks import NetworkInputs
from partwhole.estimators.self_supervised.network import LayerwiseEncoder, NetworkLoss, SelfSupervised
from partwhole.graphs.graph import Batch
from partwhole.losses.local_global import LocalGlobal
from partwhole.registry import BOUNDS, METHODS, Plugin
from partwhole.training.feeds import GraphFeed
from partwhole.training.plan import TrainingPlan


@dataclass(eq=False)
class InfoGraphConfig(BackboneConfig):
    """Width, depth and epochs are those of its authors."""

    hidden: int = option(32, "Width of every hidden layer.", least=1)
    layers: int = option(5, "Number L of graph network layers.", least=1)
    epochs: int = option(20, "Passes over the graphs.", least=0)
    estimator: Plugin = option("jsd", "Mutual information estimator.", choices=BOUNDS)


class LocalGlobalNetwork(SelfSupervised):
    """I(x_v; h(G)) over all nodes and graphs of a batch."""

    def __init__(self, encoder: LayerwiseEncoder, estimator: Plugin):
        super().__init__(encoder)
        self.estimator = estimator
        self.discriminator = LocalGlobal(encoder.node_width, encoder.width)

    def loss(self, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """The negative local-global bound."""
        nodes = self.encoder.nodes(batch)
        bound = self.discriminator(nodes, self.encoder.readout(nodes), self.estimator)
        return -bound, {"mutual_information": bound.detach()}


@METHODS.register
class InfoGraph(NetworkEstimator[InfoGraphConfig, LocalGlobalNetwork]):
    """The same GIN, trainer and estimators as ours; all layers side by side."""

    method = "infograph"
    idea = "nodes compared with the graph they belong to"
    paper = "Sun et al., InfoGraph, ICLR 2020"
    config_class = InfoGraphConfig

    def build(self, config: InfoGraphConfig, inputs: NetworkInputs) -> LocalGlobalNetwork:
        """An encoder, and a discriminator of its nodes and graphs."""
        return LocalGlobalNetwork(LayerwiseEncoder.of(config, inputs), config.estimator)

    def plan(
        self, network: LocalGlobalNetwork, fit: Fit[InfoGraphConfig]
    ) -> TrainingPlan[LocalGlobalNetwork, Batch]:
        """Graphs as they are."""
        feed = GraphFeed(fit.store, network, fit.config, corrupt=False, lift=fit.config.lift)
        return TrainingPlan(network, NetworkLoss(), feed)
