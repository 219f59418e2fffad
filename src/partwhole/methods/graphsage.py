"""GraphSAGE, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedConfig, SupervisedNetwork
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGraphSAGE(SupervisedNetwork):
    """Layers of the network, read out side by side."""

    method = "graphsage"
    config_class = SupervisedConfig
    idea = "classes by a GraphSAGE, from labels alone"
    paper = "Hamilton et al., Inductive Representation Learning on Large Graphs, NeurIPS 2017"

    def backbone(self, hidden: int, layers: int) -> nn.Module:
        """The graph network with its first weights."""
        return PyGBackbone(hidden, layers, "GraphSAGE")
