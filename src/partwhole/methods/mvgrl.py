"""MVGRL: the nodes of one view of a graph against the whole of the other view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from partwhole.config import TrainConfig, option
from partwhole.estimators.fits import Fit
from partwhole.estimators.network_estimator import NetworkEstimator
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs
from partwhole.estimators.self_supervised.diffusion import Diffused, TwoViews
from partwhole.estimators.self_supervised.network import LossNetwork, NetworkLoss
from partwhole.graphs.store import GraphStore
from partwhole.losses.local_global import own_and_other
from partwhole.model import NodeAggregation
from partwhole.nn.layers import linear
from partwhole.nn.sparse import Sparse
from partwhole.numerics.segment import segment_sum
from partwhole.registry import BOUNDS, METHODS, Plugin
from partwhole.training.feeds import EpochFeed
from partwhole.training.plan import TrainingPlan


@dataclass(eq=False)
class MVGRLConfig(TrainConfig):
    """Options of `mvgrl`."""

    epochs: int = option(20, "Passes over the graphs.", least=0)
    estimator: Plugin = option("jsd", "Mutual information estimator.", choices=BOUNDS)


class Convolutions(nn.Module):
    """L layers X' = PReLU(S X W + b) of a view S, as its paper has them."""

    def __init__(self, hidden: int, layers: int):
        super().__init__()
        self.maps = nn.ModuleList(linear(hidden, hidden, bias=False) for _ in range(layers))
        self.biases = nn.ParameterList(torch.zeros(hidden) for _ in range(layers))
        self.slopes = nn.ModuleList(nn.PReLU() for _ in range(layers))

    def forward(self, x: Tensor, view: Sparse) -> list[Tensor]:
        """The layers X^(1) … X^(L) of a view."""
        outputs = []
        for linear_map, bias, slope in zip(self.maps, self.biases, self.slopes):
            x = slope(view @ linear_map(x) + bias)
            outputs.append(x)
        return outputs


class Projection(nn.Module):
    """Three layers and a straight way past them."""

    def __init__(self, inputs: int, width: int):
        super().__init__()
        steps: list[nn.Module] = []
        for wide in (inputs, width, width):
            steps += [linear(wide, width), nn.PReLU()]
        self.steps, self.straight = nn.Sequential(*steps), linear(inputs, width)

    def forward(self, x: Tensor) -> Tensor:
        """[n, width]"""
        out: Tensor = self.steps(x) + self.straight(x)
        return out


class TwoViewNetwork(LossNetwork):
    """An encoder for each view; nodes and graphs are projected by heads that the views share."""

    def __init__(self, config: MVGRLConfig, inputs: NetworkInputs):
        super().__init__()
        self.hidden, self.estimator = config.hidden, config.estimator
        self.node_aggregation = NodeAggregation(inputs.widths, inputs.edge_width, config.hidden)
        self.near = Convolutions(config.hidden, config.layers)
        self.far = Convolutions(config.hidden, config.layers)
        self.node_head = Projection(config.hidden, config.hidden)
        self.graph_head = Projection(config.hidden * config.layers, config.hidden)

    @property
    def width(self) -> int:
        """Columns of a graph's vector."""
        return self.hidden

    def views(self, batch: TwoViews) -> list[tuple[Tensor, Tensor]]:
        """(nodes [n, d] of the last layer, graphs [B, d]) of each view."""
        x0 = self.node_aggregation(batch.inputs)
        found = []
        for encoder, view in ((self.near, batch.adjacency), (self.far, batch.diffusion)):
            layers = encoder(x0, view)
            sums = segment_sum(torch.cat(layers, dim=1), batch.node_ptr, batch.graph_of_node)
            found.append((layers[-1], self.graph_head(sums)))
        return found

    def embed(self, batch: TwoViews) -> Tensor:
        """The sum of the vectors of both views."""
        (_, near), (_, far) = self.views(batch)
        return near + far

    def loss(self, batch: TwoViews) -> tuple[Tensor, dict[str, Tensor]]:
        """The negative bounds of nodes of each view against graphs of the other."""
        (near_nodes, near), (far_nodes, far) = self.views(batch)
        bounds = [
            own_and_other(self.node_head(nodes) @ graphs.T, batch.graph_of_node, self.estimator)
            for nodes, graphs in ((near_nodes, far), (far_nodes, near))
        ]
        both = torch.stack(bounds)
        return -both.sum(), {"mutual_information": both.mean().detach()}


class ViewsFeed(EpochFeed[TwoViews]):
    """Graphs with their diffusion, which is computed once."""

    def __init__(self, store: GraphStore, config: TrainConfig):
        super().__init__(store, config)
        self.diffused = Diffused(store)

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> TwoViews:
        """The batch of these graphs, with their diffusion."""
        return self.diffused.batch(graphs)


@dataclass(frozen=True)
class DiffusedPieces:
    """Only the graphs of a batch at a time."""

    store: GraphStore

    def batch(self, index: np.ndarray) -> TwoViews:
        """The batch of these graphs, diffused on the spot."""
        return Diffused(self.store.take(index)).batch(np.arange(len(index)))


@METHODS.register
class MVGRL(NetworkEstimator[MVGRLConfig, TwoViewNetwork]):
    """Adjacency beside personalised PageRank; the vector of a graph is the sum of those of its views."""

    method = "mvgrl"
    idea = "nodes of the graph compared with its diffusion as a whole, and the other way round"
    paper = "Hassani & Khasahmadi, Contrastive Multi-View Representation Learning on Graphs, ICML 2020"
    config_class = MVGRLConfig
    bare_nodes = "one-hot-degree"  # as its authors have it; a number for the degree loses four points on IMDB

    def build(self, config: MVGRLConfig, inputs: NetworkInputs) -> TwoViewNetwork:
        """An encoder for each view."""
        return TwoViewNetwork(config, inputs)

    def plan(self, network: TwoViewNetwork, fit: Fit[MVGRLConfig]) -> TrainingPlan[TwoViewNetwork, TwoViews]:
        """Graphs with their diffusion."""
        return TrainingPlan(network, NetworkLoss(), ViewsFeed(fit.store, fit.config))

    def encoder(self, network: TwoViewNetwork, config: MVGRLConfig, inputs: NetworkInputs) -> NetworkEncoder:
        """Batches carry the diffusion; it is never lifted."""
        return NetworkEncoder(network, network, inputs, config, batches=DiffusedPieces)
