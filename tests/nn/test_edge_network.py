"""The edge network against PyTorch Geometric's `NNConv`, which makes the matrix of every edge."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from conftest import SCHEMA, random_graph
from partwhole import Graph, GraphStore
from partwhole.nn import edge_patterns
from partwhole.nn.backbones.edge_network import EXACT, EdgeNetwork, ProductMessages, nodes_by_degree
from partwhole.nn.edge_patterns import GroupedProduct, PatternMessages, find_patterns

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


@pytest.mark.parametrize("way", [PatternMessages, ProductMessages])
@pytest.mark.parametrize("corrupted", [False, True])
def test_values_and_gradients_are_those_of_nnconv(corrupted, way, monkeypatch):
    pytest.importorskip("torch_geometric")
    from torch_geometric.nn import NNConv

    torch.manual_seed(0)
    graphs = store()
    monkeypatch.setattr(EdgeNetwork, "patterns_pay", lambda *_: way is PatternMessages)
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
        ours.edge_layer.bias.normal_()
        matrix[0].load_state_dict(ours.edge_layer.state_dict())
        matrix[2].weight.copy_(ours.matrices[:-1].flatten(1).T)
        matrix[2].bias.copy_(ours.matrices[-1].flatten())
        conv.bias.copy_(ours.bias)
        gru.load_state_dict(ours.gru.state_dict())
    copies = 2 if corrupted else 1
    x0 = torch.randn(batch.num_nodes * copies, HIDDEN, dtype=torch.double)
    ours_in, theirs_in = x0.clone().requires_grad_(), x0.clone().requires_grad_()
    assert isinstance(ours.messages(batch), way)
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


def test_edges_of_a_pattern_have_the_same_categories_and_active_features():
    """Features max(0, d - 1) and max(0, 2 - d): three stretches of distance, for each of two categories."""
    layer = torch.nn.Linear(3, 2).double()
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
        layer.bias.copy_(torch.tensor([-1.0, 2.0]))
    distance = torch.tensor([0.5, 0.7, 1.5, 1.6, 2.5, 0.5, 1.5])
    kind = torch.tensor([0, 0, 0, 0, 0, 1, 1])
    attributes = torch.cat([torch.nn.functional.one_hot(kind), distance[:, None]], dim=1).double()
    patterns = find_patterns(attributes, layer)
    assert patterns.count == 5
    together = [set(map(int, (patterns.of_edge == p).nonzero()[:, 0])) for p in range(5)]
    assert sorted(together, key=min) == [{0, 1}, {2, 3}, {4}, {5}, {6}]
    assert patterns.numeric.tolist() == [False, False, True]


def test_equal_codes_of_different_patterns_are_told_apart(monkeypatch):
    """With mixers of zeros all codes are equal, and the patterns must be found by their bits."""
    layer = torch.nn.Linear(1, 4)
    attributes = torch.linspace(-3, 3, 50)[:, None]
    expected = find_patterns(attributes, layer)
    monkeypatch.setattr(edge_patterns, "MIXERS", torch.zeros(1, dtype=torch.int64))
    found = find_patterns(attributes, layer)
    assert found.count == expected.count > 1
    assert torch.equal(found.of_edge[:, None] == found.of_edge, expected.of_edge[:, None] == expected.of_edge)


def test_runs_of_rows_meet_their_own_matrices():
    x = torch.randn(6, 3, dtype=torch.double, requires_grad=True)
    matrices = torch.randn(3, 3, 2, dtype=torch.double, requires_grad=True)
    ends = [2, 2, 6]  # the second has no rows
    out = GroupedProduct.apply(x, matrices, ends)
    assert torch.allclose(out, torch.cat([x[:2] @ matrices[0], x[2:] @ matrices[2]]))
    assert torch.autograd.gradcheck(lambda a, b: GroupedProduct.apply(a, b, ends), (x, matrices))


def test_on_qm9_both_ways_agree(dataset):
    """Weights as training leaves them, with a bend of many features within the range of distances."""
    batch = dataset("QM9").batch(np.arange(5000, 5020)).double()
    torch.manual_seed(0)
    net = EdgeNetwork(8, 2, batch.inputs.edge_attributes.shape[1]).double()
    with torch.no_grad():
        net.edge_layer.bias.copy_(-4 * net.edge_layer.weight[:, -1] * torch.rand(128, dtype=torch.double))
    patterns = find_patterns(batch.inputs.edge_attributes, net.edge_layer)
    assert 50 < patterns.count < 600
    x = torch.randn(batch.num_nodes, 8, dtype=torch.double)
    structure = batch.edge_ptr, batch.neighbor
    slow = ProductMessages(net.edge_features(batch), net.matrices, *structure).mean(x)
    attributes = batch.inputs.edge_attributes
    fast = PatternMessages(patterns, net.edge_layer, net.matrices, attributes, *structure).mean(x)
    assert torch.allclose(fast, slow, rtol=1e-9, atol=1e-12)
