"""The edge network against PyTorch Geometric's `NNConv`, which makes the matrix of every edge."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from conftest import SCHEMA, random_graph
from partwhole import Graph, GraphStore
from partwhole.nn.backbones.edge_network import EXACT, EdgeNetwork, nodes_by_degree

HIDDEN, ROUNDS = 8, 3


def store() -> GraphStore:
    """Graphs of all sizes: sparse, dense, without edges, and a star whose hub has a degree beyond `EXACT`."""
    random = np.random.default_rng(0)
    graphs = [
        random_graph(random, n, SCHEMA, density) for n, density in ((1, 0), (7, 0.2), (12, 0.9), (5, 0))
    ]
    leaves = np.arange(1, 3 * EXACT)
    star = random_graph(random, 3 * EXACT, SCHEMA, 0)
    spokes = np.stack([np.zeros_like(leaves), leaves], axis=1)
    codes = random.integers(0, 2, (len(leaves), 1)).astype(np.int16)
    values = random.normal(size=(len(leaves), 1)).astype(np.float32)
    hub = Graph(
        3 * EXACT, spokes, star.node_codes, star.node_values, codes, values, star.targets, schema=SCHEMA
    )
    return GraphStore.from_graphs([*graphs, hub])


@pytest.mark.parametrize("corrupted", [False, True])
def test_values_and_gradients_are_those_of_nnconv(corrupted):
    pytest.importorskip("torch_geometric")
    from torch_geometric.nn import NNConv

    torch.manual_seed(0)
    graphs = store()
    random = torch.Generator().manual_seed(1) if corrupted else None
    batch = graphs.batch(np.arange(len(graphs)), random).double()
    edges = batch.inputs.edge_attributes
    ours = EdgeNetwork(HIDDEN, ROUNDS, edges.shape[1]).double()
    features = ours.edge_layer.out_features
    matrix = torch.nn.Sequential(
        torch.nn.Linear(edges.shape[1], features), torch.nn.ReLU(), torch.nn.Linear(features, HIDDEN**2)
    )
    conv = NNConv(HIDDEN, HIDDEN, matrix, aggr="mean", root_weight=False).double()
    gru = torch.nn.GRUCell(HIDDEN, HIDDEN).double()
    with torch.no_grad():
        ours.bias.normal_()
        matrix[0].load_state_dict(ours.edge_layer.state_dict())
        matrix[2].weight.copy_(ours.matrices[:-1].flatten(1).T)
        matrix[2].bias.copy_(ours.matrices[-1].flatten())
        conv.bias.copy_(ours.bias)
        gru.load_state_dict(ours.gru.state_dict())
    copies = 2 if corrupted else 1
    x0 = torch.randn(batch.num_nodes * copies, HIDDEN, dtype=torch.double)
    ours_in, theirs_in = x0.clone().requires_grad_(), x0.clone().requires_grad_()
    outputs = ours(ours_in, batch)
    twins, x = [], theirs_in
    for _ in range(ROUNDS):
        x = gru(conv(x, batch.edge_index, edges.repeat(copies, 1)).relu(), x)
        twins.append(x)
    assert len(outputs) == ROUNDS
    for output, twin in zip(outputs, twins):
        assert torch.allclose(output, twin, rtol=1e-9, atol=1e-12)
    weight = torch.randn_like(outputs[0])
    sum((o * weight).sum() for o in outputs).backward()
    sum((t * weight).sum() for t in twins).backward()
    pairs = [
        (ours_in.grad, theirs_in.grad),
        (ours.bias.grad, conv.bias.grad),
        (ours.edge_layer.weight.grad, matrix[0].weight.grad),
        (ours.matrices.grad[:-1].flatten(1).T, matrix[2].weight.grad),
        (ours.matrices.grad[-1].flatten(), matrix[2].bias.grad),
        (ours.gru.weight_ih.grad, gru.weight_ih.grad),
    ]
    for mine, theirs in pairs:
        assert torch.allclose(mine, theirs, rtol=1e-9, atol=1e-10)


def test_nodes_are_grouped_by_degree():
    degree = torch.tensor([3, 0, 3, 32, 33, 64, 65, 1])
    groups = [set(nodes.tolist()) for nodes in nodes_by_degree(degree)]
    assert groups == [{7}, {0, 2}, {3}, {4, 5}, {6}]


def test_without_edge_attributes_every_edge_has_one_matrix():
    graph = Graph(3, np.array([[0, 1], [1, 2]]))
    batch = GraphStore.from_graphs([graph]).batch(np.arange(1)).double()
    net = EdgeNetwork(2, 1).double()
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0]], dtype=torch.double)
    heard = torch.stack([x[1], (x[0] + x[2]) / 2, x[1]]) @ net.matrices[0] + net.bias
    assert torch.allclose(net(x, batch)[0], net.gru(heard.relu(), x))
