"""GAT, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedConfig, SupervisedNetwork
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGAT(SupervisedNetwork):
    """Layers of the network, read out side by side."""

    method = "gat"
    config_class = SupervisedConfig
    idea = "classes by a GAT, from labels alone"
    paper = "Veličković et al., Graph Attention Networks, ICLR 2018"

    def backbone(self, hidden: int, layers: int) -> nn.Module:
        """The graph network with its first weights."""
        return PyGBackbone(hidden, layers, "GAT")
