"""Lifted execution is exact: the same loss, gradients and statistics as the plain path."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from partwhole import Graph, GraphStore, SubgraphInfoMax
from partwhole.config import FitConfig
from partwhole.graphs.refinement import classes, refine, start_colors
from partwhole.graphs.schema import Column, Schema
from partwhole.lifting.lifter import Lifter, choose_batches
from partwhole.model import PartWhole
from partwhole.registry import BOUNDS, GENERATORS
from partwhole.structure.base import structure_kinds, structure_widths, with_structure
from partwhole.training.feeds import batch_indices
from partwhole.training.objectives import HeadTailObjective

NAMES = ["MUTAG", "PTC_MR", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "REDDIT-MULTI-5K"]
SELECTIONS = ("straight-through", "soft", "hard")


def prepared(store: GraphStore) -> GraphStore:
    return with_structure(store, structure_kinds(store.schema, ()))


def configured(options: dict) -> FitConfig:
    return FitConfig.from_options({"hidden": 12, "layers": 4, **options})


def build(store: GraphStore, **options) -> PartWhole:
    """A model in general position: at the start all biases are zero, and on degrees alone BatchNorm
    then cancels the gradient of the first layer almost entirely, leaving digits of noise to compare."""
    torch.manual_seed(0)
    widths = {"node": store.schema.node_width} if store.schema.node else {}
    widths |= structure_widths(tuple(store.structure))
    config = configured(options)
    model = PartWhole.from_config(config, widths, store.schema.edge_width).double()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.add_(torch.randn_like(parameter), alpha=1.0 if name.endswith("bias") else 0.3)
    return model


def results(model: PartWhole, batch, **options) -> tuple[float, dict, dict, dict]:
    model.zero_grad()
    for layer in model.layer_aggregation.backbone.layers:
        layer.norm.reset_running_stats()
    loss, logged = HeadTailObjective(configured(options))(model, batch.double())
    loss.backward()
    # A hard selection gives its operators no gradient, on either path.
    gradients = {k: p.grad.clone() for k, p in model.named_parameters() if p.grad is not None}
    return loss.item(), gradients, {k: b.clone() for k, b in model.named_buffers()}, logged


def assert_same(plain, lifted, tolerance=1e-9):
    assert lifted[0] == pytest.approx(plain[0], rel=tolerance)
    assert plain[1].keys() == lifted[1].keys()
    for key, gradient in plain[1].items():
        gap = (gradient - lifted[1][key]).norm() / gradient.norm().clamp_min(1e-300)
        assert gap < tolerance, key
    for key, buffer in plain[2].items():
        torch.testing.assert_close(lifted[2][key], buffer, rtol=tolerance, atol=1e-12)
    for key, value in plain[3].items():
        assert lifted[3][key].item() == pytest.approx(value.item(), rel=1e-6, abs=1e-6), key


@pytest.mark.parametrize("name", NAMES)
def test_loss_gradients_and_statistics_are_those_of_the_plain_path(dataset, name):
    """Every generator, selection mode and estimator, on a batch of each data set."""
    whole = dataset(name)
    index = np.random.default_rng(0).permutation(len(whole))[: 10 if "REDDIT" in name else 64]
    store = prepared(whole[index])
    every = np.arange(len(store))
    lifter = Lifter(store, 4)
    for generator, selection, estimator in itertools.product(GENERATORS, SELECTIONS, BOUNDS):
        # DV on raw dot products of large graphs is a maximum: the cosine score weighs every pair.
        score = "cosine" if estimator == "dv" else "dot"
        model = build(store, generator=generator, selection=selection, estimator=estimator, pair_score=score)
        plain = results(model, store.batch(every, torch.Generator().manual_seed(3)))
        lifted = results(model, lifter.batch(every, torch.Generator().manual_seed(3)))
        assert_same(plain, lifted)


@pytest.mark.parametrize(
    "options",
    [
        {"subgraph_conv": False},
        {"subgraph_conv": False, "head_negatives": False},
        {"readout": "mean"},
        {"readout": "mean", "generator": "autoregressive"},
        {"layers": 1},
    ],
    ids=str,
)
def test_the_other_options_are_exact_too(zoo, mutag, options):
    for store in (zoo, mutag[:40]):
        model = build(store, **options)
        index = np.arange(len(store))
        seeds = [
            torch.Generator().manual_seed(1) if options.get("head_negatives", True) else None
            for _ in range(2)
        ]
        plain = results(model, store.batch(index, seeds[0]), **options)
        depth = options.get("layers", 4)
        lifted = results(model, Lifter(store, depth).batch(index, seeds[1]), **options)
        assert_same(plain, lifted)


@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY"])
def test_weights_and_running_statistics_agree_after_an_epoch(dataset, name):
    """In double precision: in single, Adam turns the last digit of a tiny gradient into a whole step."""
    store = prepared(dataset(name)[::5])
    ends = []
    for source in (store, Lifter(store, 4)):
        model = build(store, pair_score="cosine")
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for step, index in enumerate(batch_indices(len(store), 32, seed=0, epoch=0)):
            optimizer.zero_grad()
            batch = source.batch(index, torch.Generator().manual_seed(step)).double()
            HeadTailObjective(configured({"pair_score": "cosine"}))(model, batch)[0].backward()
            optimizer.step()
        ends.append(model.state_dict())
    for key, plain in ends[0].items():
        torch.testing.assert_close(
            ends[1][key], plain, rtol=1e-6, atol=1e-9, msg=lambda m, k=key: f"{k}: {m}"
        )


def test_embeddings_are_those_of_the_plain_path(mutag):
    model = SubgraphInfoMax(hidden=16, epochs=2).fit(mutag)
    lifted, plain = model.transform(mutag), model.set_params(lift=False).transform(mutag)
    np.testing.assert_allclose(lifted, plain, rtol=1e-4, atol=1e-4 * np.abs(plain).max())


def slow_colors(store: GraphStore, depth: int) -> list[list]:
    """Colour refinement with tuples instead of hashes."""
    colors = []
    for graph in store:
        for v in range(graph.num_nodes):
            incident = [
                (tuple(c), tuple(x))
                for (a, _), c, x in zip(
                    graph.edges.tolist(), graph.edge_codes.tolist(), graph.edge_values.tolist()
                )
                if a == v
            ]
            own = tuple(graph.node_codes[v].tolist()), tuple(graph.node_values[v].tolist())
            colors.append((own, tuple(sorted(incident))))
    rounds = [colors]
    nodes, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
    for _ in range(depth):
        names = {c: i for i, c in enumerate(sorted(set(colors)))}
        colors = [
            (
                names[colors[v]],
                tuple(sorted(names[colors[u]] for u in neighbor[edge_ptr[v] : edge_ptr[v + 1]])),
            )
            for v in range(len(nodes))
        ]
        rounds.append(colors)
    return rounds


def test_classes_are_those_of_plain_colour_refinement(zoo, mutag):
    for store in (zoo, mutag[:30]):
        nodes, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
        colors = start_colors(store, nodes)
        for expected in slow_colors(store, 4):
            of_node, first, sizes = classes(colors)
            pairs = set(zip(of_node.tolist(), expected))
            assert len(pairs) == len(set(expected)) == len(first)  # one to one
            assert sizes.tolist() == np.bincount(of_node).tolist()
            colors = refine(colors, edge_ptr, neighbor)


def test_lifting_compresses_as_it_should(dataset):
    store = prepared(dataset("REDDIT-BINARY"))
    index = np.random.default_rng(0).permutation(len(store))[:128]
    lifted = Lifter(store, 4).batch(index, torch.Generator().manual_seed(0))
    rows = sum(len(depth.sizes) for depth in lifted.depths)
    nodes = int(store.num_nodes[index].sum())
    assert all(depth.sizes.sum() == 2 * nodes for depth in lifted.depths)
    assert 8 * nodes / rows > 2.8


def test_static_colours_and_colors_of_the_batch_give_the_same(mutag):
    index = np.array([5, 3, 80, 3])
    batches = [
        Lifter(mutag, 3, static=static).batch(index, torch.Generator().manual_seed(0))
        for static in (True, False)
    ]
    for a, b in zip(*(batch.depths for batch in batches)):
        assert torch.equal(a.sizes, b.sizes)
        assert torch.equal(a.neighbors.column, b.neighbors.column)


def chosen(store, **options):
    model = build(store, layers=2, **options)
    backbone = model.layer_aggregation.backbone
    lift = options.get("lift", True)
    return choose_batches(store, backbone, model.readout, 2, corrupt=True, again=True, lift=lift)


def test_the_plain_path_runs_where_lifting_is_not_exact_or_does_not_pay(mutag):
    assert isinstance(chosen(mutag), Lifter)
    assert chosen(mutag, lift=False) is mutag  # --no-lift
    assert chosen(mutag, readout="set2set") is mutag
    assert chosen(mutag, backbone="pyg:GAT") is mutag
    schema = replace(mutag.schema, node=(Column.numeric("x"),))
    values = np.random.default_rng(0).normal(size=(len(mutag.node_codes), 1)).astype(np.float32)
    empty = mutag.node_codes[:, :0]
    continuous = replace(mutag, node_codes=empty, node_values=values, schema=schema)
    assert chosen(continuous) is continuous  # every node is a class of its own


def test_negative_zero_is_zero():
    """-0.0 and 0.0 are equal inputs, so they start with one colour."""
    schema = Schema(node=(Column.numeric("x"),))
    values = np.array([[0.0], [-0.0]], np.float32)
    graph = Graph(num_nodes=2, edges=np.zeros((0, 2), int), node_values=values, schema=schema)
    colors = start_colors(GraphStore.from_graphs([graph]), np.arange(2))
    assert colors[0] == colors[1]
