"""Graphs in: real files, real objects, and what is wrong with bad ones."""

from __future__ import annotations

import gzip
import http.server
import threading
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from pyarrow import csv as csv_reader
from pyarrow import parquet

from partwhole import (
    GraphStore,
    PartwholeError,
    SubgraphInfoMax,
    load_graphs,
    make_ba2motif_graphs,
    make_motif_graphs,
    make_planted_graphs,
)
from partwhole.errors import DataUnavailable
from partwhole.graphs.schema import NO_CATEGORY, Column
from partwhole.reproduce.table1 import PAPER, statistics
from partwhole.sources.datasets import catalogue
from partwhole.sources.readers import molecules
from partwhole.sources.readers.tu import read_tu
from partwhole.structure.base import with_structure

# ---------------------------------------------------------------- TU sets


@pytest.mark.parametrize("name", list(catalogue.DATASETS))
def test_known_sets_have_their_known_content(dataset, name):
    store = dataset(name)
    assert len(store) == catalogue.DATASETS[name].graphs
    assert store.digest() == catalogue.DATASETS[name].digest


TABLE_1 = {  # graphs, classes, mean nodes, mean edges: as the TU site publishes them
    "MUTAG": (188, 2, 17.93, 19.79),
    "PTC_MR": (344, 2, 14.29, 14.69),
    "IMDB-BINARY": (1000, 2, 19.77, 96.53),
    "IMDB-MULTI": (1500, 3, 13.00, 65.94),
    "REDDIT-BINARY": (2000, 2, 429.63, 497.75),
    "REDDIT-MULTI-5K": (4999, 5, 508.52, 594.87),
}


@pytest.mark.parametrize("name", list(PAPER))
def test_table_1(dataset, name):
    dataset(name)
    rows, absent = statistics([name])
    assert absent == []
    assert tuple(round(v, 2) for v in rows[name].values()) == TABLE_1[name]


def test_mutag_keeps_its_labels_and_chemistry(mutag):
    assert mutag.labels[:5].tolist() == [1, -1, -1, 1, -1]
    assert np.unique(mutag.labels, return_counts=True)[1].tolist() == [63, 125]
    assert mutag.schema.node[0].values == ("C", "N", "O", "F", "I", "Cl", "Br")
    assert mutag.schema.edge[0].values == ("aromatic", "single", "double", "triple")
    first = mutag[0]
    symbols = [mutag.schema.node[0].values[c] for c in first.node_codes[:, 0]]
    assert sorted(symbols) == ["C"] * 14 + ["N"] + ["O"] * 2  # a nitrated aromatic


def test_mutag_works_from_the_grakel_wheel_alone(mutag, monkeypatch, tmp_path):
    monkeypatch.setenv("PARTWHOLE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "grakel" in str(catalogue.find("MUTAG"))
    assert load_graphs("mutag").digest() == mutag.digest()


def write_tu(folder: Path, name: str = "TOY", **files: str) -> Path:
    """A triangle and a lone edge, with each edge listed four times as the IMDB sets do."""
    content = {
        "A": "1, 2\n2, 1\n2, 1\n1, 2\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n",
        "graph_indicator": "1\n1\n1\n2\n2\n",
        "graph_labels": "7\n-3\n",
        "node_labels": "4\n4\n9\n4\n9\n",
        "node_attributes": "0.5, 1\n0, 0\n1, 2\n-1, 0\n3, 3\n",
    } | files
    folder.mkdir(exist_ok=True)
    for suffix, text in content.items():
        if text is not None:
            (folder / f"{name}_{suffix}.txt").write_text(text)
    return folder


def zipped(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"{folder.name}/{file.name}")
    return path


def test_a_tu_folder_and_its_zip_are_the_same(tmp_path):
    folder = write_tu(tmp_path / "TOY")
    store = load_graphs(folder)
    assert load_graphs(str(zipped(folder))).digest() == store.digest()
    assert store.num_nodes.tolist() == [3, 2]
    assert store.num_edges.tolist() == [3, 1]
    assert store.labels.tolist() == [7, -3]
    assert store.schema.node_width == 2 + 2
    assert store.node_codes[:, 0].tolist() == [0, 0, 1, 0, 1]
    assert store[0].node_values.tolist() == [[0.5, 1], [0, 0], [1, 2]]


def test_nodes_of_a_graph_need_not_stand_together(tmp_path):
    folder = write_tu(tmp_path / "TOY", A="1, 3\n2, 4\n", graph_indicator="1\n2\n1\n2\n2\n")
    store = load_graphs(folder)
    assert store.num_nodes.tolist() == [2, 3]
    assert store[1].node_values.tolist() == [[0, 0], [-1, 0], [3, 3]]
    assert store[1].edges.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"graph_indicator": None}, "has no file TOY_graph_indicator.txt"),
        ({"node_labels": "4\n4\n9\n"}, "has 3 lines where 5 belong"),
        ({"A": "1, 2\n2, 99\n"}, "line 2 joins nodes 2 and 99"),
        ({"A": "1, 2\n2, -1\n"}, "line 2 joins nodes 2 and -1"),
        ({"A": "1, 2\n3, 4\n"}, "must stay within one graph"),
        ({"A": "1, 2\n2"}, "not a table of numbers"),
        ({"A": "1, 2\n2, x\n"}, "not a table of numbers"),
        ({"graph_indicator": "0\n1\n1\n2\n2\n"}, "graph number 0; they start at 1"),
        ({"graph_labels": "7\n"}, "labels for 1; a file is cut short"),
        (
            {"node_attributes": "1, 1\n0, 0\nnan, 2\n-1, 0\n3, 3\n"},
            "TOY_node_attributes.txt has NaN or infinity in line 3",
        ),
        (
            {"node_attributes": "1, 1\n0, 0\n1, 2\n-1, inf\n3, 3\n"},
            "TOY_node_attributes.txt has NaN or infinity in line 4",
        ),
        (
            {"A": "", "graph_indicator": "", "graph_labels": "", "node_labels": "", "node_attributes": ""},
            "holds no graphs",
        ),
    ],
)
def test_damaged_tu_files(tmp_path, files, message):
    with pytest.raises(PartwholeError, match=message):
        load_graphs(write_tu(tmp_path / "TOY", **files))


def test_a_zip_cut_short(tmp_path):
    path = zipped(write_tu(tmp_path / "TOY"))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(PartwholeError, match="not a whole zip file"):
        load_graphs(path)


def test_names_paths_and_near_misses(tmp_path):
    with pytest.raises(PartwholeError, match="Did you mean 'MUTAG'"):
        load_graphs("MUTGA")
    with pytest.raises(PartwholeError, match="There is no file or folder"):
        load_graphs(tmp_path / "nothing")
    (tmp_path / "notes.pdf").write_text("?")
    with pytest.raises(PartwholeError, match="is none of"):
        load_graphs(tmp_path / "notes.pdf")
    with pytest.raises(PartwholeError, match="Cannot read graphs from a list of int"):
        load_graphs([1, 2])
    with pytest.raises(PartwholeError, match="There are no graphs"):
        load_graphs([])


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A local server of TU zips, with an empty data root and an empty cache."""
    served = tmp_path / "served"
    served.mkdir()
    handler = lambda *args: http.server.SimpleHTTPRequestHandler(*args, directory=str(served))  # noqa: E731
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PARTWHOLE_MIRROR", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("PARTWHOLE_DATA", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(catalogue.importlib.util, "find_spec", lambda name: None)  # no grakel
    yield served
    server.shutdown()
    server.server_close()


def mutag_zip(mutag: GraphStore, path: Path) -> None:
    """MUTAG written anew from the store, in one direction only: other bytes, same content."""
    lines: dict[str, list[str]] = {
        k: [] for k in ("A", "graph_indicator", "graph_labels", "node_labels", "edge_labels")
    }
    for g, graph in enumerate(mutag):
        first = int(mutag.node_ptr[g]) + 1
        for (a, b), code in zip(graph.edges.tolist(), graph.edge_codes[:, 0]):
            if a < b:
                lines["A"].append(f"{first + a}, {first + b}")
                lines["edge_labels"].append(str(code))
        lines["graph_indicator"] += [str(g + 1)] * graph.num_nodes
        lines["node_labels"] += [str(c) for c in graph.node_codes[:, 0]]
        lines["graph_labels"].append(str(mutag.labels[g]))
    with zipfile.ZipFile(path, "w") as archive:
        for suffix, rows in lines.items():
            archive.writestr(f"MUTAG/MUTAG_{suffix}.txt", "\n".join(rows) + "\n")


def test_download_is_checked_and_cached(mutag, mirror):
    mutag_zip(mutag, mirror / "MUTAG.zip")
    assert load_graphs("MUTAG").digest() == mutag.digest()
    (mirror / "MUTAG.zip").unlink()
    assert load_graphs("MUTAG").digest() == mutag.digest()  # from the cache now


def test_an_altered_download_is_refused_and_not_kept(mutag, mirror, tmp_path):
    mutag_zip(mutag[:187], mirror / "MUTAG.zip")
    with pytest.raises(PartwholeError, match="is not that of MUTAG"):
        load_graphs("MUTAG")
    assert list((tmp_path / "cache").rglob("*.zip")) == []


def test_an_absent_set_says_what_to_do(mirror):
    with pytest.raises(DataUnavailable, match="set PARTWHOLE_DATA"):
        load_graphs("PTC_MR")


# ---------------------------------------------------------------- objects in memory


def test_networkx_graphs_with_attributes_of_all_kinds():
    a = nx.Graph(label="red")
    a.add_node("x", atom="C", charge=0.5, ring=True)
    a.add_node(("odd", 3), atom="N", charge=-1, ring=False)
    a.add_edge("x", ("odd", 3), order=2)
    b = nx.DiGraph(label="blue")
    b.add_node(10, atom="C", charge=1.5, ring=False)
    with pytest.warns(UserWarning, match="1 of 2 graphs are directed"):
        store = load_graphs([a, b])
    assert [c.name for c in store.schema.node] == ["atom", "charge", "ring"]
    assert store.schema.node[0].values == ("C", "N")
    assert store.num_nodes.tolist() == [2, 1]
    assert store.labels.tolist() == ["red", "blue"]
    encoded = store.batch(np.array([0])).inputs.attributes["node"]
    charges = [0.162221, -1.297771]  # 0.5 and -1, by the mean 1/3 and the spread 1.027402 of all three
    want = [[1, 0, charges[0], 0, 1], [0, 1, charges[1], 1, 0]]  # C, N, charge, False, True
    np.testing.assert_allclose(encoded, want, rtol=1e-5)


def test_networkx_schema_is_enforced_when_embedding():
    def graph(*atoms, **extra):
        g = nx.path_graph(len(atoms))
        for v, atom in enumerate(atoms):
            g.nodes[v].update(atom=atom, **extra)
        return g

    model = SubgraphInfoMax(hidden=4, layers=1, epochs=1).fit([graph("C", "N"), graph("N", "N", "C")])
    assert model.transform([graph("C")]).shape == (1, 4)  # codes of the fit, though N is absent
    with pytest.raises(PartwholeError, match="the value O, which the model never saw; it knows C, N"):
        model.transform([graph("C", "O")])
    with pytest.raises(PartwholeError, match="have no attribute 'atom'"):
        model.transform([nx.path_graph(2)])
    with pytest.warns(UserWarning, match="never saw the node attribute unused; it is not used"):
        more = model.transform([graph("C", "N", unused=1)])
    np.testing.assert_array_equal(model.transform([graph("C", "N")]), more)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"x": 1.0}, {"x": "a"}, "neither a number nor text"),
        ({"x": [1.0, 2.0]}, {"x": [1.0]}, "1 wide in one place and 2 in another"),
        ({"x": 1.0}, {"x": float("inf")}, "NaN or infinite"),
    ],
)
def test_bad_networkx_attributes(first, second, message):
    graphs = []
    for attributes in (first, second):
        graph = nx.Graph()
        graph.add_node(0, **attributes)
        graphs.append(graph)
    with pytest.raises(PartwholeError, match=message):
        load_graphs(graphs)


def test_pyg_data():
    from torch_geometric.data import Data

    def data(nodes, width=3, y=1):
        index = torch.stack([torch.arange(nodes - 1), torch.arange(1, nodes)])
        return Data(
            x=torch.randn(nodes, width),
            edge_index=index,
            edge_attr=torch.ones(nodes - 1, 2),
            y=torch.tensor([y]),
        )

    store = load_graphs([data(4, y=5), data(3, y=9)])
    assert store.num_edges.tolist() == [3, 2]  # made symmetric
    assert store.labels.tolist() == [5, 9]
    assert (store.schema.node_width, store.schema.edge_width) == (3, 2)
    with pytest.raises(PartwholeError, match="of graph 0 is 3 wide and that of graph 1 is 4 wide"):
        load_graphs([data(4), data(4, width=4)])
    broken = data(4)
    broken.edge_index[1, 0] = 7
    with pytest.raises(PartwholeError, match="Graph 1 has an edge to node 7 but only nodes 0 to 3"):
        load_graphs([data(4), broken])
    bare = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(PartwholeError, match="Graph 1 has no x but graph 0 has"):
        load_graphs([data(2), bare])
    assert load_graphs([bare, bare]).schema.node == ()
    model = SubgraphInfoMax(hidden=4, layers=1, epochs=1).fit([data(4), data(3), data(5)])
    single = Data(x=torch.ones(1, 3), edge_index=torch.zeros(2, 0, dtype=torch.long))
    assert model.transform([single]).shape == (1, 4)  # no edge says how wide edges are; the model knows


def test_pyg_and_tu_readers_agree_on_mutag(mutag):
    from torch_geometric.data import Data

    items = []
    for graph in mutag[:20]:
        batch = mutag[:20]  # same one-hot columns
        x = np.eye(7, dtype=np.float32)[graph.node_codes[:, 0]]
        e = np.eye(4, dtype=np.float32)[graph.edge_codes[:, 0]]
        items.append(
            Data(x=torch.tensor(x), edge_index=torch.tensor(graph.edges.T), edge_attr=torch.tensor(e))
        )
    ours, theirs = batch.batch(np.arange(20)), load_graphs(items).batch(np.arange(20))
    assert torch.equal(ours.neighbor, theirs.neighbor)
    assert torch.equal(ours.inputs.attributes["node"], theirs.inputs.attributes["node"])
    assert torch.equal(ours.inputs.edge_attributes, theirs.inputs.edge_attributes)


def one_hot_items(store):
    """PyTorch Geometric's idea of a set with categories."""
    from torch_geometric.data import Data

    def one_hot(codes, width):
        return torch.eye(width)[torch.from_numpy(codes[:, 0].astype(np.int64))]

    (node,), edge = store.schema.node, store.schema.edge
    items = []
    for graph in store:
        kinds = {"edge_attr": one_hot(graph.edge_codes, edge[0].width)} if edge else {}
        x, pairs = one_hot(graph.node_codes, node.width), torch.tensor(graph.edges.T)
        items.append(Data(x=x, edge_index=pairs, **kinds))
    return items


def test_one_hot_rows_are_what_they_stand_for(mutag):
    """The same vectors, whether atoms and bonds come as categories, as one-hot arrays or as one-hot lists."""
    from torch_geometric.utils import to_networkx

    items, small = one_hot_items(mutag), {"epochs": 1, "layers": 2, "random_state": 0}
    wanted = SubgraphInfoMax(**small).fit(mutag).transform(mutag)
    model = SubgraphInfoMax(**small).fit(items)
    assert model.schema_.node == (Column.categorical("x", range(7)),)
    assert model.schema_.edge == (Column.categorical("edge_attr", range(4)),)
    for graphs in items, load_graphs(items):
        np.testing.assert_array_equal(model.transform(graphs), wanted)
    names = {"node_attrs": ["x"], "edge_attrs": ["edge_attr"]}
    networks = [to_networkx(item, **names, to_undirected=True) for item in items[:5]]
    np.testing.assert_array_equal(model.transform(networks), wanted[:5])


def test_rows_that_are_not_one_hot_where_all_were_in_the_fit(dataset):
    items = one_hot_items(dataset("NCI1")[:30])
    model = SubgraphInfoMax(epochs=1, layers=1, hidden=8).fit(items)
    items[0].x[0] = 0
    with pytest.warns(UserWarning, match="nodes have no 'x', which counts as none of its categories"):
        assert load_graphs(items[:2], schema=model.schema_).node_codes[0] == NO_CATEGORY
    items[0].x[0, :2] = 0.5
    message = "1 of [0-9]+ nodes have a 'x' that is not one-hot, as in the fit; correct it"
    with pytest.raises(PartwholeError, match=message):
        model.transform(items[:2])
    with pytest.warns(UserWarning, match="it counts as missing"):
        store = load_graphs(items[:2], schema=model.schema_, fallback=True)
    assert store.node_codes[:, 0].tolist().count(NO_CATEGORY) == 1  # and no other node cares
    rows = [[float(k == i) for k in range(37)] for i in range(3)]
    network = nx.path_graph(3)
    nx.set_node_attributes(network, dict(enumerate([rows[0], None, rows[2]])), "x")
    with pytest.warns(UserWarning, match="1 of 3 nodes have no 'x', which counts as none of its categories"):
        assert load_graphs([network], schema=model.schema_).node_codes[:, 0].tolist() == [0, NO_CATEGORY, 2]


@pytest.mark.parametrize("values", [[[1], [1, 2]], [[1, 2], 2.0, "b"], [[1.0, 0.0], [0.0, 1.0]]])
def test_a_model_of_names_is_told_of_rows(values):
    graphs = [nx.path_graph(3) for _ in range(3)]
    for graph in graphs:
        nx.set_node_attributes(graph, dict(enumerate("aba")), "kind")
    model = SubgraphInfoMax(epochs=0, layers=1, hidden=8).fit(graphs)
    graph = nx.path_graph(len(values))
    nx.set_node_attributes(graph, dict(enumerate(values)), "kind")
    with pytest.raises(PartwholeError, match=r"'kind' (has the value|is 2 wide)"):
        model.transform([graph])


def test_one_hot_rows_and_numbers_are_the_same_to_a_network(dataset, tmp_path):
    """A run of kinds is a start for rows that stay numbers, and the other way round."""
    items = one_hot_items(dataset("NCI1")[:40])
    others = one_hot_items(dataset("NCI1")[40:60])
    others[0].x[0] = 0  # so that these are no kinds
    small = {"epochs": 1, "layers": 1, "hidden": 8}
    for first, second in (items, others), (others, items):
        start = SubgraphInfoMax(**small)
        start.fit_run(load_graphs(first), tmp_path / "run", overwrite=True)
        then = SubgraphInfoMax(start_from=str(tmp_path / "run"), **small).fit(second)
        assert start.schema_.node[0].is_categorical != then.schema_.node[0].is_categorical
        assert np.isfinite(start.transform(load_graphs(items))).all()
        assert np.isfinite(then.transform(load_graphs(items))).all()


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 1, 0], [0, 0, 1], [0, 1, 0]],  # the degree, which tells nothing new
        [[1, 0], [1, 0], [1, 0]],  # one kind
        [[1, 0], [0, 0], [0, 1]],
        [[1, 1], [1, 0], [0, 1]],
        [[1, 0], [0.5, 0.5], [0, 1]],
        [[1], [0], [0]],  # a flag
    ],
)
def test_other_rows_stay_numbers(rows):
    from torch_geometric.data import Data

    item = Data(x=torch.tensor(rows, dtype=torch.float32), edge_index=torch.tensor([[0, 1], [1, 2]]))
    assert not SubgraphInfoMax(epochs=0, layers=1, hidden=4).fit([item, item]).schema_.node[0].is_categorical


def test_smiles_to_atoms_and_bonds():
    store = load_graphs(["CCO", "c1ccccc1 ", "[Na+].[Cl-]", "C"])
    assert store.num_nodes.tolist() == [3, 6, 2, 1]
    assert store.num_edges.tolist() == [2, 6, 0, 0]
    assert store.ids.tolist() == ["CCO", "c1ccccc1 ", "[Na+].[Cl-]", "C"]

    def values(graph, part, column):
        columns = getattr(store.schema, part)
        k = [c.name for c in columns].index(column)
        return [columns[k].values[c] for c in getattr(store[graph], f"{part}_codes")[:, k]]

    assert values(0, "node", "atom") == ["C", "C", "O"]
    assert values(0, "node", "hydrogens") == ["3", "2", "1"]
    assert values(1, "node", "aromatic") == ["yes"] * 6
    assert values(1, "edge", "bond") == ["aromatic"] * 12
    assert values(2, "node", "charge") == ["1", "-1"]
    assert values(3, "node", "hybridization") == ["SP3"]


def test_rdkit_molecules_are_read_as_their_smiles():
    from rdkit import Chem

    smiles = ["C/C=C/C", "N[C@@H](C)C(=O)O"]
    assert load_graphs([Chem.MolFromSmiles(s) for s in smiles]).digest() == load_graphs(smiles).digest()


@pytest.mark.parametrize("bad", ["C1CC", "xyz", "C(C)(C)(C)(C)C", "", "  "])
def test_impossible_smiles_are_named_by_row(bad):
    with pytest.raises(PartwholeError, match=r"Molecule 1: .* correct or drop it"):
        load_graphs(["CC", bad])


def test_parsing_on_all_cores_gives_the_same(monkeypatch):
    smiles = ["CCO", "c1ccccc1", "CC(=O)N", "C#N", "O=C=O"] * 4
    once = load_graphs(smiles).digest()
    monkeypatch.setattr(molecules, "CHUNK", 6)
    assert load_graphs(smiles).digest() == once


# ---------------------------------------------------------------- synthetic graphs and structure


def test_motif_graphs_keep_the_truth():
    store = make_motif_graphs(40, random_state=5)
    assert store.labels.tolist() == ["cycle", "house"] * 20
    for graph, label in zip(store, store.labels):
        network = nx.Graph()
        network.add_nodes_from(range(graph.num_nodes))
        network.add_edges_from(graph.edges.tolist())
        motif = network.subgraph(np.flatnonzero(graph.marks == 1))
        assert nx.is_connected(network)
        assert motif.number_of_nodes() == 5
        assert motif.number_of_edges() == {"cycle": 5, "house": 6}[label]
        assert nx.is_tree(network.subgraph(np.flatnonzero(graph.marks == 0)))
    assert make_motif_graphs(40, random_state=5).digest() == store.digest()
    assert make_motif_graphs(40, random_state=6).digest() != store.digest()


def test_motif_graphs_are_those_of_the_stored_figures():
    assert make_motif_graphs().digest().startswith("417afc0acd020af2")


def test_ba2motif_graphs_are_trees_of_twenty_nodes_and_a_motif():
    store = make_ba2motif_graphs(20, random_state=1)
    assert set(store.num_nodes.tolist()) == {25}
    assert store.num_edges.tolist() == [19 + 1 + 5, 19 + 1 + 6] * 10  # tree, bridge, cycle or house
    assert [graph.marks.sum() for graph in store] == [5] * 20


def test_planted_graphs_mark_every_motif():
    names = ("cycle", "house", "clique", "grid", "star")
    store = make_planted_graphs(60, names, planted=1, sizes=(6, 6), random_state=1)
    nodes = {"cycle": 6, "house": 6, "clique": 6, "grid": 9, "star": 6}
    edges = {"cycle": 6, "house": 7, "clique": 15, "grid": 12, "star": 5}
    found = set()
    for graph in store:
        network = nx.Graph(graph.edges.tolist())
        motif = network.subgraph(np.flatnonzero(graph.marks))
        name = names[graph.marks.max() - 1]
        assert (len(motif), motif.number_of_edges()) == (nodes[name], edges[name])
        assert nx.is_tree(network.subgraph(np.flatnonzero(graph.marks == 0)))
        assert nx.is_connected(network)
        found.add(name)
    assert found == set(names)


def test_planted_graphs_have_noise_as_asked():
    plain, noisy = (make_planted_graphs(30, extra_edges=noise).num_edges.sum() for noise in (0.0, 0.2))
    assert 1.1 < noisy / plain < 1.2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"motifs": ("cycles",)}, "Did you mean 'cycle'"),
        ({"motifs": ()}, "at least one motif"),
        ({"sizes": (3, 4)}, "5 nodes"),
    ],
)
def test_planted_graphs_refuse_what_they_cannot_plant(options, told):
    with pytest.raises(PartwholeError, match=told):
        make_planted_graphs(2, **options)


def test_structure_attributes_are_those_of_networkx(dataset):
    store = with_structure(dataset("IMDB-BINARY")[:40], ["degree", "log-degree", "triangles", "core-number"])
    at = 0
    for graph in store:
        network = nx.Graph()
        network.add_nodes_from(range(graph.num_nodes))
        network.add_edges_from(graph.edges.tolist())
        rows = slice(at, at + graph.num_nodes)
        at += graph.num_nodes
        wanted = {
            "degree": dict(network.degree),
            "triangles": nx.triangles(network),
            "core-number": nx.core_number(network),
        }
        for kind, values in wanted.items():
            assert store.structure[kind][rows, 0].tolist() == [values[v] for v in range(graph.num_nodes)]
    np.testing.assert_allclose(store.structure["log-degree"], np.log1p(store.structure["degree"]), rtol=1e-6)


def test_one_hot_degrees_end_in_a_last_column():
    hub = nx.star_graph(80)  # degree 80, and 80 nodes of degree 1
    flags = with_structure(load_graphs([hub]), ["one-hot-degree"]).structure["one-hot-degree"]
    assert flags.shape == (81, 64)
    assert flags.sum() == 81
    assert flags[0, 63]
    assert flags[1:, 1].all()


def test_read_tu_keeps_a_self_loop_once(tmp_path):
    store = read_tu(write_tu(tmp_path / "TOY", A="1, 1\n1, 2\n2, 1\n"))
    assert store.num_edges.tolist() == [2, 0]


# -------------------------------------------------------------------- tables of molecules


TABLE = """name,SMILES,logS,toxic,kind,count,note
a,CCO,-0.5,1,acid,3,first
b,CCN,,0,,40,second
c,c1ccccc1,1.5,,base,50,third
d,CC,2,1,acid,60,fourth
"""


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_a_table_of_molecules_has_targets_with_gaps(tmp_path, suffix):
    path = tmp_path / f"table{suffix}"
    text = TABLE.replace(",", "\t") if suffix == ".tsv" else TABLE
    if suffix == ".csv.gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif suffix == ".parquet":
        plain = tmp_path / "plain.csv"
        plain.write_text(text)
        parquet.write_table(csv_reader.read_csv(plain), path)
    else:
        path.write_text(text)
    store = load_graphs(path)
    assert store.name == "table"
    assert store.ids.tolist() == ["a", "b", "c", "d"]
    assert store.num_nodes.tolist() == [3, 3, 6, 2]
    assert store.target("logS").tolist() == pytest.approx([-0.5, np.nan, 1.5, 2.0], nan_ok=True)
    assert store.target("toxic").tolist() == pytest.approx([1.0, 0.0, np.nan, 1.0], nan_ok=True)  # too few
    assert store.target("kind").tolist() == ["acid", None, "base", "acid"]


def test_columns_of_many_integers_are_numbers_and_names_of_rows_are_no_targets(tmp_path):
    rows = "".join(f"C{'C' * (i % 5)},{i},n{i},{i % 3}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("smiles,count,name,class\n" + rows)
    store = load_graphs(tmp_path / "t.csv")
    assert [c.name for c in store.schema.targets] == ["count", "class"]
    assert store.target("count")[:3].tolist() == [0.0, 1.0, 2.0]
    assert store.target("class")[:4].tolist() == [0, 1, 2, 0]
    gaps = "".join(f"C{'C' * (i % 5)},{['0.0', '1.0', ''][i % 3]},{i * 7}\n" for i in range(12))
    (tmp_path / "gaps.csv").write_text("smiles,toxic,ic50\n" + gaps)
    gaps_store = load_graphs(tmp_path / "gaps.csv")
    assert gaps_store.target("toxic")[:3].tolist() == [0, 1, None]  # as pandas writes 0, 1 and a gap
    assert gaps_store.target("ic50")[:2].tolist() == [0.0, 7.0]  # few, but none occurs again
    with pytest.raises(PartwholeError, match=r"no target 'clas'. Did you mean 'class'"):
        store.target("clas")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a,b\n1,2\n", "no column of SMILES among a, b"),
        ("smiles,y\nCC,1\n,2\n", "Row 3: it has no SMILES"),
        ("smiles,y\n", "has no rows"),
        ("smiles,y,y\nCC,1,2\n", "several columns 'y'"),
        ("smiles,y\nCC,1\nCC\n", "cannot be read as a table"),
        ("smiles,y\nCC,1\nC1C,2\n", "Row 3: 'C1C' is not"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, text, complaint):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(PartwholeError, match=complaint):
        load_graphs(tmp_path / "t.csv")


def test_a_table_that_is_not_there():
    with pytest.raises(PartwholeError, match="There is no file or folder nothing"):
        load_graphs("nothing.csv")
