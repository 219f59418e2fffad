"""GIN with a learned eps, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedConfig, SupervisedNetwork
from partwhole.methods.gin_0 import SupervisedGIN
from partwhole.nn.backbones.pyg import PyGBackbone
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGINEps(SupervisedNetwork):
    """How much a node counts beside its neighbours is learned, 1 + eps in every layer."""

    method = "gin-eps"
    config_class = SupervisedConfig
    idea = "classes by a GIN with a learned eps, from labels alone"
    paper = SupervisedGIN.paper

    def backbone(self, hidden: int, layers: int) -> nn.Module:
        """The graph network with its first weights."""
        return PyGBackbone(hidden, layers, "GIN", train_eps=True)
