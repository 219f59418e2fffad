"""The recipe: exact descriptions, the layers of the network, and their main directions."""

from __future__ import annotations

import collections
import re

import networkx as nx
import numpy as np
import pytest
import torch

from commands import partwhole as run
from partwhole import GraphStore, PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.estimators.loading import load_run
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.graphs.schema import Column, Schema
from partwhole.recipes.descriptions.numbers import _frequencies
from partwhole.recipes.descriptions.structure import steps
from partwhole.recipes.graph_vectors import described, signed_log
from partwhole.recipes.histogram import hashed_histogram
from partwhole.recipes.main_directions import MainDirections
from partwhole.recipes.weights import BEST, COLUMNWISE, RECIPES
from partwhole.registry import DESCRIPTIONS, STRUCTURE

SMALL = {"layers": 2, "epochs": 2, "batch_size": 64}
MASK = 2**64 - 1


def mixed(x: int) -> int:
    """The hash of a word, in Python's own numbers."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def test_a_hashed_histogram_is_the_sum_of_signs_by_roots_of_shares():
    random = np.random.default_rng(0)
    graph = np.sort(random.integers(0, 5, 60))
    key = random.integers(0, 7, 60).astype(np.uint64)
    got = hashed_histogram(graph, key, graphs=6, width=96)
    for g in range(6):
        keys = key[graph == g].tolist()
        wanted = np.zeros(96)
        for k, count in collections.Counter(keys).items():
            words = [mixed((k + 0x9E3779B97F4A7C15 * (word + 1)) & MASK) for word in range(2)]
            signs = [1.0 if words[j // 64] >> (j % 64) & 1 else -1.0 for j in range(96)]
            wanted += np.sqrt(count / len(keys) / 96) * np.array(signs)
        np.testing.assert_allclose(got[g], wanted, atol=1e-6)
    assert not got[5].any()  # a graph with nothing to count


def test_products_of_histograms_are_those_of_the_distributions():
    """Shares (1/4, 3/4) and (3/4, 1/4): the Bhattacharyya coefficient is 2 sqrt(3) / 4."""
    graph = np.repeat([0, 1], 4)
    key = np.array([1, 2, 2, 2, 1, 1, 1, 2], dtype=np.uint64)
    x = hashed_histogram(graph, key, graphs=2, width=1 << 16).astype(np.float64)
    np.testing.assert_allclose(x @ x.T, [[1, 0.8660], [0.8660, 1]], atol=0.02)


def test_steps_are_exact_below_eight_and_two_for_each_doubling_above():
    assert steps(np.array([0, 1, 7, 8, 11, 12, 16, 32, 1024])).tolist() == [0, 1, 7, 8, 8, 9, 10, 12, 22]


def networkx_graphs(store: GraphStore) -> list[nx.Graph]:
    graphs = []
    for i in range(len(store)):
        graph = nx.empty_graph(store[i].num_nodes)
        graph.add_edges_from(store[i].edges.tolist())
        graphs.append(graph)
    return graphs


@pytest.mark.parametrize(("kind", "of"), [("triangles", nx.triangles), ("core-number", nx.core_number)])
@pytest.mark.parametrize("data", ["IMDB-BINARY", "REDDIT-BINARY", "NCI1"])
def test_structure_attributes_are_those_of_networkx(dataset, data, kind, of):
    store = dataset(data)[:40]
    wanted = [value for graph in networkx_graphs(store) for value in of(graph).values()]
    assert STRUCTURE.get(kind)(store).tolist() == wanted


def test_core_numbers_take_time_by_edges_and_leave_loops_out():
    """A path is peeled from its two ends, one node at a time: by rounds, 50,000 of them."""
    path = nx.path_graph(100_000)
    path.add_edge(7, 7)
    assert STRUCTURE.get("core-number")(load_graphs([path])).tolist() == [1.0] * 100_000


def test_structure_knows_joined_neighbours_and_cores(dataset):
    store = dataset("IMDB-MULTI")[:30]
    graphs = networkx_graphs(store)
    node = np.repeat(np.arange(len(store)), store.num_nodes)
    joined = [
        int(10 * nx.clustering(g)[v] + 1e-9) for g in graphs for v in g
    ]  # floats of networkx fall short
    cores = [nx.core_number(g)[v] for g in graphs for v in g]
    blocks = DESCRIPTIONS.get("structure")(store)
    for block, values in (blocks[4], np.array(joined)), (blocks[5], steps(np.array(cores))):
        keys = values.astype(np.int64).view(np.uint64)
        np.testing.assert_allclose(block, hashed_histogram(node, keys, len(store), 128), atol=1e-6)


def test_walks_are_those_of_the_powers_of_the_adjacency(dataset):
    store = dataset("PROTEINS")[:25]
    (found,) = DESCRIPTIONS.get("walks")(store)
    for row, graph in zip(found, networkx_graphs(store), strict=True):
        a = nx.to_numpy_array(graph)
        counts = [np.linalg.matrix_power(a, k).sum() for k in range(6)]
        np.testing.assert_allclose(row, np.diff(np.log(counts)), rtol=1e-5, atol=1e-6)


def test_walks_in_numbers():
    """A star of three leaves has 4 nodes and 6, 12, 18, 36, 54 walks of one to five steps; so have two of
    them, by node; and without edges there are no walks, which counts as one."""
    star = nx.star_graph(3)
    graphs = [star, nx.disjoint_union(star, star), nx.empty_graph(3), nx.empty_graph(1)]
    (found,) = DESCRIPTIONS.get("walks")(load_graphs(graphs))
    growth = np.log([6 / 4, 12 / 6, 18 / 12, 36 / 18, 54 / 36])
    np.testing.assert_allclose(found[:2], [growth, growth], rtol=1e-6)
    np.testing.assert_allclose(found[2:], [[-np.log(3), 0, 0, 0, 0], [0] * 5], rtol=1e-6)


@pytest.mark.parametrize("data", ["REDDIT-BINARY", "PTC_MR"])
def test_depth_is_the_number_of_steps_to_where_most_walks_end(dataset, data):
    store = dataset(data)[:40]
    (found,) = DESCRIPTIONS.get("depth")(store)
    for row, graph in zip(found, networkx_graphs(store), strict=True):
        ending = np.linalg.matrix_power(nx.to_numpy_array(graph), 5).sum(axis=0)
        centers = {v for v in graph if ending[v] > 0.999999 * ending.max() or not ending.max()}
        away = nx.multi_source_dijkstra_path_length(graph, centers)
        steps_away = np.array([away.get(v, -1) for v in graph]).view(np.uint64)
        wanted = hashed_histogram(np.zeros(len(graph), np.int64), steps_away, 1, 128)
        np.testing.assert_allclose(row, wanted[0], atol=1e-6)


def test_depth_in_numbers():
    """In a path of five nodes 9, 18, 18, 18, 9 walks of five steps end; without edges all nodes are centres;
    what is joined to no centre has a place of its own; a long path takes time by its edges."""
    apart = nx.disjoint_union(nx.star_graph(3), nx.path_graph(2))
    path = nx.path_graph(5)
    path.add_edge(2, 2)  # a loop is no step
    graphs = [path, nx.empty_graph(3), apart, nx.path_graph(100_001)]
    (found,) = DESCRIPTIONS.get("depth")(load_graphs(graphs))
    for row, shares in zip(found, ({0: 3, 1: 2}, {0: 3}, {0: 1, 1: 3, -1: 2})):
        keys = np.array([key for key, number in shares.items() for _ in range(number)]).view(np.uint64)
        np.testing.assert_allclose(
            row, hashed_histogram(np.zeros(len(keys), int), keys, 1, 128)[0], atol=1e-6
        )
    assert np.isfinite(found).all()


def with_numbers(node_counts, rows, edges=()) -> GraphStore:
    """Graphs whose nodes have the numbers `rows`, used as they are."""
    values = np.asarray(rows, np.float32)
    schema = Schema(node=(Column.numeric("x", values.shape[1]),))
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return GraphStore.from_arrays(np.array(node_counts), pairs, schema=schema, node_values=values)


def test_numbers_are_means_of_waves(dataset):
    store = dataset("PROTEINS")[:20]
    blocks = DESCRIPTIONS.get("numbers")(store)
    (column,) = (c for c in store.schema.node if not c.is_categorical)
    frequency = _frequencies(1)[0]
    for g, graph in enumerate(networkx_graphs(store)):
        own = np.arcsinh((store[g].node_values[:, 0].astype(float) - column.center) / column.scale)
        mean = [own[list(graph[v])].mean() if graph[v] else own[v] for v in graph]
        for block, x in zip(blocks, (own, (own + mean) / 2)):
            phase = x[:, None] * frequency
            wanted = np.hstack([np.cos(phase).mean(0), np.sin(phase).mean(0)])
            np.testing.assert_allclose(block[g], wanted, atol=1e-5)
    assert len(blocks) == 3
    assert not blocks[2].any()  # edges have none


def test_near_numbers_are_alike():
    """The products of waves of four widths: the mean of exp(-f^2 d^2 / 2) for f = 0.5, 1, 2 and 4, up to
    chance; d is 0.8814, the inverse hyperbolic sine of 1."""
    own, around, _ = DESCRIPTIONS.get("numbers")(with_numbers([1, 1, 1], [[0.0], [1.0], [1000.0]]))
    assert own @ own.T / 128 == pytest.approx(np.array([[1, 0.45, 0], [0.45, 1, 0], [0, 0, 1]]), abs=0.15)
    np.testing.assert_array_equal(own, around)  # nodes without neighbours keep their own
    joined = with_numbers([2, 2], [[0.0], [2.0], [0.0], [0.0]], [(0, 1)])
    own, around, _ = DESCRIPTIONS.get("numbers")(joined)
    np.testing.assert_allclose(around[0][:128], np.cos(_frequencies(1)[0] * np.arcsinh(2) / 2), atol=1e-6)


def test_numbers_of_edges_tell_networks_apart():
    """Eighty random networks of the same nodes and edges, their weights near 1 or near 3."""
    random = np.random.default_rng(0)
    heavy, graphs = random.permutation(np.repeat([0, 1], 40)), []
    for h in heavy:
        graph = nx.gnm_random_graph(12, 20, seed=int(random.integers(1 << 30)))
        for edge in graph.edges:
            graph.edges[edge]["weight"] = random.normal(1 + 2 * h, 1)
        graphs.append(graph)
    store = load_graphs(graphs)
    own, around, edges = DESCRIPTIONS.get("numbers")(store)
    assert not np.any([own, around])
    g, (column,) = store[3], store.schema.edge
    phase = np.arcsinh((g.edge_values.astype(float) - column.center) / column.scale) * _frequencies(1)[0]
    np.testing.assert_allclose(edges[3, :128], np.cos(phase).mean(0), atol=1e-5)
    vectors = SubgraphInfoMax(**SMALL).fit(store).transform(store)
    assert fold_accuracies(vectors, heavy).mean() > 97


def test_numbers_see_more_than_mean_and_spread():
    """A hundred graphs of ten nodes without edges, their numbers normal or +-1."""
    random = np.random.default_rng(3)
    kind = random.permutation(np.repeat([0, 1], 50))
    rows = [random.normal(size=(10, 1)) if k else random.choice([-1, 1.001], size=(10, 1)) for k in kind]
    store = with_numbers([10] * 100, np.vstack(rows))
    own, *_ = DESCRIPTIONS.get("numbers")(store)
    assert fold_accuracies(own, kind).mean() > 97


def test_numbers_that_are_missing_count_as_the_mean():
    graphs = [nx.path_graph(3) for _ in range(2)]
    for graph, numbers in zip(graphs, ([1.0, None, 3.0], [1.0, 2.0, 3.0])):
        for node, number in enumerate(numbers):
            graph.nodes[node]["size"] = number
    with pytest.warns(UserWarning, match="1 of 6 nodes have no 'size'"):
        found = DESCRIPTIONS.get("numbers")(load_graphs(graphs))
    for block in found[:2]:
        np.testing.assert_allclose(block[0], block[1], atol=1e-6)
        assert block.any()


@pytest.mark.parametrize(
    ("data", "name"), [*(("MUTAG", name) for name in DESCRIPTIONS), ("PROTEINS", "numbers")]
)
def test_a_description_depends_on_its_own_graph_only(dataset, data, name):
    store = dataset(data)
    order = np.random.default_rng(1).permutation(len(store))[:50]
    everything, some = DESCRIPTIONS.get(name)(store), DESCRIPTIONS.get(name)(store.take(order))
    for whole, part in zip(everything, some, strict=True):
        np.testing.assert_allclose(part, whole[order], atol=1e-6)
        assert part.dtype == np.float32


def test_colours_tell_apart_what_refinement_tells_apart():
    """Six nodes in a ring and in two triangles look alike to colours, and not to structure."""
    ring, triangles, path = nx.cycle_graph(6), nx.disjoint_union(*[nx.cycle_graph(3)] * 2), nx.path_graph(6)
    store = load_graphs([ring, triangles, path])
    colors, structure = (np.hstack(DESCRIPTIONS.get(name)(store)) for name in ("colors", "structure"))
    np.testing.assert_array_equal(colors[0], colors[1])
    assert np.abs(colors[0] - colors[2]).max() > 0.01
    assert np.abs(structure[0] - structure[1]).max() > 0.01


def test_colours_of_bare_nodes_are_their_degrees():
    """Two trees with the same degrees, told apart by the second round; not told apart without categories, nor
    with one that all nodes have, and told apart with two."""
    trees = [nx.path_graph(5), nx.path_graph(5)]
    trees[0].add_edge(1, 5), trees[1].add_edge(2, 5)  # a branch beside the end, and in the middle
    for categories, differ in ([], False), (["x"], False), (["x", "y"], True):
        for tree in trees:
            for node in tree:
                kinds = {"kind": categories[-1] if node == 0 else categories[0]} if categories else {}
                tree.nodes[node].update(kinds)
        blocks = DESCRIPTIONS.get("colors")(load_graphs(trees))
        assert [block.shape for block in blocks] == [(2, 256)] * 5
        np.testing.assert_allclose(np.linalg.norm(blocks[1], axis=1), 1, atol=0.2)
        assert np.any(blocks[2][0] != blocks[2][1]) == differ
        assert blocks[4].any() == differ


def test_bare_nodes_have_the_colours_of_their_edges():
    """Rings of six with the kinds of edges in turn, and in two halves, are alike by the kinds alone, and told
    apart by those around a node; where nodes have categories those of edges do not count."""
    rings = [nx.cycle_graph(6), nx.cycle_graph(6)]
    for ring, kinds in zip(rings, ("ababab", "aaabbb")):
        for (a, b), kind in zip([(k, (k + 1) % 6) for k in range(6)], kinds):
            ring.edges[a, b]["kind"] = kind
    blocks = DESCRIPTIONS.get("colors")(load_graphs(rings))
    assert [np.any(block[0] != block[1]) for block in blocks] == [False, True, True, True, True]
    node = np.repeat([0, 1], 6)
    alike = np.array([0] * 6 + [0, 1, 1, 0, 2, 2], np.uint64)  # nodes between a and b, a and a, b and b
    wanted = hashed_histogram(node, alike, 2, 1 << 14)
    assert blocks[1][0] @ blocks[1][1] == pytest.approx(wanted[0] @ wanted[1], abs=0.15)
    for ring in rings:
        nx.set_node_attributes(ring, dict(enumerate("xyyyyy")), "atom")
    assert not any(np.any(block[0] != block[1]) for block in DESCRIPTIONS.get("colors")(load_graphs(rings)))


def directions(weights, blocks, width, random=None):
    """Main directions for these blocks, which share the views out among themselves in their order."""
    kinds = {
        view: len(described(load_graphs("MUTAG")[:1], [view])) if view != "layers" else 1 for view in weights
    }
    widths = iter([block.shape[1] for block in blocks])
    of_view = {view: [next(widths) for _ in range(number)] for view, number in kinds.items()}
    return MainDirections(of_view, weights, COLUMNWISE, width, random)


def test_main_directions_keep_the_weighted_distances_of_its_blocks(mutag):
    """With as many directions as there are, squared distances are the sum over blocks of those of the block,
    over its variance, by its weight."""
    views = {"colors": 0.7, "structure": 0.3}
    blocks = described(mutag, views)
    summary = directions(views, blocks, 400)
    summary.learn(summary.measured(blocks))
    vectors = summary(blocks).astype(np.float64)
    assert vectors.shape == (188, 400)
    weights = [0.7 / 5] * 5 + [0.3 / 8] * 8
    for a, b in [(0, 1), (3, 77), (120, 187)]:
        wanted = 0.0
        for block, weight in zip(blocks, weights, strict=True):
            variance = block.astype(np.float64).var(axis=0).sum()
            if variance > 1e-9:  # molecules of MUTAG have no triangles
                wanted += weight * ((block[a] - block[b]).astype(np.float64) ** 2).sum() / variance
        assert ((vectors[a] - vectors[b]) ** 2).sum() == pytest.approx(wanted, rel=1e-3)


def test_what_is_known_of_descriptions_is_learned_once_and_hardly_changes_the_whole(mutag):
    """Twice as many directions of the descriptions as of the whole: exact for 188 graphs, which have no more;
    with a fifth of them, distances move by a hundredth of their mean."""
    model = SubgraphInfoMax(**SMALL).fit(mutag)
    network, vectors = model.learned_.network, model.learned_.vectors
    blocks = vectors.blocks(network.inputs.prepared(mutag), network.layer_sums)
    number = len(blocks) - 1
    at_once, in_two = (directions(BEST, blocks, 128) for _ in range(2))
    at_once.learn(at_once.measured(blocks))
    in_two.learn(in_two.measured(blocks[:number], most=256), in_two.measured(blocks[number:], first=number))
    np.testing.assert_allclose(in_two(blocks), at_once(blocks), atol=1e-5)
    narrow, roughly = (directions(BEST, blocks, 16) for _ in range(2))
    narrow.learn(narrow.measured(blocks))
    roughly.learn(roughly.measured(blocks[:number], most=32), roughly.measured(blocks[number:], first=number))
    a, b = (((x[:, None] - x[None]) ** 2).sum(-1) for x in (narrow(blocks), roughly(blocks)))
    assert 0 < np.abs(a - b).mean() < 0.01 * a.mean()


def test_random_directions_keep_distances_up_to_chance(mutag):
    blocks = described(mutag, {"colors": 1.0})
    all_of_it, some, others = (directions({"colors": 1.0}, blocks, 512, random=seed) for seed in (None, 0, 1))
    for summary in all_of_it, some, others:
        summary.learn(summary.measured(blocks, most=512))
    a, b, c = (((x[:, None] - x[None]) ** 2).sum(-1) for x in (s(blocks) for s in (all_of_it, some, others)))
    assert np.abs(b - a).mean() < 0.1 * a.mean()
    assert np.abs(b - c).max() > 0.01 * a.mean()  # each seed has its own


def test_standardised_columns_keep_the_distances(mutag):
    """Up to chance: before, a hundred directions of rounding noise would count as much as the main ones."""
    vectors = SubgraphInfoMax(**SMALL).fit(mutag).transform(mutag).astype(np.float64)
    assert vectors.std(axis=0).min() > 0.2 * vectors.std(axis=0).max()
    a, b = (x @ x.T for x in (vectors - vectors.mean(0), (vectors - vectors.mean(0)) / vectors.std(axis=0)))
    assert np.corrcoef(a.ravel(), b.ravel())[0, 1] > 0.95


def test_columns_of_different_kinds_count_alike():
    sizes = np.array([[1.0, 100.0, 5.0], [2.0, 300.0, 5.0], [4.0, 200.0, 5.0]], np.float32)
    summary = directions({"sizes": 1.0}, [sizes], 3)
    summary.learn(summary.measured([sizes]))
    scaled = (sizes - sizes.mean(0))[:, :2] / sizes.std(0)[:2] / np.sqrt(2)  # the third column says nothing
    np.testing.assert_allclose(summary([sizes]) @ summary([sizes]).T, scaled @ scaled.T, atol=1e-5)


def test_signed_log():
    np.testing.assert_allclose(signed_log(np.array([0.0, np.e - 1, 1 - np.e])), [0, 1, -1], atol=1e-12)


@pytest.mark.parametrize("recipe", list(RECIPES))
def test_vectors_do_not_depend_on_batch_or_order(mutag, recipe):
    model = SubgraphInfoMax(recipe=recipe, **SMALL).fit(mutag[:100])
    order = np.random.default_rng(2).permutation(len(mutag))
    together = model.transform(mutag)
    assert together.shape == (188, model.width)
    assert np.isfinite(together).all()
    scale = np.abs(together).max()
    np.testing.assert_allclose(model.transform(mutag.take(order)), together[order], atol=1e-5 * scale)
    alone = np.concatenate([model.transform(mutag[i : i + 1]) for i in range(95, 110)])  # seen and unseen
    np.testing.assert_allclose(alone, together[95:110], atol=1e-5 * scale)


def test_the_paper_s_recipe_is_h_of_the_model(mutag):
    model = SubgraphInfoMax(recipe="paper", lift=False, **SMALL).fit(mutag)
    with torch.inference_mode():
        h = model.model_.embed(mutag.batch(np.arange(len(mutag)))).numpy()
    np.testing.assert_allclose(model.transform(mutag), h, rtol=1e-4, atol=1e-3)


def test_recipes_train_the_same_network(mutag):
    """Where they are trained alike. And the vectors of `best` do not follow from the description alone:
    training changes them."""
    alike = SMALL | {"pair_score": "dot", "selection": "straight-through", "objective": "bound"}
    best, paper = (SubgraphInfoMax(recipe=r, **alike).fit(mutag) for r in ("best", "paper"))
    for name, value in paper.model_.state_dict().items():
        assert torch.equal(best.model_.state_dict()[name], value), name
    untrained = SubgraphInfoMax(recipe="best", **SMALL | {"epochs": 0}).fit(mutag)
    assert not np.allclose(untrained.transform(mutag), best.transform(mutag), atol=1e-3)


def test_every_kept_epoch_has_directions_of_its_own(mutag, tmp_path):
    model = SubgraphInfoMax(snapshot_every=1, **SMALL)
    model.fit_run(mutag, tmp_path / "run")
    vectors = {epoch: load_run(tmp_path / "run", epoch).transform(mutag) for epoch in (0, 1, 2)}
    np.testing.assert_array_equal(load_run(tmp_path / "run").transform(mutag), model.transform(mutag))
    np.testing.assert_allclose(vectors[2], model.transform(mutag), atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)
    weight = sum(BEST.values()) - BEST["numbers"]  # which MUTAG has none of
    for found in vectors.values():  # the share of the variance that 128 directions keep, of all weights
        assert 0.9 * weight < found.astype(np.float64).var(axis=0).sum() <= weight + 1e-4


@pytest.mark.parametrize(("every", "times"), [(0, 2), (1, 3), (2, 2)])
def test_directions_are_learned_once_for_weights_that_are_kept(mutag, tmp_path, monkeypatch, every, times):
    learned, learn = [], MainDirections.learn
    monkeypatch.setattr(MainDirections, "learn", lambda self, *parts: learned.append(learn(self, *parts)))
    SubgraphInfoMax(**SMALL, snapshot_every=every).fit_run(mutag, tmp_path / "run")
    assert len(learned) == times  # before the first step, and after each of these epochs or the last


def test_a_run_that_names_no_recipe_is_the_paper_s(mutag, tmp_path):
    model = SubgraphInfoMax(recipe="paper", **SMALL)
    model.fit_run(mutag, tmp_path / "run")
    config = tmp_path / "run" / "config.toml"
    config.write_text(re.sub(r'recipe = "paper"\n', "", config.read_text()))
    assert "recipe" not in config.read_text()
    loaded = load_run(tmp_path / "run")
    assert loaded.recipe == "paper"
    np.testing.assert_array_equal(loaded.transform(mutag), model.transform(mutag))
    more = SubgraphInfoMax(recipe="paper", **SMALL | {"epochs": 3})
    more.fit_run(mutag, tmp_path / "run", resume=True)
    assert len(more.history_) == 3


def test_numbers_alone_and_graphs_without_edges():
    random = np.random.default_rng(0)
    nodes = np.array([1, 2, 3, 4, 5, 6])
    numbers = random.normal(size=(21, 3)).astype(np.float32)
    schema = Schema(node=(Column("position", (), 3),))
    edges = np.zeros((0, 2), np.int64)
    store = GraphStore.from_arrays(nodes, edges, schema=schema, node_values=numbers)
    model = SubgraphInfoMax(**SMALL).fit(store)
    vectors = model.transform(store)
    assert np.isfinite(vectors).all()
    assert len(np.unique(vectors.round(4), axis=0)) == 6  # by their sizes, and by their numbers


def test_graphs_that_are_all_equal_have_the_same_vector():
    model = SubgraphInfoMax(**SMALL).fit([nx.path_graph(4)] * 6)
    assert not model.transform([nx.path_graph(4), nx.cycle_graph(5)]).any()  # nothing was seen to differ


def test_attributes_that_overflow_are_refused_with_a_sentence():
    """The sum over thirty nodes is beyond the largest number."""
    numbers = np.full((60, 1), 3e38, np.float32)
    schema, edges = Schema(node=(Column("x", (), 1),)), np.zeros((0, 2), np.int64)
    store = GraphStore.from_arrays(np.array([30, 30]), edges, schema=schema, node_values=numbers)
    with pytest.raises(PartwholeError, match="attributes are too large; scale them down"):
        SubgraphInfoMax(epochs=0).fit(store)


def test_a_start_from_a_run_of_another_recipe(mutag, tmp_path):
    first = SubgraphInfoMax(**SMALL)
    first.fit_run(mutag, tmp_path / "run")
    then = SubgraphInfoMax(recipe="paper", start_from=str(tmp_path / "run"), **SMALL | {"epochs": 0}).fit(
        mutag
    )
    weights = then.model_.state_dict()
    for name, value in weights.items():
        assert torch.equal(first.model_.state_dict()[name], value), name


@pytest.mark.slow
def test_command_line(tmp_path):
    out = str(tmp_path / "run")
    assert run("fit", "MUTAG", "--out", out, "--epochs", "1").returncode == 0
    assert 'recipe = "best"' in (tmp_path / "run" / "config.toml").read_text()
    other = run("fit", "MUTAG", "--out", out, "--resume", "--recipe", "paper")
    assert other.returncode == 2
    assert "The run was started with recipe = 'best', not 'paper'" in other.stderr
    labels = run("fit", "MUTAG", "--out", str(tmp_path / "b"), "--target", "label", "--recipe", "best")
    assert labels.returncode == 2
    assert "recipe" in labels.stderr


def test_an_unknown_recipe_is_named(mutag):
    with pytest.raises(PartwholeError, match="recipe cannot be 'beste'"):
        SubgraphInfoMax(recipe="beste").fit(mutag)
