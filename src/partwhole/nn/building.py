"""Backbones by name."""

from __future__ import annotations

from torch import nn

from partwhole.registry import BACKBONES, Plugin


def build_backbone(backbone: Plugin, hidden: int, layers: int, edge_width: int) -> nn.Module:
    """A graph network with its first weights; one that looks at edges is told their width."""
    edges = {"edge_width": edge_width} if BACKBONES.takes(backbone, "edge_width") else {}
    network: nn.Module = BACKBONES.build(backbone, hidden=hidden, layers=layers, **edges)
    return network
