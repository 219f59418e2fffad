"""Types of parts: what they agree with, that they are the same for every order, and what they refuse."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_mutual_info_score as agreement

from partwhole import (
    SubgraphInfoMax,
    load_graphs,
    load_run,
    make_ba2motif_graphs,
    make_motif_graphs,
    make_planted_graphs,
)
from partwhole.errors import PartwholeError
from partwhole.parts.describing import describe, parts_as_graphs, shape_of
from partwhole.parts.going_with import goes_with
from partwhole.parts.merging import JOINED, even_merges, groups_after, merges
from partwhole.parts.vocabulary import Vocabulary
from partwhole.parts.voting import voted
from partwhole.runs.folder import RunFolder


def in_use(types: np.ndarray) -> float:
    share = np.unique(types, return_counts=True)[1] / len(types)
    return float(2 ** -(share * np.log2(share)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_motif_is_a_type(seed):
    """In a tree with a cycle or a house tied on, the motif is the 2-core."""
    graphs = make_motif_graphs(random_state=seed)
    vocabulary = Vocabulary.of(graphs, random_state=seed)
    assert agreement(graphs.marks, vocabulary.merged(4).types_of(graphs)) > 0.6
    assert agreement(graphs.marks, vocabulary.merged(2).types_of(graphs)) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(2))
def test_several_motifs_are_types_of_their_own(seed):
    """Nodes of degree two in a cycle, a house and the corner of a grid are told apart by the net around."""
    graphs = make_planted_graphs(random_state=seed)
    assert agreement(graphs.marks, Vocabulary.of(graphs, types=8).types_of(graphs)) > 0.65


def test_a_cycle_and_a_house_are_types_of_their_own():
    graphs = make_ba2motif_graphs(200)
    vocabulary = Vocabulary.of(graphs)
    kind = graphs.marks * (1 + np.repeat(graphs.labels == "house", graphs.num_nodes))
    assert vocabulary.number == 3
    assert agreement(kind, vocabulary.types_of(graphs)) == pytest.approx(1)


EIGHT = ["MUTAG", "PTC_MR", "IMDB-BINARY", "IMDB-MULTI", "PROTEINS", "NCI1"]


@pytest.mark.parametrize("data", [*EIGHT, "REDDIT-BINARY", "REDDIT-MULTI-5K", "ESOL"])
def test_exactly_four_types_are_used_evenly(data, dataset):
    store = dataset(data)
    vocabulary = Vocabulary.of(store, types=4, exactly=True)
    assert vocabulary.number == 4
    assert in_use(vocabulary.types_of(store)) > 3


def test_exactly_so_many_types_where_fewer_tell_more():
    graphs = make_motif_graphs()
    assert Vocabulary.of(graphs).number < 4
    vocabulary = Vocabulary.of(graphs, types=4, exactly=True)
    assert len(np.unique(vocabulary.types_of(graphs))) == vocabulary.number == 4
    assert vocabulary.merged(2).number == 2
    alike = load_graphs([nx.cycle_graph(5)] * 3)
    assert Vocabulary.of(alike, types=4, exactly=True).number == 1  # nothing tells the nodes apart


def test_leaves_of_threads_are_told_apart_by_their_neighbours(dataset):
    """Two thirds of the nodes have one neighbour and nothing else: one cell would hold them all."""
    store = dataset("REDDIT-BINARY")[::20]
    vocabulary = Vocabulary.of(store)
    assert vocabulary.cells.divided >= 0
    assert in_use(vocabulary.merged(4).types_of(store)) > 3


def test_even_mergers_give_way_to_evenness():
    """Four cells in a chain of neighbours and one alone: modularity makes one large group of the chain."""
    joined = np.diag([30.0, 30, 30, 0], 1) + np.diag([30.0, 30, 30, 0], -1) + np.diag([0, 0, 0, 0, 90])
    sizes = np.array([25, 25, 25, 25, 10])
    freely = groups_after(merges(joined, sizes)[0], 5, 2)
    evenly = groups_after(even_merges(joined, sizes, 2), 5, 2)
    assert sorted(np.bincount(freely, sizes)) == [10, 100]
    assert sorted(np.bincount(evenly, sizes)) == [50, 60]


def slow_merges(joined: np.ndarray, sizes: np.ndarray) -> list[set[frozenset[int]]]:
    """The same mergers from the value of whole partitions."""

    def value(partition):
        ends = joined.sum(1) / joined.sum()
        inside = [joined[np.ix_(list(g), list(g))].sum() / joined.sum() for g in partition]
        evenness = [sizes[list(g)].sum() / sizes.sum() for g in partition]
        modularity = sum(i - ends[list(g)].sum() ** 2 for i, g in zip(inside, partition))
        return JOINED * modularity - sum(s * np.log(s) for s in evenness)

    partition = {frozenset([i]) for i in range(len(sizes))}
    found = [partition]
    while len(partition) > 1:
        pairs = [(a, b) for a in partition for b in partition if a != b]
        partition = max(((partition - {a, b}) | {a | b} for a, b in pairs), key=value)
        found.append(partition)
    return found


def test_mergers_are_those_of_a_slow_twin():
    random = np.random.default_rng(0)
    joined = random.integers(0, 50, (9, 9)).astype(float)
    joined, sizes = joined + joined.T, random.integers(1, 90, 9).astype(float)
    steps, gaining = merges(joined, sizes)
    slow = slow_merges(joined, sizes)
    for number in range(9, 0, -1):
        group = groups_after(steps, 9, number)
        assert {frozenset(np.flatnonzero(group == g).tolist()) for g in set(group)} == slow[9 - number]
    assert 1 <= gaining <= 9


def test_types_do_not_depend_on_the_order_of_nodes_or_graphs():
    graphs = make_motif_graphs(30)
    vocabulary = Vocabulary.of(graphs)
    order = np.random.default_rng(0).permutation(30)
    assert np.array_equal(
        np.concatenate([np.sort(t) for t in np.split(vocabulary.types_of(graphs), graphs.node_ptr[1:-1])]),
        np.concatenate([np.sort(vocabulary.types_of(graphs[i : i + 1])) for i in range(30)]),
    )
    again = Vocabulary.of(graphs.take(order))
    own, other = vocabulary.counts(graphs)[order], again.counts(graphs.take(order))
    assert sorted(map(tuple, own.T)) == sorted(map(tuple, other.T))


def test_parts_are_the_connected_pieces_of_a_type():
    graphs = make_motif_graphs(10)
    vocabulary = Vocabulary.of(graphs)
    types, parts = vocabulary.types_of(graphs), vocabulary.parts_of(graphs)
    pieces = set()
    for i, (own, start) in enumerate(zip(np.split(types, graphs.node_ptr[1:-1]), graphs.node_ptr)):
        whole = nx.Graph(np.asarray(graphs[i].edges).tolist())
        whole.add_nodes_from(range(len(own)))
        for kind in set(own.tolist()):
            same = whole.subgraph(np.flatnonzero(own == kind).tolist())
            pieces |= {(i, kind, tuple(sorted(piece))) for piece in nx.connected_components(same)}
        assert start == graphs.node_ptr[i]
    nodes = [tuple(n.tolist()) for n in parts.nodes(graphs)]
    assert set(zip(parts.graph.tolist(), parts.type.tolist(), nodes)) == pieces
    assert parts_as_graphs(graphs, parts).num_nodes.tolist() == parts.size.tolist()
    chosen = parts_as_graphs(graphs, parts, np.array([5, 2]))
    assert chosen.num_nodes.tolist() == parts.size[[5, 2]].tolist()


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        (nx.empty_graph(1), "single node"),
        (nx.path_graph(2), "pair"),
        (nx.path_graph(5), "chain"),
        (nx.star_graph(4), "star"),
        (nx.balanced_tree(2, 2), "tree"),
        (nx.cycle_graph(5), "cycle"),
        (nx.complete_graph(3), "triangle"),
        (nx.complete_graph(6), "clique"),
        (nx.wheel_graph(6), "dense core"),
        (nx.grid_2d_graph(5, 5), "net"),
    ],
)
def test_shapes(graph, shape):
    assert shape_of(load_graphs([nx.convert_node_labels_to_integers(graph)])[0]) == shape


def test_functional_groups_are_named():
    smiles = ["Cc1c([N+](=O)[O-])cc([N+](=O)[O-])cc1[N+](=O)[O-]", "Clc1ccccc1", "CCCCO", "CC(=O)O"] * 5
    smiles += ["CCCCl", "ClCCCl"] * 5
    store = load_graphs(smiles)
    told = describe(Vocabulary.of(store), store)
    assert {"nitro", "benzene ring", "chlorine"} <= {row.name for row in told}
    assert sum(row.nodes for row in told) == pytest.approx(1)


def test_what_goes_with_a_class_is_found():
    graphs = make_motif_graphs()
    random = np.random.default_rng(0)
    counts = np.stack([random.poisson(3, 200), (graphs.labels == "house") + random.poisson(0.2, 200)], axis=1)
    first, second = goes_with(counts, graphs.labels, is_number=False)
    assert (first.type, second.type) == (1, 0)
    assert first.corrected < 1e-6 < 0.01 < second.corrected
    assert first.means["house"] > first.means["cycle"]
    rising = goes_with(counts, counts[:, 0] * 2.0, is_number=True)[0]
    assert (rising.type, rising.effect) == (0, pytest.approx(1))
    with pytest.raises(PartwholeError, match="same value"):
        goes_with(counts, np.ones(200), is_number=True)


def test_a_run_keeps_its_vocabulary(tmp_path):
    graphs = make_motif_graphs(20)
    model = SubgraphInfoMax(epochs=1, hidden=4, layers=2).fit(graphs)
    model.save(tmp_path / "run")
    again = load_run(tmp_path / "run")
    for own, other in zip(model.part_types(graphs), again.part_types(graphs)):
        assert np.array_equal(own, other)
    RunFolder(tmp_path / "run").vocabulary_file.write_bytes(b"not a vocabulary")
    with pytest.raises(PartwholeError, match="damaged"):
        load_run(tmp_path / "run")


def test_unusual_graphs():
    """One node, no edges, and graphs unlike those that were learned from."""
    single = load_graphs([nx.empty_graph(1), nx.empty_graph(3)])
    assert Vocabulary.of(single).number == 1
    assert Vocabulary.of(single).parts_of(single).size.tolist() == [1, 1, 1, 1]
    vocabulary = Vocabulary.of(make_motif_graphs(10), types=64)
    assert vocabulary.types_of(single).max() < vocabulary.number
    with pytest.raises(PartwholeError, match="at least one type"):
        Vocabulary.of(single, types=0)
    with pytest.raises(PartwholeError, match="at least one type"):
        vocabulary.merged(0)


def test_graphs_smaller_than_the_number_of_types():
    """A generator asks for four parts of graphs with two nodes."""
    pairs = load_graphs([nx.path_graph(2), nx.path_graph(3), nx.empty_graph(1)])
    vocabulary = Vocabulary.of(pairs, types=4, exactly=True)
    types = vocabulary.types_of(pairs)
    assert len(types) == 6
    assert len(np.unique(types)) == vocabulary.number == 4  # alone, of a pair, end, middle
    assert vocabulary.counts(pairs).sum(axis=1).tolist() == [1, 3, 1]


def test_a_vocabulary_larger_than_the_number_of_parts():
    """It has as many types as there are different nodes, and counts of absent types are 0."""
    one = load_graphs([nx.star_graph(3)])
    vocabulary = Vocabulary.of(one, types=1000, exactly=True)
    assert vocabulary.number == 2
    many = Vocabulary.of(make_motif_graphs(50), types=1000, exactly=True)
    counts = many.counts(one)
    assert counts.shape == (1, many.number)
    assert (counts > 0).sum() < many.number
    assert counts.sum() == len(many.parts_of(one))


@pytest.mark.parametrize("make", [nx.path_graph, nx.star_graph, lambda n: nx.barabasi_albert_graph(n, 2, 0)])
def test_a_graph_of_100_000_nodes(make):
    large = load_graphs([make(100_000)])
    vocabulary = Vocabulary.of(large)
    parts = vocabulary.parts_of(large)
    assert parts.size.sum() == large.num_nodes.sum()
    assert parts.type.max() < vocabulary.number


def test_no_graph_and_no_node_are_refused():
    empty = load_graphs([nx.path_graph(3)])[:0]
    with pytest.raises(PartwholeError, match="without nodes"):
        Vocabulary.of(empty)
    assert len(Vocabulary.of(make_motif_graphs(4)).types_of(empty)) == 0


def test_of_large_collections_some_graphs_are_looked_at(monkeypatch):
    graphs = make_motif_graphs(40)
    whole = Vocabulary.of(graphs)
    monkeypatch.setattr("partwhole.parts.vocabulary.MOST_NODES", 300)
    some = Vocabulary.of(graphs)
    assert some.cells.mean.tolist() != whole.cells.mean.tolist()
    assert agreement(whole.types_of(graphs), some.types_of(graphs)) > 0.6


def slow_votes(types, neighbors, together, share):
    """One round after the other, in plain loops."""
    for _ in range(6):
        new = []
        for node, own in enumerate(types):
            votes = [0.8 * (k == own) for k in range(len(share))]
            for k in range(len(share)):
                if together[k] > 0.5:
                    votes[k] += sum(types[n] == k for n in neighbors[node]) + 0.4 * math.log(share[k])
            new.append(votes.index(max(votes)))
        types = new
    return types


def test_votes_are_those_of_plain_loops():
    random = np.random.default_rng(0)
    edges = np.triu(random.random((30, 30)) < 0.1, 1)
    edges = edges | edges.T
    types, together, share = random.integers(0, 3, 30), np.array([0.9, 0.6, 0.3]), np.array([0.5, 0.2, 0.3])
    found = voted(types, csr_array(edges.astype(float)), together, share)
    neighbors = [np.flatnonzero(row) for row in edges]
    assert found.tolist() == slow_votes(types.tolist(), neighbors, together, share)
    assert (found != types).any()


def test_a_node_that_a_random_edge_changed_goes_with_its_neighbours():
    """And a hub stays a hub, whose neighbours are all of another type."""
    clean = make_planted_graphs(60, random_state=7)
    vocabulary = Vocabulary.of(clean, 8)
    noisy = make_planted_graphs(60, extra_edges=0.1, random_state=7)
    alone = groups_after(list(vocabulary.steps), len(vocabulary.cells), vocabulary.number)
    with_votes = agreement(noisy.marks, vocabulary.types_of(noisy))
    without = agreement(noisy.marks, alone[vocabulary.cells(noisy)])
    assert with_votes > without + 0.05
    star = csr_array(nx.to_scipy_sparse_array(nx.star_graph(9), dtype=float))
    hub_and_leaves = np.array([0] + [1] * 9)
    apart = voted(hub_and_leaves, star, np.array([0.0, 0.0]), np.array([0.1, 0.9]))
    assert apart.tolist() == hub_and_leaves.tolist()
