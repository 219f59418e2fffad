"""GCN, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedNetwork
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGCN(SupervisedNetwork):
    method = "gcn"
    about = "classes by a GCN, from labels alone"
    paper = "Kipf & Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"

    def layers_of_network(self, hidden: int, layers: int) -> nn.Module:
        return PyGBackbone(hidden, layers, "GCN")
