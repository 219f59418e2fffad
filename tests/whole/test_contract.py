"""One battery over everything registered. A new plug-in is tested here without being named."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
import torch

from partwhole import Graph, GraphStore, PartwholeError
from partwhole.config import FitConfig, PredictorConfig, RecipeConfig
from partwhole.estimators.semi_supervised.model import SemiSupervisedModel
from partwhole.estimators.semi_supervised.tasks import Regression
from partwhole.generators.tree_split import TreeSplit
from partwhole.model import PartWhole
from partwhole.registry import (
    BACKBONES,
    BOUNDS,
    GENERATORS,
    READOUTS,
    SOURCES,
    STRUCTURE,
    UNLABELLED,
)
from partwhole.structure.base import structure_widths, with_structure
from partwhole.training.objectives import HeadTailObjective

BACKBONE_VARIANTS = [*(b for b in BACKBONES if b != "pyg"), "pyg:GCN", "pyg:GraphSAGE", "pyg:GAT"]
SELECTIONS = ("straight-through", "soft", "hard", "balanced")


def configured(options: dict) -> FitConfig:
    return RecipeConfig.from_options({"recipe": "paper", "hidden": 8, "layers": 2, **options}).settled()


def build(store: GraphStore, seed: int = 0, **options) -> PartWhole:
    config = configured(options)
    widths = {"node": store.schema.node_width} | structure_widths(tuple(store.structure))
    torch.manual_seed(seed)
    return PartWhole.from_config(config, widths, store.schema.edge_width).double()


def whole(store: GraphStore, corrupt: int | None = None):
    random = None if corrupt is None else torch.Generator().manual_seed(corrupt)
    return store.batch(np.arange(len(store)), random).double()


def training_batch(store: GraphStore, options: dict, seed: int = 0):
    return whole(store, seed if options.get("head_negatives", True) else None)


def choices():
    """Each plug-in once beside the defaults, and every generator in every selection mode."""
    yield from ({"backbone": b} for b in BACKBONE_VARIANTS)
    yield from ({"readout": r} for r in READOUTS)
    yield from ({"estimator": e} for e in BOUNDS)
    yield from ({"pair_score": s} for s in ("dot", "cosine", "scaled"))
    yield from ({"structure": [s]} for s in STRUCTURE)
    yield from ({"generator": g, "selection": s} for g, s in itertools.product(GENERATORS, SELECTIONS))
    yield {"subgraph_conv": False}
    yield {"subgraph_conv": False, "head_negatives": False}
    yield {"readout": "set2set", "generator": "autoregressive"}


def name(options: dict) -> str:
    return " ".join(str(v) for v in options.values())


every_choice = pytest.mark.parametrize("options", list(choices()), ids=name)


def prepared(zoo: GraphStore, options: dict) -> GraphStore:
    return with_structure(zoo, options.get("structure", []))


@every_choice
def test_shapes(zoo, options):
    store = prepared(zoo, options)
    model, batch = build(store, **options), training_batch(store, options)
    views = model(batch)
    width, graphs = model.readout.width, len(store)
    assert views.graph.shape == (graphs, width)
    assert views.reconstructed.shape == (graphs, 1 if options.get("subgraph_conv", True) else 4, width)
    assert views.membership.shape == (4, batch.num_nodes)
    assert ((views.membership >= 0) & (views.membership <= 1)).all()
    if options.get("head_negatives", True):
        assert views.corrupted.shape == (graphs, width)
    else:
        assert views.corrupted is None


@every_choice
def test_gradients_reach_every_parameter(zoo, options):
    """All but the generator's in `hard` mode: the step is flat, and W never trains (ledger row 1)."""
    store = prepared(zoo, options)
    model = build(store, **options)
    # DV's sums of exponentials saturate on raw dot products; the cosine score keeps all pairs alive.
    objective = HeadTailObjective(configured({**options, "pair_score": "cosine"}))
    loss, _ = objective(model, training_batch(store, options))
    loss.backward()
    for key, parameter in model.named_parameters():
        reached = parameter.grad is not None and parameter.grad.abs().sum() > 0
        flat = ".generator." in key and options.get("selection") == "hard"
        # A bias just before BatchNorm is taken out again by its mean.
        cancelled = options.get("backbone", "").startswith("pyg") and key.endswith("bias") and "convs" in key
        assert reached != flat or cancelled, key


@every_choice
def test_a_graph_has_the_same_vector_alone_in_a_batch_and_in_another_order(zoo, options):
    """Ledger row 14: no batch statistics, no neighbour in the batch, no position leaks in."""
    store = prepared(zoo, options)
    model = build(store, **options)
    for k in range(3):  # move the running statistics off their start
        model(training_batch(store, options, seed=k))
    model.eval()
    together = model.embed(whole(store))
    order = np.random.default_rng(0).permutation(len(store))
    reordered = model.embed(store.batch(order).double())
    torch.testing.assert_close(reordered, together[torch.from_numpy(order)], rtol=1e-9, atol=1e-9)
    for i in range(len(store)):
        alone = model.embed(store.batch(np.array([i])).double())
        torch.testing.assert_close(alone[0], together[i], rtol=1e-9, atol=1e-9)


@every_choice
def test_node_order_does_not_matter(zoo, options):
    model = build(prepared(zoo, options), **options).eval()
    random = np.random.default_rng(1)
    orders = [random.permutation(g.num_nodes) for g in zoo]
    shuffled = prepared(GraphStore.from_graphs([permuted(g, p) for g, p in zip(zoo, orders)]), options)
    store = prepared(zoo, options)
    torch.testing.assert_close(model.embed(whole(shuffled)), model.embed(whole(store)), rtol=1e-9, atol=1e-9)
    parts, moved = model.subgraphs(whole(store)), model.subgraphs(whole(shuffled))
    index = np.concatenate([start + p for start, p in zip(zoo.node_ptr, orders)])
    torch.testing.assert_close(moved[:, torch.from_numpy(index)], parts, rtol=1e-9, atol=1e-9)


def permuted(graph: Graph, order: np.ndarray) -> Graph:
    """Node v becomes node order[v]."""
    back = np.argsort(order)
    return Graph(
        num_nodes=graph.num_nodes,
        edges=order[graph.edges],
        node_codes=graph.node_codes[back],
        node_values=graph.node_values[back],
        edge_codes=graph.edge_codes,
        edge_values=graph.edge_values,
        targets=graph.targets,
        schema=graph.schema,
    )


@every_choice
def test_same_seed_same_result(zoo, options):
    store = prepared(zoo, options)
    losses = []
    for seed in (0, 0, 1):
        objective = HeadTailObjective(configured(options))
        loss, _ = objective(build(store, **options), training_batch(store, options, seed))
        losses.append(loss.item())
    assert losses[0] == losses[1]
    if options.get("head_negatives", True):
        assert losses[0] != losses[2]
    assert (
        build(store, seed=1, **options).embed(whole(store)).sum()
        != build(store, **options).embed(whole(store)).sum()
    )


@pytest.mark.parametrize("options", [{"readout": r} for r in READOUTS], ids=name)
def test_a_graph_without_nodes_and_one_without_edges_have_vectors(zoo, options):
    model = build(zoo, **options).eval()
    vectors = model.embed(whole(zoo))
    assert torch.isfinite(vectors).all()
    if options["readout"] != "set2set":
        assert vectors[0].tolist() == [0.0] * 8  # no nodes: nothing to sum
    assert vectors[2].abs().sum() > 0  # five nodes, no edges


@pytest.mark.parametrize("unlabelled", UNLABELLED.names())
def test_what_unlabelled_graphs_teach_reaches_every_weight(mutag, unlabelled):
    """Beside the supervised loss; the subgraph generator has a part in the paper's alone."""
    entry = UNLABELLED.get(unlabelled)
    assert entry.idea
    assert entry.paper
    config = PredictorConfig(hidden=8, layers=2, unlabelled=unlabelled)
    torch.manual_seed(0)
    encoder = PartWhole.from_config(config, {"node": mutag.schema.node_width}, mutag.schema.edge_width)
    model = SemiSupervisedModel(config, encoder, Regression((0.0,), (1.0,)), lambda: copy.deepcopy(encoder))
    corrupt = torch.Generator().manual_seed(1) if model.companion.corrupts else None
    batch = mutag.batch(np.arange(12), corrupt)
    h, added, logged = model.companion(model.student, batch, 0.5)
    assert h.shape == (12, 8)
    assert added.ndim == 0
    assert "unsupervised" in logged
    (added + model.student.head(h).sum()).backward()
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    missed = {name.split(".")[2] for name, p in trained.items() if p.grad is None}
    assert missed <= ({"subgraph_aggregation"} if unlabelled != "subgraph-infomax" else set())


@pytest.mark.parametrize("source", SOURCES.names())
def test_sources_refuse_what_is_not_theirs_without_an_error(source):
    entry = SOURCES.get(source)
    assert entry.reads
    for other in (None, 3, [], [3], {"a": 1}, np.zeros((2, 2))):
        assert entry.accepts(other) is False


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_tree_split_needs_a_power_of_two(count):
    with pytest.raises(PartwholeError, match="power of two"):
        TreeSplit.check(count)


def test_hard_and_straight_through_agree_in_value_and_differ_in_gradient(zoo):
    views = {}
    for selection in ("hard", "straight-through"):
        model = build(zoo, selection=selection)
        views[selection] = model(whole(zoo, corrupt=0))
    assert torch.equal(views["hard"].membership, views["straight-through"].membership)
    assert not views["hard"].membership.requires_grad
    assert views["straight-through"].membership.requires_grad


def test_tree_split_with_equal_weights_is_the_graph_itself(zoo):
    """Ledger row 3: memberships sum to one, so equal subgraph-conv weights give h~ = h / S."""
    model = build(zoo, selection="soft").eval()
    conv = model.subgraph_aggregation.subgraph_conv
    conv.weight.data.fill_(0.25)
    conv.bias.data.zero_()
    views = model(whole(zoo, corrupt=0))
    torch.testing.assert_close(views.reconstructed[:, 0], views.graph / 4)


def test_permuting_a_clique_with_constant_attributes_changes_nothing():
    """Ledger row 4: such head negatives are degenerate, and are counted."""
    pairs = np.array(list(itertools.combinations(range(5), 2)))
    clique, path = Graph(num_nodes=5, edges=pairs), Graph(num_nodes=5, edges=pairs[[0, 4, 7, 9]])
    store = with_structure(GraphStore.from_graphs([clique, path]), ["degree"])
    torch.manual_seed(0)
    model = PartWhole.from_config(FitConfig(hidden=8, layers=2), {"degree": 1}, 0).double()
    shares = []
    for seed in range(20):  # a path has orders that give itself again, but not many
        _, logged = HeadTailObjective(FitConfig())(model, whole(store, corrupt=seed))
        shares.append(logged["degenerate_heads"])
    assert min(shares) == 0.5
    assert np.mean(shares) < 0.8


def test_one_graph_alone_has_no_tail_negatives(zoo):
    model = build(zoo)
    with pytest.raises(PartwholeError, match="at least two graphs"):
        HeadTailObjective(FitConfig())(model, whole(zoo[5:6], corrupt=0))


def test_an_unknown_option_names_the_near_miss():
    with pytest.raises(PartwholeError, match="Did you mean 'tree-split'"):
        GENERATORS.get("treesplit")
    with pytest.raises(PartwholeError, match="Did you mean 'num_subgraphs'"):
        FitConfig.from_options({"num_subgraph": 4})
    with pytest.raises(PartwholeError, match="has no option 'hiden'"):
        READOUTS.build("set2set", hiden=4)
    with pytest.raises(PartwholeError, match="Did you mean 'GAT'"):
        BACKBONES.build("pyg:GATT", hidden=4, layers=2)
