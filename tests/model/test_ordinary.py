"""The ordinary model that benchmarks compare with is the same model."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from partwhole.config import FitConfig
from partwhole.model import PartWhole
from partwhole.structure.base import structure_kinds, with_structure
from partwhole.training.objectives import HeadTailObjective
from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from ordinary import OrdinaryModel, to_data


def copied(ours: PartWhole, ordinary: OrdinaryModel) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Give the ordinary model our weights; the pairs of parameters that correspond."""
    node, layers, parts = ours.node_aggregation, ours.layer_aggregation, ours.subgraph_aggregation
    (node_mlp,) = node.node_mlps.values()
    pairs = list(zip(node_mlp.parameters(), ordinary.node_mlp.parameters()))
    if node.edge_mlp is not None:
        pairs += zip(node.edge_mlp.parameters(), ordinary.edge_mlp.parameters())
        pairs += zip(node.attribute_conv.parameters(), ordinary.attribute_conv.parameters())
    for layer, conv, norm in zip(layers.backbone.layers, ordinary.convs, ordinary.norms):
        inner = [*layer.first.parameters(), *layer.second.parameters()]
        pairs += zip(inner, conv.nn.parameters())
        pairs += zip(layer.norm.parameters(), norm.parameters())
    pairs += zip(layers.layer_conv.parameters(), ordinary.layer_conv.parameters())
    pairs += zip(parts.subgraph_conv.parameters(), ordinary.subgraph_conv.parameters())
    for a, b in pairs:
        b.data = a.data.reshape(b.shape).clone()
    for weight, split in zip(parts.generator.operator.weight, ordinary.splits):
        split.weight.data = weight.data.T.clone()
    return pairs


@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY"])
def test_loss_and_gradients_are_the_same(dataset, name):
    graphs = dataset(name)[:24]
    store = with_structure(graphs, structure_kinds(graphs.schema, ()))
    torch.manual_seed(0)
    widths = {"node": store.schema.node_width} if store.schema.node else {"degree": 1}
    ours = PartWhole.from_config(FitConfig(hidden=16), widths, store.schema.edge_width).double()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.3)
    ordinary = OrdinaryModel(next(iter(widths.values())), store.schema.edge_width, hidden=16).double()
    pairs = copied(ours, ordinary)
    batch = store.batch(np.arange(24), torch.Generator().manual_seed(0)).double()
    loss, _ = HeadTailObjective(FitConfig())(ours, batch)
    loss.backward()
    data = Batch.from_data_list(to_data(graphs))
    data.x = data.x.double()
    if data.edge_attr is not None:
        data.edge_attr = data.edge_attr.double()
    theirs = ordinary.loss(data, batch.order)
    theirs.backward()
    assert theirs.item() == pytest.approx(loss.item(), rel=1e-9)
    for a, b in pairs:
        torch.testing.assert_close(b.grad.reshape(a.shape), a.grad, rtol=1e-8, atol=1e-9)
    for weight, split in zip(ours.subgraph_aggregation.generator.operator.weight.grad, ordinary.splits):
        torch.testing.assert_close(split.weight.grad.T, weight, rtol=1e-8, atol=1e-9)
    ours.eval()
    ordinary.eval()
    torch.testing.assert_close(
        ordinary.embed(data), ours.embed(store.batch(np.arange(24)).double()), rtol=1e-9, atol=1e-9
    )
