"""GIN with eps = 0, trained with labels."""

from __future__ import annotations

from torch import nn

from partwhole.estimators.supervised import SupervisedConfig, SupervisedNetwork
from partwhole.nn.backbones.gin import GIN
from partwhole.registry import METHODS


@METHODS.register
class SupervisedGIN(SupervisedNetwork):
    """The backbone of the paper's method; a node counts as much as a neighbour."""

    method = "gin-0"
    config_class = SupervisedConfig
    idea = "classes by a GIN with eps = 0, from labels alone"
    paper = "Xu et al., How Powerful are Graph Neural Networks?, ICLR 2019"

    def backbone(self, hidden: int, layers: int) -> nn.Module:
        """The graph network with its first weights."""
        return GIN(hidden, layers)
