"""Every equation of the paper, 1 to 17, against a slow twin in plain loops and a literal number.

The graph is the path 0 - 1 - 2 and a lone edge 3 - 4 in a second graph, small enough to check with
pencil and paper. Weights are set by hand, all arithmetic is in double precision.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from partwhole import Graph, GraphStore
from partwhole.config import FitConfig
from partwhole.generators.autoregressive import Autoregressive
from partwhole.generators.base import BasicOperator, select
from partwhole.generators.multi_head import MultiHead
from partwhole.generators.tree_split import TreeSplit
from partwhole.graphs.graph import GraphBatch, GraphViews
from partwhole.graphs.node_vectors import PlainNodes, Rows
from partwhole.graphs.schema import Column, Schema
from partwhole.losses.bounds.dv import donsker_varadhan
from partwhole.losses.bounds.jsd import jensen_shannon
from partwhole.losses.head_tail import head_tail_bound, mutual_information, pair_scores
from partwhole.model import NodeAggregation, PartWhole
from partwhole.nn.backbones.gin import GINLayer
from partwhole.nn.layers import StackConv
from partwhole.numerics.segment import permute_within_graphs
from partwhole.registry import READOUTS
from partwhole.training.objectives import HeadTailObjective

EDGES = [[1], [0, 2], [1], [4], [3]]  # neighbours, counted throughout
GRAPHS = [[0, 1, 2], [3, 4]]


@pytest.fixture(scope="module")
def batch():
    schema = Schema(node=(Column.numeric("x", 2),), edge=(Column.numeric("w"),))
    path = Graph(
        num_nodes=3,
        edges=np.array([(0, 1), (1, 2)]),
        node_values=np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]),
        edge_values=np.array([[0.5], [2.0]]),
        schema=schema,
    )
    pair = Graph(
        num_nodes=2,
        edges=np.array([(0, 1)]),
        node_values=np.array([[3.0, 1.0], [0.0, 1.0]]),
        edge_values=np.array([[1.0]]),
        schema=schema,
    )
    return GraphStore.from_graphs([path, pair]).batch(np.arange(2)).double()


def filled(module: nn.Module, scale: float = 0.1) -> nn.Module:
    """Parameters -1, …, 1 times scale, evenly spaced: nothing random, nothing symmetric."""
    module = module.double()
    for parameter in module.parameters():
        values = torch.linspace(-1, 1, parameter.numel() + 1, dtype=torch.double)[1:]
        parameter.data = (scale * values).reshape(parameter.shape)
    return module


def mlp_loop(mlp, row: list[float]) -> list[float]:
    first, last = mlp[0], mlp[2]
    hidden = []
    for weights, bias in zip(first.weight.tolist(), first.bias.tolist()):
        hidden.append(max(0.0, bias + sum(w * v for w, v in zip(weights, row))))
    return [
        bias + sum(w * v for w, v in zip(weights, hidden))
        for weights, bias in zip(last.weight.tolist(), last.bias.tolist())
    ]


def on(x: torch.Tensor, batch: GraphBatch) -> PlainNodes:
    return PlainNodes(x, Rows(batch.node_ptr, batch.graph_of_node, None))


def corrupted(batch: GraphBatch, seed: int) -> GraphBatch:
    return replace(
        batch, order=permute_within_graphs(batch.graph_of_node, torch.Generator().manual_seed(seed))
    )


def close(tensor, loops):
    torch.testing.assert_close(tensor.detach(), torch.tensor(loops, dtype=torch.double))


def test_eq_1_gin_layer(batch):
    layer = filled(GINLayer(2, depth=1), 1.0).eval()
    x = batch.inputs.attributes["node"]
    rows = []
    for v, around in enumerate(EDGES):
        summed = [x[v, c].item() + sum(x[u, c].item() for u in around) for c in range(2)]
        relu = [max(0.0, value) for value in mlp_loop([layer.first, None, layer.second], summed)]
        scale = 1 / math.sqrt(1 + layer.norm.eps)  # running mean 0 and variance 1
        rows.append(
            [w * r * scale + b for w, r, b in zip(layer.norm.weight.tolist(), relu, layer.norm.bias.tolist())]
        )
    out = layer(x, batch)
    close(out, rows)
    # Sum (2, 3), hidden (0, 5), output 6, ReLU 6, then 6 / sqrt(1 + 1e-5) + 1.
    assert out[1, 1].item() == pytest.approx(6.999970000224998, abs=1e-12)


def test_eq_2_and_3_attributes_of_nodes_and_of_incident_edges(batch):
    node = filled(NodeAggregation({"node": 2}, 1, 2), 1.0)
    w = {(0, 1): 0.5, (1, 2): 2.0, (3, 4): 1.0}
    edge = [
        [sum(mlp_loop(node.edge_mlp, [w[min(u, v), max(u, v)]])[c] for u in around) for c in range(2)]
        for v, around in enumerate(EDGES)
    ]
    vertex = [mlp_loop(node.node_mlps["node"], row) for row in batch.inputs.attributes["node"].tolist()]
    a, b = node.attribute_conv.weight.tolist()
    bias = node.attribute_conv.bias.item()
    rows = [[a * p + b * q + bias for p, q in zip(r, s)] for r, s in zip(vertex, edge)]
    out = node(batch.inputs)
    close(out, rows)
    assert edge[1] == [0.0, 6.5]  # 2.5 from the edge of 0.5 and 4 from the edge of 2
    assert out[0].tolist() == pytest.approx([1.0, 3.5])


@pytest.mark.parametrize("slices", [1, 2, 3, 8])
def test_eq_4_5_and_10_a_stack_conv_is_a_convolution_with_one_channel(slices):
    conv = nn.Conv2d(1, 1, (slices, 1)).double()
    ours = StackConv(slices).double()
    ours.weight.data = conv.weight.data.flatten()
    ours.bias.data = conv.bias.data
    x = torch.randn(slices, 5, 7, dtype=torch.double)  # K slices of [n, d]
    as_image = x.permute(1, 0, 2).unsqueeze(1)  # [n, 1, K, d]
    torch.testing.assert_close(ours(list(x)), conv(as_image).squeeze((1, 2)))


def test_eq_4_mixes_any_number_of_kinds(batch):
    three = NodeAggregation({"node": 2, "degree": 1}, 1, 4)
    assert three.attribute_conv.weight.shape == (3,)
    assert NodeAggregation({"node": 2}, 0, 4).attribute_conv is None  # nothing to mix
    assert NodeAggregation({"a": 1, "b": 2, "c": 3, "d": 4}, 5, 4).attribute_conv.weight.shape == (5,)


def test_eq_5_layer_conv_literal():
    conv = StackConv(4).double()
    conv.weight.data = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=torch.double)
    conv.bias.data = torch.tensor([0.25], dtype=torch.double)
    layers = [torch.full((2, 3), float(k), dtype=torch.double) for k in (1, 2, 3, 4)]
    assert conv(layers)[1, 2].item() == 1 - 4 + 1.5 + 12 + 0.25


def test_eq_6_and_9_readouts_of_graphs_and_of_subgraphs(batch):
    x = batch.inputs.attributes["node"]
    membership = torch.tensor([[1.0, 1, 0, 0, 0], [0.5, 0, 1, 0.25, 1]], dtype=torch.double)
    rows = [
        [[sum(m[v] * x[v, c].item() for v in nodes) for c in range(2)] for m in membership.tolist()]
        for nodes in GRAPHS
    ]
    sums = READOUTS.build("sum", hidden=2)
    close(sums(on(x, batch), membership), rows)
    assert sums(on(x, batch)).tolist() == [[2.0, 3.0], [3.0, 2.0]]
    assert rows[0][1] == [1.5, 1.0]
    mean = READOUTS.build("mean", hidden=2)
    assert mean(on(x, batch), membership)[0, 1].tolist() == [1.0, pytest.approx(2 / 3)]
    assert mean(on(x, batch), membership)[1, 0].tolist() == [0.0, 0.0]  # an empty subgraph


def test_eq_6_set2set_attends_step_by_step(batch):
    readout = filled(READOUTS.build("set2set", hidden=2), 1.0)
    x = batch.inputs.attributes["node"]
    membership = torch.tensor([[1.0, 1, 0, 1, 0]], dtype=torch.double)
    for nodes, out in zip(([0, 1], [3]), readout(on(x, batch), membership)):
        query = cell = torch.zeros(1, 2, dtype=torch.double)
        answer = torch.zeros(1, 4, dtype=torch.double)
        for _ in range(3):
            query, cell = readout.lstm(answer, (query, cell))
            scores = [math.exp(sum(x[v, c].item() * query[0, c].item() for c in range(2))) for v in nodes]
            read = [sum(s / sum(scores) * x[v, c].item() for s, v in zip(scores, nodes)) for c in range(2)]
            answer = torch.tensor([[*query[0].tolist(), *read]], dtype=torch.double)
        torch.testing.assert_close(out, answer.detach())
    assert readout(on(x, batch)).shape == (2, 4)
    assert readout(on(x, batch), membership)[1, 0, 2:].tolist() == [3.0, 1.0]  # one node: all attention


def test_eq_7_and_13_the_objective_maximises_the_bound(batch):
    config = FitConfig(hidden=2, num_subgraphs=2, layers=2)
    torch.manual_seed(0)
    model = PartWhole.from_config(config, {"node": 2}, 1).double()
    loss, _ = HeadTailObjective(config)(model, corrupted(batch, 0))
    views = model(corrupted(batch, 0))
    assert loss.item() == pytest.approx(-head_tail_bound(pair_scores(views)).item(), rel=1e-9)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(50):
        optimizer.zero_grad()
        HeadTailObjective(config)(model, corrupted(batch, step))[0].backward()
        optimizer.step()
    later, after = HeadTailObjective(config)(model, corrupted(batch, 0))
    assert (loss.item(), later.item()) == (pytest.approx(2.2633, abs=1e-3), pytest.approx(1.91, abs=0.05))
    assert after["loss"] == later


def test_eq_8_each_subgraph_sees_the_ones_before_it(batch):
    generator = filled(Autoregressive(2, 3, "soft"), 1.0)
    x = batch.inputs.attributes["node"]
    W, U, u = generator.operator.weight, generator.context.weight, generator.coverage
    parts: list[list[float]] = []
    for i in range(3):
        part = []
        for nodes in GRAPHS:
            taken = {v: sum(p[v] for p in parts) / len(parts) if parts else 0.0 for v in nodes}
            total = sum(taken.values())
            seen = [sum(taken[v] * x[v, c].item() for v in nodes) / total if total else 0.0 for c in range(2)]
            for v in nodes:
                logit = [sum(x[v, c].item() * W[i, c, k].item() for c in range(2)) for k in range(2)]
                if i:
                    logit = [
                        logit[k]
                        + sum(seen[c] * U[i - 1, c, k].item() for c in range(2))
                        + taken[v] * u[i - 1, k].item()
                        for k in range(2)
                    ]
                part.append(1 / (1 + math.exp(logit[1] - logit[0])))
        parts.append(part)
    out = generator(on(x, batch))
    close(out, parts)
    assert out[0, 0].item() == pytest.approx(1 / (1 + math.exp(1 / 6)), abs=1e-12)
    # Taking more in the first subgraph changes the second: it is conditioned on it.
    generator.operator.weight.data[0] *= 3
    assert not torch.allclose(generator(on(x, batch))[1], out[1])


def test_eq_10_subgraph_conv_after_sum_readout(batch):
    config = FitConfig(hidden=2, num_subgraphs=2, generator="multi-head", selection="soft")
    model = filled(PartWhole.from_config(config, {"node": 2}, 1), 1.0)
    x = batch.inputs.attributes["node"]
    h_tilde, membership = model.subgraph_aggregation(on(x, batch), model.readout)
    w, b = (
        model.subgraph_aggregation.subgraph_conv.weight.tolist(),
        model.subgraph_aggregation.subgraph_conv.bias.item(),
    )
    rows = [
        [
            [
                b + sum(w[s] * membership[s, v].item() * x[v, c].item() for s in range(2) for v in nodes)
                for c in range(2)
            ]
        ]
        for nodes in GRAPHS
    ]
    close(h_tilde, rows)
    assert (w, b) == ([0.0, 1.0], 1.0)
    assert h_tilde[1, 0, 1].item() == pytest.approx(1.706764920484197, abs=1e-12)


def test_eq_11_basic_operator():
    operator = BasicOperator(2, 1).double()
    operator.weight.data = torch.tensor([[[1.0, 0.0], [0.0, -1.0]]], dtype=torch.double)
    x = torch.tensor([[2.0, 1.0], [-1.0, 1.0]], dtype=torch.double)
    # Logits (2, -1) and (-1, -1): sigmoid of the difference.
    assert operator(PlainNodes(x, None))[0].tolist() == pytest.approx(
        [1 / (1 + math.exp(-3)), 0.5], abs=1e-12
    )
    assert operator(PlainNodes(x, None))[0, 0].item() == pytest.approx(0.9525741268224334, abs=1e-12)


def test_eq_11_selection():
    p = torch.tensor([0.2, 0.5, 0.9], dtype=torch.double)
    assert select(p, "soft").tolist() == [0.2, 0.5, 0.9]
    assert select(p, "hard").tolist() == [0.0, 1.0, 1.0]
    assert select(p, "straight-through").tolist() == [0.0, 1.0, 1.0]


def test_eq_12_heads_are_independent(batch):
    x = batch.inputs.attributes["node"]
    generator = filled(MultiHead(2, 3, "soft"), 1.0)
    before = generator(on(x, batch))
    close(before, [BasicLoop(generator.operator.weight[i], x) for i in range(3)])
    generator.operator.weight.data[0] += 1.0
    generator.operator.weight.data[0, :, 1] -= 2.0
    after = generator(on(x, batch))
    assert torch.equal(before[1:], after[1:])
    assert not torch.equal(before[0], after[0])
    assert before[2, 1].item() == pytest.approx(1 / (1 + math.exp(1 / 3)), abs=1e-12)


def BasicLoop(weight, x):
    rows = []
    for row in x.tolist():
        logits = [sum(row[c] * weight[c, k].item() for c in range(2)) for k in range(2)]
        rows.append(math.exp(logits[0]) / (math.exp(logits[0]) + math.exp(logits[1])))
    return rows


def test_tree_split_multiplies_down_the_tree(batch):
    x = batch.inputs.attributes["node"]
    generator = filled(TreeSplit(2, 4, "soft"), 1.0)
    p = [BasicLoop(generator.operator.weight[i], x) for i in range(3)]
    leaves = [
        [a * b for a, b in zip(p[0], p[1])],
        [a * (1 - b) for a, b in zip(p[0], p[1])],
        [(1 - a) * c for a, c in zip(p[0], p[2])],
        [(1 - a) * (1 - c) for a, c in zip(p[0], p[2])],
    ]
    out = generator(on(x, batch))
    close(out, leaves)
    assert out.sum(0).tolist() == pytest.approx([1.0] * 5)
    assert out[0, 0].item() == pytest.approx((1 / (1 + math.exp(1 / 6))) ** 2, abs=1e-12)


POSITIVE = [0.5, -1.0]
NEGATIVE = [[0.0, 2.0], [-3.0, 1.0]]


def softplus(t):
    return math.log(1 + math.exp(t))


def test_eq_14_jensen_shannon():
    loops = sum(-softplus(-t) for t in POSITIVE) / 2 - sum(softplus(t) for row in NEGATIVE for t in row) / 4
    value = jensen_shannon(torch.tensor(POSITIVE).double(), torch.tensor(NEGATIVE).double()).item()
    assert value == pytest.approx(loops, abs=1e-12)
    assert value == pytest.approx(-1.9391503935, abs=1e-9)
    assert jensen_shannon(torch.zeros(3), torch.zeros(5)).item() == pytest.approx(-2 * math.log(2))


def test_eq_15_donsker_varadhan():
    loops = sum(POSITIVE) / 2 - math.log(sum(math.exp(t) for row in NEGATIVE for t in row) / 4)
    value = donsker_varadhan(torch.tensor(POSITIVE).double(), torch.tensor(NEGATIVE).double()).item()
    assert value == pytest.approx(loops, abs=1e-12)
    assert value == pytest.approx(-1.2757839458, abs=1e-9)
    huge = donsker_varadhan(torch.tensor([1e4]), torch.tensor([1e4, 1e4]))  # no overflow
    assert huge.item() == pytest.approx(0.0, abs=1e-3)


def test_eq_16_permutation_within_each_graph(batch):
    x = batch.inputs.attributes["node"]
    y = corrupted(batch, 3).start(x)[5:]
    for nodes in GRAPHS:
        assert sorted(map(tuple, x[nodes].tolist())) == sorted(map(tuple, y[nodes].tolist()))
    seen = {tuple(corrupted(batch, seed).order.tolist()) for seed in range(200)}
    orders = itertools.product(itertools.permutations([0, 1, 2]), itertools.permutations([3, 4]))
    assert seen == {a + b for a, b in orders}


H = [[1.0, 0.0], [0.5, -1.0], [2.0, 1.0]]
REC = [[[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.5], [-1.0, 0.0]], [[0.2, 0.2], [0.0, -2.0]]]
HAT = [[0.0, 1.0], [1.0, 1.0], [-1.0, 0.5]]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def cosine(a, b):
    return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) / 0.2


@pytest.mark.parametrize(("score", "literal"), [("dot", -2.9514959098), ("cosine", -5.4335928771)])
@pytest.mark.parametrize("estimator", ["jsd", "dv"])
def test_eq_17_head_and_tail_of_equal_weight(score, literal, estimator):
    t = {"dot": dot, "cosine": cosine}[score]
    pairs, parts = range(3), range(2)
    positive = [t(H[i], REC[i][k]) for i in pairs for k in parts]
    tail = [t(H[j], REC[i][k]) for i in pairs for j in pairs for k in parts if i != j]
    head = [t(HAT[i], REC[i][k]) for i in pairs for k in parts]

    def mean(values):
        return sum(values) / len(values)

    if estimator == "jsd":
        expected = (
            mean([-softplus(-v) for v in positive])
            - mean([softplus(v) for v in tail])
            - mean([softplus(v) for v in head])
        )
        assert expected == pytest.approx(literal, abs=1e-9)
    else:
        expected = mean(positive) - sum(math.log(mean([math.exp(v) for v in n])) for n in (tail, head))
    views = GraphViews(*(torch.tensor(v, dtype=torch.double) for v in (H, REC, HAT)), torch.zeros(2, 3), None)
    scores = pair_scores(views, score, 0.2)
    assert scores.positive.shape == (3, 2)
    assert scores.tail.shape == (6, 2)
    assert head_tail_bound(scores, estimator).item() == pytest.approx(expected, abs=1e-12)
    without = pair_scores(
        GraphViews(views.graph, views.reconstructed, None, views.membership, None), score, 0.2
    )
    assert mutual_information(scores, estimator) == head_tail_bound(without, estimator)
