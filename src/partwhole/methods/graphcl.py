"""GraphCL: two changed copies of a graph are to have the same vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from partwhole.config import BackboneConfig, option
from partwhole.estimators.fits import Fit
from partwhole.estimators.network_estimator import NetworkEstimator
from partwhole.estimators.networks import NetworkInputs
from partwhole.estimators.self_supervised.augmentation import augmented
from partwhole.estimators.self_supervised.network import LayerwiseEncoder, NetworkLoss, SelfSupervised
from partwhole.graphs.graph import GraphBatch, Movable
from partwhole.nn.layers import MLP
from partwhole.registry import METHODS
from partwhole.training.feeds import EpochFeed
from partwhole.training.plan import TrainingPlan


@dataclass(eq=False)
class GraphCLConfig(BackboneConfig):
    """Width, depth and epochs are those of its authors."""

    hidden: int = option(32, "Width of every hidden layer.", least=1)
    layers: int = option(3, "Number L of graph network layers.", least=1)
    epochs: int = option(20, "Passes over the graphs.", least=0)
    temperature: float = option(0.2, "Divisor of the cosine.", above=0)


@dataclass(frozen=True, eq=False)
class Copies(Movable):
    """Each graph in two changed copies."""

    first: GraphBatch
    second: GraphBatch

    @property
    def num_graphs(self) -> int:
        """Graphs that there are copies of."""
        return self.first.num_graphs


class CopiesFeed(EpochFeed[Copies]):
    """Each graph changed in two ways."""

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> Copies:
        """Copies drawn by seed, epoch and step."""
        random, part = np.random.default_rng([self.seed, epoch, step]), self.store.take(graphs)
        first, second = (augmented(part, random).batch(np.arange(len(part))) for _ in range(2))
        return Copies(first, second)


class CopiesNetwork(SelfSupervised):
    """NT-Xent as its authors have it: the score of the two copies of a graph against those of the first
    with the second copies of other graphs."""

    def __init__(self, encoder: LayerwiseEncoder, temperature: float):
        super().__init__(encoder)
        self.temperature = temperature
        self.head = MLP(encoder.width, encoder.width, encoder.width)

    def loss(self, batch: Copies) -> tuple[Tensor, dict[str, Tensor]]:
        """NT-Xent, and how often the own copy is the closest."""
        first, second = (
            normalize(self.head(self.encoder.embed(copy)), dim=1) for copy in (batch.first, batch.second)
        )
        scores = first @ second.T / self.temperature  # [B, B]
        own = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
        loss = (scores.masked_fill(own, -torch.inf).logsumexp(1) - scores.diagonal()).mean()
        found = scores.argmax(1) == torch.arange(len(scores), device=scores.device)
        return loss, {"found": found.to(loss.dtype).mean()}


@METHODS.register
class GraphCL(NetworkEstimator[GraphCLConfig, CopiesNetwork]):
    """Nodes dropped, edges moved, attributes masked or a walked subgraph, drawn for each graph."""

    method = "graphcl"
    idea = "two changed copies of a graph get the same vector"
    paper = "You et al., Graph Contrastive Learning with Augmentations, NeurIPS 2020"
    config_class = GraphCLConfig

    def build(self, config: GraphCLConfig, inputs: NetworkInputs) -> CopiesNetwork:
        """An encoder with a head that is used in training only."""
        return CopiesNetwork(LayerwiseEncoder.of(config, inputs), config.temperature)

    def plan(self, network: CopiesNetwork, fit: Fit[GraphCLConfig]) -> TrainingPlan[CopiesNetwork, Copies]:
        """Graphs changed in two ways."""
        return TrainingPlan(network, NetworkLoss(), CopiesFeed(fit.store, fit.config))
