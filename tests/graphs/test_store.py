"""The packed store against plain loops over the same graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from partwhole import Graph, GraphStore, PartwholeError
from partwhole.graphs.csr import concatenated_ranges
from partwhole.graphs.schema import Column, Schema


def neighbors(store: GraphStore, i: int) -> list[set[int]]:
    graph = store[i]
    sets: list[set[int]] = [set() for _ in range(graph.num_nodes)]
    for a, b in graph.edges.tolist():
        sets[a].add(b)
    return sets


def test_repeated_and_one_way_edges_become_symmetric_and_single():
    edges = np.array([(0, 1), (1, 0), (0, 1), (2, 1), (2, 2)])
    store = GraphStore.from_graphs([Graph(num_nodes=4, edges=edges)])
    assert store.edge_ptr.tolist() == [0, 1, 3, 5, 5]
    assert store.neighbor.tolist() == [1, 0, 2, 1, 2]
    assert store.num_edges.tolist() == [3]  # the self-loop counts once


def test_edge_attributes_follow_their_direction():
    schema = Schema(edge=(Column.numeric("w"),))
    edges, values = np.array([(0, 1), (1, 2), (2, 1)]), np.array([[5.0], [6.0], [7.0]])
    store = GraphStore.from_graphs([Graph(num_nodes=3, edges=edges, edge_values=values, schema=schema)])
    entries = {tuple(e): float(w) for e, w in zip(store[0].edges.tolist(), store[0].edge_values[:, 0])}
    assert entries == {(0, 1): 5.0, (1, 0): 5.0, (1, 2): 6.0, (2, 1): 7.0}


def test_concatenated_ranges():
    assert concatenated_ranges(np.array([4, 0, 9]), np.array([2, 0, 3])).tolist() == [4, 5, 9, 10, 11]


@pytest.mark.parametrize("index", [[3], [5, 0, 5, 2], list(range(16))])
def test_a_batch_holds_the_graphs_asked_for_in_order(zoo, index):
    batch = zoo.batch(np.array(index))
    assert batch.num_graphs == len(index)
    assert batch.node_ptr.diff().tolist() == [zoo[i].num_nodes for i in index]
    for place, i in enumerate(index):
        first = int(batch.node_ptr[place])
        expected = neighbors(zoo, i)
        for v, wanted in enumerate(expected):
            row = batch.neighbor[batch.edge_ptr[first + v] : batch.edge_ptr[first + v + 1]]
            assert set((row - first).tolist()) == wanted
        graph, rows = zoo[i], slice(first, first + zoo[i].num_nodes)
        one_hot = np.eye(3)[graph.node_codes[:, 0]]
        encoded = np.concatenate([one_hot, graph.node_values], axis=1)
        np.testing.assert_array_equal(batch.inputs.attributes["node"][rows].numpy(), encoded)


def test_edge_attributes_of_a_batch_stand_beside_their_neighbors(zoo):
    index = [4, 3, 9]
    batch = zoo.batch(np.array(index))
    expected = []
    for i in index:
        graph = zoo[i]
        expected.append(np.concatenate([np.eye(2)[graph.edge_codes[:, 0]], graph.edge_values], axis=1))
    np.testing.assert_array_equal(batch.inputs.edge_attributes.numpy(), np.concatenate(expected))


def test_take_equals_building_from_the_graphs(zoo):
    picked = zoo[[7, 1, 7]]
    rebuilt = GraphStore.from_graphs([zoo[7], zoo[1], zoo[7]])
    assert picked.digest() == rebuilt.digest()
    assert zoo[-1].num_nodes == zoo[15].num_nodes
    assert len(zoo[2:5]) == 3
    assert len(zoo[zoo.num_nodes > 5]) == int((zoo.num_nodes > 5).sum())


def test_saved_and_memory_mapped_without_a_copy(zoo, tmp_path):
    zoo.save(tmp_path / "zoo")
    opened = GraphStore.open(tmp_path / "zoo")
    assert opened.digest() == zoo.digest()
    assert opened.schema == zoo.schema
    assert opened.name == "zoo"
    assert isinstance(opened.neighbor, np.memmap)
    assert opened.labels.tolist() == zoo.labels.tolist()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["zoo"]  # nothing temporary stays


def test_a_store_cut_short_is_refused(zoo, tmp_path):
    zoo.save(tmp_path / "zoo")
    content = (tmp_path / "zoo" / "neighbor.npy").read_bytes()
    (tmp_path / "zoo" / "neighbor.npy").write_bytes(content[:-8])
    with pytest.raises(PartwholeError, match="not a whole graph store"):
        GraphStore.open(tmp_path / "zoo")


def test_saving_does_not_replace_a_folder_that_is_no_store(zoo, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("years of work")
    with pytest.raises(PartwholeError, match="not a graph store"):
        zoo.save(tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter").read_text() == "years of work"


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph(num_nodes=2, edges=np.array([(0, 2)])), "edge to node 2"),
        (Graph(num_nodes=2, edges=np.array([(-1, 1)])), "edge to node -1"),
        (
            Graph(
                num_nodes=1,
                edges=np.zeros((0, 2), int),
                node_values=np.array([[np.nan]]),
                schema=Schema(node=(Column.numeric("x"),)),
            ),
            "NaN or infinite",
        ),
    ],
)
def test_bad_graphs_are_refused(graph, message):
    with pytest.raises(PartwholeError, match=message):
        GraphStore.from_graphs([graph])


def test_category_codes_must_be_listed():
    schema = Schema(node=(Column.categorical("kind", ["a", "b"]),))
    codes = np.array([[0], [2]], np.int16)
    with pytest.raises(PartwholeError, match="does not list"):
        GraphStore.from_graphs(
            [Graph(num_nodes=2, edges=np.zeros((0, 2), int), node_codes=codes, schema=schema)]
        )


def test_missing_labels_are_said(zoo):
    targets = zoo.targets.copy()
    targets[3] = np.nan
    partly = replace(zoo, targets=targets)
    assert zoo.has_labels
    assert not partly.has_labels
    with pytest.raises(PartwholeError, match="1 of 16 graphs"):
        _ = partly.labels


def test_an_edge_across_graphs_is_refused():
    with pytest.raises(PartwholeError, match="within one graph"):
        GraphStore.from_arrays(np.array([2, 2]), np.array([(0, 1), (1, 2)]))


def test_graphs_of_different_widths_are_refused():
    def graph(width):
        schema = Schema(node=(Column.numeric("x", width),))
        return Graph(num_nodes=1, edges=np.zeros((0, 2), int), node_values=np.ones((1, width)), schema=schema)

    with pytest.raises(PartwholeError, match="give graphs with the same attributes"):
        GraphStore.from_graphs([graph(2), graph(3)])


def test_a_store_is_told_in_a_line_and_in_a_small_table(mutag, zoo):
    attributes = "node: atom (7 categories); edge: bond (4 categories); targets: label (2 classes)"
    assert repr(mutag) == f"GraphStore('MUTAG': 188 graphs, 3371 nodes, 3721 edges; {attributes})"
    assert "node: kind (3 categories), x (2 numbers)" in repr(zoo)
    nothing = GraphStore.from_arrays(np.array([1]), np.array([[0, 0]]), name="<b>")
    assert repr(nothing) == "GraphStore('<b>': 1 graph, 1 node, 1 edge)"
    assert nothing._repr_html_() == "<p><b>GraphStore</b> &lt;b&gt;: 1 graph, 1 node, 1 edge</p>"
    assert "<td>atom</td><td>7 categories: C, N, O, F, I, Cl, Br</td>" in mutag._repr_html_()


def test_a_store_with_many_columns_is_told_in_a_few_words(mutag):
    columns = tuple(Column.numeric(f"property{k}") for k in range(590))
    many = replace(mutag, schema=replace(mutag.schema, targets=columns), targets=np.zeros((188, 590)))
    assert repr(many).endswith("property4 (1 number) and 585 more)")
    assert len(repr(many)) < 300
    assert "and 578 more" in many._repr_html_()
    with pytest.raises(
        PartwholeError, match=r"no target 'xyz'. Known: property0, .*, property4 and 585 more\.$"
    ):
        many.target("xyz")
    with pytest.raises(PartwholeError, match="Did you mean 'property12'"):
        many.target("propety12")
