"""GraphSAGE, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedNetwork
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGraphSAGE(SupervisedNetwork):
    method = "graphsage"
    about = "classes by a GraphSAGE, from labels alone"
    paper = "Hamilton et al., Inductive Representation Learning on Large Graphs, NeurIPS 2017"

    def layers_of_network(self, hidden: int, layers: int) -> nn.Module:
        return PyGBackbone(hidden, layers, "GraphSAGE")
