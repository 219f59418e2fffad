"""GCN, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedConfig, SupervisedNetwork
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGCN(SupervisedNetwork):
    """Layers of the network, read out side by side."""

    method = "gcn"
    config_class = SupervisedConfig
    idea = "classes by a GCN, from labels alone"
    paper = "Kipf & Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"

    def backbone(self, hidden: int, layers: int) -> nn.Module:
        """The graph network with its first weights."""
        return PyGBackbone(hidden, layers, "GCN")
