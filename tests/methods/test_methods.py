"""Every method of the tables: one battery for all, and slow twins or other libraries for each kind."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import tempfile

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from partwhole import Graph, GraphStore, PartwholeError, load_graphs
from partwhole.errors import TooLarge
from partwhole.estimators.graph_kernels.counting import graphlet_classes, sample_graphlets
from partwhole.estimators.graph_kernels.laplacian import ETA, GAMMA, graph_shapes, similarities, vertex_shapes
from partwhole.estimators.self_supervised import augmentation
from partwhole.estimators.self_supervised.diffusion import Diffused, adjacency_matrix, pagerank
from partwhole.estimators.words.walks import biased_walks
from partwhole.evaluation.classifiers import outer_folds
from partwhole.evaluation.kernel_svm import nested_kernel_svm
from partwhole.evaluation.nested import C_GRID
from partwhole.graphs.integrity import require_attributes
from partwhole.graphs.schema import Column, Schema
from partwhole.lifting.lifter import Lifter
from partwhole.methods.mlg import MultiscaleLaplacian
from partwhole.methods.node2vec import Node2Vec
from partwhole.registry import METHODS

SMALL = {
    "hidden": 8,
    "layers": 2,
    "epochs": 2,
    "random_state": 3,
    "dimensions": 6,
    "samples": 50,
    "anchors": 12,
    "rank": 4,
    "walks": 2,
    "length": 10,
    "epochs_of_text": 2,
    "vectors": "counts",
}


@functools.cache
def encoder_of_mutag() -> str:
    """A run of molecule-infomax to begin with."""
    folder = f"{tempfile.mkdtemp()}/run"
    small("molecule-infomax").fit(load_graphs("MUTAG")[:24]).save(folder)
    return folder


def small(method: str):
    """The method in a size for tests."""
    entry = METHODS.get(method)
    known = {f.name for f in dataclasses.fields(entry.config_class)}
    options = {name: value for name, value in SMALL.items() if name in known}
    return entry(**options | ({"start_from": encoder_of_mutag()} if "fine-tuned" in method else {}))


def in_numpy(estimator):
    """The same with scalars of NumPy, as a grid search over arrays sets them."""
    kinds = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}
    known = estimator.get_params().items()
    return estimator.set_params(**{name: kinds[type(v)](v) for name, v in known if type(v) in kinds})


every_method = pytest.mark.parametrize("method", METHODS.names())


@every_method
def test_methods_fit_transform_and_leave_their_input_alone(mutag, tmp_path, method):
    graphs = mutag[:24]
    before = graphs.digest()
    entry = METHODS.get(method)
    assert entry.method == method
    assert entry.idea
    assert entry.paper
    assert entry.learns_from in ("graphs", "labels", "nothing")
    given = (graphs, graphs.labels) if entry.learns_from == "labels" else (graphs,)
    estimator = small(method).fit(*given)
    vectors = estimator.transform(graphs)
    assert vectors.shape == (24, estimator.width)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    assert graphs.digest() == before
    again = in_numpy(small(method)).fit(*given).transform(graphs)
    np.testing.assert_array_equal(vectors, again)
    estimator.save(tmp_path / "run")
    np.testing.assert_array_equal(entry.load(tmp_path / "run").transform(graphs), vectors)
    if estimator.method not in ("node2vec",):  # unseen graphs, and each on its own
        alone = np.concatenate([estimator.transform(mutag[i : i + 1]) for i in (3, 40, 41)])
        np.testing.assert_allclose(alone, estimator.transform(mutag[[3, 40, 41]]), rtol=1e-4, atol=1e-5)


@every_method
def test_methods_take_awkward_graphs(zoo, method):
    """No nodes, one node, no edges; unless they say why not."""
    entry = METHODS.get(method)
    labels = zoo.num_nodes.astype(float) if "regressor" in method or method == "ridge" else zoo.labels
    given = (zoo, labels) if entry.learns_from == "labels" else (zoo,)
    if method in ("morgan", "descriptors", "molecule-infomax") or "fine-tuned" in method:
        with pytest.raises(PartwholeError, match=r"no molecules|knows molecules by other attributes"):
            small(method).fit(*given)
        return
    assert np.isfinite(small(method).fit(*given).transform(zoo)).all()


@pytest.mark.parametrize("method", ["wl", "sp", "rw", "gk", "mlg", "dgk"])
def test_products_of_the_vectors_of_a_kernel_are_its_similarities(mutag, method):
    graphs = mutag[:20]
    kernel = METHODS.get(method)(dimensions=200).fit(graphs)
    vectors, gram = kernel.transform(graphs), kernel.gram(graphs)[-1]
    np.testing.assert_allclose(np.diagonal(gram), 1.0, atol=1e-6)
    np.testing.assert_allclose(vectors @ vectors.T, gram, atol=1e-4)


# -------------------------------------------------------------------- kernels


def in_grakel(store: GraphStore):
    from grakel import Graph as GrakelGraph

    found = []
    for graph in store:
        matrix = np.zeros((graph.num_nodes, graph.num_nodes))
        matrix[graph.edges[:, 0], graph.edges[:, 1]] = 1
        found.append(GrakelGraph(matrix, node_labels=dict(enumerate(graph.node_codes[:, 0].tolist()))))
    return found


def test_wl_is_that_of_grakel(mutag):
    from grakel.kernels import VertexHistogram, WeisfeilerLehman

    graphs = mutag[:30]
    grams = METHODS.get("wl")(rounds=3).fit(graphs).gram(graphs)
    for rounds, gram in enumerate(grams):
        if rounds == 0:
            theirs = VertexHistogram(normalize=True).fit_transform(in_grakel(graphs))
        else:
            kernel = WeisfeilerLehman(n_iter=rounds, base_graph_kernel=VertexHistogram, normalize=True)
            theirs = kernel.fit_transform(in_grakel(graphs))
        np.testing.assert_allclose(gram, theirs, atol=1e-9)


@pytest.mark.parametrize("method", ["wl", "dgk", "graph2vec", "sp", "mlg"])
def test_graphs_without_labels_are_told_apart_by_their_edges(method):
    star, path = np.array([[0, 1], [0, 2], [0, 3], [0, 4]]), np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    store = GraphStore.from_graphs([Graph(num_nodes=5, edges=edges) for edges in (star, path, star)])
    vectors = small(method).fit(store).transform(store)
    np.testing.assert_allclose(vectors[0], vectors[2], rtol=1e-5)
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-3


def test_sp_is_that_of_grakel(mutag):
    from grakel.kernels import ShortestPath

    graphs = mutag[:30]
    theirs = ShortestPath(normalize=True).fit_transform(in_grakel(graphs))
    gram = METHODS.get("sp")().fit(graphs).gram(graphs)[0]
    np.testing.assert_allclose(gram, theirs, atol=1e-9)


def test_rw_is_the_kernel_of_the_product_graph(mutag):
    """1ᵀ (I - decay A ⊗ B)⁻¹ 1, by walk counts."""
    graphs = mutag[:6]
    kernel = METHODS.get("rw")(decay=0.05).fit(graphs)
    matrices = [adjacency_matrix(graphs, k) for k in range(6)]
    assert kernel.learned_.counter.weight == 0.05  # small enough for these
    raw = np.empty((6, 6))
    for i, j in itertools.product(range(6), repeat=2):
        product = np.kron(matrices[i], matrices[j])
        raw[i, j] = np.linalg.solve(np.eye(len(product)) - 0.05 * product, np.ones(len(product))).sum()
    size = np.sqrt(np.diagonal(raw))
    np.testing.assert_allclose(kernel.gram(graphs)[0], raw / np.outer(size, size), atol=1e-7)
    dense = GraphStore.from_graphs([complete(12), complete(5)])
    weight = METHODS.get("rw")().fit(dense).learned_.counter.weight
    assert weight == pytest.approx(0.9 / 11**2)  # where 0.1 would diverge


def complete(nodes: int, schema: Schema = Schema()) -> Graph:
    pairs = np.array(list(itertools.combinations(range(nodes), 2)))
    values = np.ones((nodes, 1), np.float32) if schema.node else None
    return Graph(num_nodes=nodes, edges=pairs, node_values=values, schema=schema)


def test_graphlets_are_counted_by_class():
    assert [graphlet_classes(size).max() + 1 for size in (3, 4, 5)] == [4, 11, 34]
    path = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    store = GraphStore.from_graphs([Graph(num_nodes=5, edges=path)])
    classes = graphlet_classes(3)
    exact = np.zeros(4)
    adjacent = {tuple(sorted(edge)) for edge in path.tolist()}
    for nodes in itertools.combinations(range(5), 3):
        pairs = itertools.combinations(nodes, 2)
        exact[classes[sum((pair in adjacent) << k for k, pair in enumerate(pairs))]] += 1
    counts = sample_graphlets(store.node_ptr, store.edge_ptr, store.neighbor, 3, 40_000, classes, 0)[0]
    np.testing.assert_allclose(counts / 40_000, exact / 10, atol=0.01)


def test_mlg_compares_graphs_by_their_gaussians():
    """Against the formula, in loops, for whole graphs and for neighbourhoods."""
    random = np.random.default_rng(0)
    edges = [np.array([[0, 1], [1, 2], [2, 3]]), np.array([[0, 1], [1, 2], [0, 2]])]
    store = GraphStore.from_graphs([Graph(num_nodes=n, edges=e) for n, e in zip((4, 3), edges)])
    x = random.normal(size=(7, 2))

    def covariance(nodes: list[int], pairs: np.ndarray, rows: np.ndarray) -> np.ndarray:
        laplacian = ETA * np.eye(len(nodes))
        for a, b in pairs.tolist():
            if a in nodes and b in nodes:
                ends = np.eye(len(nodes))[nodes.index(a)] - np.eye(len(nodes))[nodes.index(b)]
                laplacian += np.outer(ends, ends)
        inside = rows[nodes]
        return inside.T @ np.linalg.inv(laplacian) @ inside + GAMMA * np.eye(2)

    def overlap(s: np.ndarray, t: np.ndarray) -> float:
        middle = np.linalg.det((np.linalg.inv(s) + np.linalg.inv(t)) / 2)
        return middle**-0.5 / (np.linalg.det(s) * np.linalg.det(t)) ** 0.25

    first = covariance([0, 1, 2, 3], edges[0], x[:4])
    second = covariance([0, 1, 2], edges[1], x[4:])
    shapes = graph_shapes(store, x)
    gram = similarities(shapes, shapes)
    assert gram[0, 1] == pytest.approx(overlap(first, second), rel=1e-9)
    assert np.diagonal(gram) == pytest.approx([1.0, 1.0])
    ball = vertex_shapes(store, x, 1, np.array([0]))  # nodes 0 and 1 of the path
    near = covariance([0, 1], edges[0], x[:4])
    assert similarities(ball, shapes)[0, 0] == pytest.approx(overlap(near, first), rel=1e-9)


def test_walk_counts_of_a_graph_do_not_depend_on_the_others(mutag):
    kernel = METHODS.get("rw")().fit(mutag[:20])
    alone = kernel.transform(mutag[:2])
    crowd = GraphStore.from_graphs([*(labelled(complete(n), mutag) for n in (600, 50)), *mutag[:2]])
    together = kernel.transform(crowd)  # walks in a clique of 600 overflow any number, but not here
    assert np.isfinite(together).all()
    np.testing.assert_allclose(together[2:], alone, rtol=1e-6)


def labelled(graph: Graph, like: GraphStore) -> Graph:
    """The graph with the first label of each kind that graphs of a store have."""
    edges = len(graph.edges)
    codes = np.zeros((graph.num_nodes, 1), np.int16), np.zeros((edges, 1), np.int16)
    return dataclasses.replace(
        graph, node_codes=codes[0], edge_codes=codes[1], targets=np.zeros(1), schema=like.schema
    )


@pytest.mark.parametrize("method", ["sp", "gk", "rw", "wl", "mlg", "dgk", "graph2vec", "counts"])
def test_graphs_without_edges_give_vectors_or_a_sentence(method):
    store = GraphStore.from_graphs([Graph(num_nodes=1, edges=np.zeros((0, 2), int)) for _ in range(4)])
    if method in ("sp", "gk"):
        with pytest.raises(PartwholeError, match=f"{method} finds nothing to count"):
            small(method).fit(store)
    else:
        assert np.isfinite(small(method).fit(store).transform(store)).all()


def test_a_refused_fit_leaves_the_folder_as_it_was(mutag, tmp_path):
    METHODS.get("wl")().fit_run(mutag[:10], tmp_path / "run")
    refused = MultiscaleLaplacian(minutes=1e-9)
    with pytest.raises(TooLarge):
        refused.fit_run(mutag[:10], tmp_path / "run", overwrite=True)
    assert METHODS.get("wl").load(tmp_path / "run").transform(mutag[:2]).shape[0] == 2
    with pytest.raises(NotFittedError):
        refused.transform(mutag[:2])
    with pytest.raises(TooLarge):
        refused.fit_run(mutag[:10], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_similarities_are_of_the_graphs_that_were_learned(mutag):
    other = GraphStore.from_graphs([complete(4), complete(5)])
    with pytest.raises(PartwholeError, match="no attribute 'atom', which the model learned from"):
        METHODS.get("dgk")(dimensions=4).fit(mutag[:10]).gram(other)


def test_mlg_says_beforehand_what_takes_too_long(mutag):
    with pytest.raises(TooLarge, match="more than its limit of 1e-09"):
        MultiscaleLaplacian(minutes=1e-9).fit(mutag[:10])


def test_kernels_need_labels_and_not_numbers():
    numbers = Schema(node=(Column.numeric("x"),))
    store = GraphStore.from_graphs([complete(3, numbers), complete(4, numbers)])
    for method in ("wl", "sp", "dgk", "graph2vec", "counts", "mlg"):
        with pytest.raises(PartwholeError, match=f"{method} compares nodes by labels"):
            METHODS.get(method)().fit(store).transform(store)


def test_the_kernel_svm_chooses_as_scikit_learn_does(mutag):
    gram = METHODS.get("sp")().fit(mutag).gram(mutag)
    folds = outer_folds(mutag.labels, 10, 0)[:3]
    for result, (train, test) in zip(nested_kernel_svm(gram, mutag.labels, folds), folds, strict=True):
        search = GridSearchCV(SVC(kernel="precomputed"), {"C": C_GRID}, cv=5)
        search.fit(gram[0][np.ix_(train, train)], mutag.labels[train])
        assert result.chosen == (0, search.best_params_["C"])
        np.testing.assert_array_equal(result.predictions, search.predict(gram[0][np.ix_(test, train)]))


def test_the_kernel_svm_finds_the_kernel_that_tells():
    random = np.random.default_rng(1)
    labels = np.repeat([0, 1], 30)
    noise, telling = random.normal(size=(60, 5)), np.eye(2)[labels]
    grams = np.stack([noise @ noise.T, telling @ telling.T])
    results = nested_kernel_svm(grams, labels, outer_folds(labels, 5, 0))
    assert {result.chosen[0] for result in results} == {1}


# -------------------------------------------------------------------- walks and words


def test_walks_follow_edges_and_turn_back_as_often_as_they_should(mutag):
    _, _, edge_ptr, neighbor = mutag.batch_structure(np.arange(20))
    edges = {(v, int(u)) for v in range(len(edge_ptr) - 1) for u in neighbor[edge_ptr[v] : edge_ptr[v + 1]]}
    starts = np.arange(len(edge_ptr) - 1)
    returns = []
    for back in (0.05, 1.0, 20.0):
        walks = biased_walks(edge_ptr, neighbor, starts, 20, back, 1.0, 7)
        steps = {(a, b) for walk in walks for a, b in itertools.pairwise(walk.tolist())}
        assert steps <= edges
        returns.append(np.mean(walks[:, 2:] == walks[:, :-2]))
    assert returns[0] > 0.8 > 0.5 > returns[1] > 0.3 > returns[2]


def test_a_step_of_a_walk_has_the_weights_of_the_paper():
    """From 1, reached from 0: back to 0 has weight 1/p, 2 (a neighbour of 0) 1, 3 weight 1/q."""
    graph = Graph(num_nodes=4, edges=np.array([[0, 1], [1, 2], [0, 2], [1, 3]]))
    store = GraphStore.from_graphs([graph])
    walks = biased_walks(store.edge_ptr, store.neighbor, np.zeros(60_000, np.int64), 3, 2.0, 4.0, 0)
    through = walks[walks[:, 1] == 1]
    shares = [np.mean(through[:, 2] == node) for node in (0, 2, 3)]
    weights = np.array([1 / 2, 1, 1 / 4])
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.01)


def test_node2vec_refuses_graphs_that_it_has_not_seen(mutag):
    model = Node2Vec(walks=1, length=5, dimensions=4).fit(mutag[:5])
    with pytest.raises(PartwholeError, match="and for no others"):
        model.transform(mutag[5:10])


# -------------------------------------------------------------------- rivals that train a network


def test_infograph_lifts_exactly(mutag):
    graphs = np.arange(16)
    for layers in (1, 3):
        model = METHODS.get("infograph")(hidden=8, layers=layers, epochs=0).fit(mutag[:16]).model_.double()
        model.train()
        plain, _ = model.loss(mutag[:16].batch(graphs).double())
        lifted, _ = model.loss(Lifter(mutag[:16], layers).batch(graphs).double())
        assert plain.item() == pytest.approx(lifted.item(), rel=1e-9)


def test_diffusion_is_personalised_pagerank(mutag):
    adjacency = adjacency_matrix(mutag, 0)
    size = np.sqrt(adjacency.sum(1))
    walk, power, series = adjacency / np.outer(size, size), np.eye(len(adjacency)), 0.0
    for k in range(200):
        series = series + 0.2 * 0.8**k * power
        power = power @ walk
    np.testing.assert_allclose(pagerank(adjacency), series, atol=1e-12)
    views = Diffused(mutag[:3]).batch(np.array([2, 0]))
    own = pagerank(adjacency_matrix(mutag, 2))
    whole = views.diffusion @ torch.eye(len(views.graph_of_node))
    np.testing.assert_allclose(whole[: len(own), : len(own)].numpy(), own, atol=1e-6)
    assert whole[: len(own), len(own) :].abs().sum() == 0
    rows = (views.adjacency @ torch.eye(len(views.graph_of_node)))[: len(own), : len(own)].numpy()
    loops = adjacency_matrix(mutag, 2) + np.eye(len(own))
    np.testing.assert_allclose(rows, loops / np.sqrt(np.outer(loops.sum(0), loops.sum(1))), atol=1e-6)


def test_mvgrl_refuses_graphs_that_are_too_large():
    edges = np.stack([np.arange(11_000), np.arange(1, 11_001)], axis=1)
    with pytest.raises(TooLarge, match="121 million"):
        Diffused(GraphStore.from_graphs([Graph(num_nodes=11_001, edges=edges)]))


@pytest.mark.parametrize("change", augmentation.AUGMENTATIONS, ids=lambda f: f.__name__)
def test_augmentations_keep_graphs_whole(mutag, change):
    graphs = mutag[:30]
    changed = change(graphs, np.random.default_rng(0))
    assert len(changed) == 30
    require_attributes(changed)
    for before, after in zip(graphs, changed):
        if len(after.edges):
            assert after.edges.max() < after.num_nodes
        pairs = {tuple(edge) for edge in after.edges.tolist()}
        assert pairs == {(b, a) for a, b in pairs}  # symmetric
        assert after.num_nodes <= before.num_nodes
        assert after.num_nodes >= math.floor(0.8 * before.num_nodes) or change is augmentation.walked_subgraph
    again = change(graphs, np.random.default_rng(0))
    assert again.digest() == changed.digest()
    assert changed.digest() != graphs.digest()


def test_induced_subgraphs_are_those_of_networkx(mutag):
    random = np.random.default_rng(2)
    graphs = mutag[:10]
    kept = random.random(int(graphs.node_ptr[-1])) < 0.6
    for before, after, start in zip(graphs, augmentation.induced(graphs, kept), graphs.node_ptr):
        nodes = np.flatnonzero(kept[start : start + before.num_nodes])
        theirs = nx.Graph(before.edges.tolist()).subgraph(nodes.tolist())
        mine = {tuple(sorted(nodes[edge])) for edge in after.edges}
        assert mine == {tuple(sorted(edge)) for edge in theirs.edges}
        np.testing.assert_array_equal(after.node_codes, before.node_codes[nodes])


@pytest.mark.parametrize("method", ["infograph", "mvgrl", "graphcl", "graphmae"])
def test_training_lowers_the_loss_and_goes_on_where_it_was_stopped(mutag, tmp_path, method):
    graphs = mutag[:40]
    entry = METHODS.get(method)
    options = {"hidden": 8, "layers": 2, "random_state": 1, "lr": 0.01}
    whole = entry(epochs=12, **options).fit_run(graphs, tmp_path / "whole")
    losses = [row["loss"] for row in whole.history_]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])
    entry(epochs=5, **options).fit_run(graphs, tmp_path / "half")
    resumed = entry(epochs=12, **options).fit_run(graphs, tmp_path / "half", resume=True)
    np.testing.assert_array_equal(resumed.transform(graphs), whole.transform(graphs))


@pytest.mark.slow
def test_supervised_networks_learn_the_classes(mutag):
    train = np.arange(0, 188, 2)
    for method in ("gin-0", "gcn"):
        model = METHODS.get(method)(epochs=30, validation=0.0).fit(mutag[train], mutag.labels[train])
        assert model.score(mutag[train], mutag.labels[train]) > 0.85
        assert model.predict_proba(mutag[:3]).sum(1) == pytest.approx([1, 1, 1])
