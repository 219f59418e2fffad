"""GAT, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedNetwork
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGAT(SupervisedNetwork):
    method = "gat"
    about = "classes by a GAT, from labels alone"
    paper = "Veličković et al., Graph Attention Networks, ICLR 2018"

    def layers_of_network(self, hidden: int, layers: int) -> nn.Module:
        return PyGBackbone(hidden, layers, "GAT")
