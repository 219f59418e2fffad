"""People's own graphs, from files as they have them: every kind in `examples/`, and damaged ones."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from pyarrow import csv, parquet

from partwhole import PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.cli.output import print_table
from partwhole.export.vector_files import read_vectors
from partwhole.sources.loading import read_graphs, read_shard, shards_of
from partwhole.sources.readers import molecules
from partwhole.sources.reading import Reading
from places import EXAMPLES

MOLECULES = [f"molecules{suffix}" for suffix in (".csv", ".parquet", ".smi", ".sdf")]
SMALL = {"hidden": 8, "layers": 2, "epochs": 1, "batch_size": 8}


def pieces_of(path, reading):
    """All pieces of a file, with what there is to say about them in `reading`, and their number in all."""
    shards, total = shards_of(path, reading)
    found = []
    for shard in shards:
        piece, told = read_shard(shard, reading.again())
        reading.add(told)
        found += [piece] * (len(piece.store) > 0)
    return found, total


# ---------------------------------------------------------------- molecules


@pytest.mark.parametrize("name", MOLECULES)
def test_the_same_molecules_from_every_kind_of_file(name):
    store, first = load_graphs(EXAMPLES / name), load_graphs(EXAMPLES / "molecules.csv")
    assert store.ids.tolist() == first.ids.tolist()
    assert store.ids[1] == "ethanol"
    for column in ("node_ptr", "edge_ptr", "neighbor", "node_codes", "edge_codes"):
        np.testing.assert_array_equal(getattr(store, column), getattr(first, column))
    if not name.endswith(".smi"):
        assert [c.name for c in store.schema.targets] == ["boiling_point", "aromatic"]
        known = store.target("boiling_point")
        assert (known[1], int(np.isnan(known).sum())) == (78.3, 3)
        assert store.target("aromatic")[-1] == "yes"


def test_smiles_files_may_have_a_heading_remarks_and_no_names(tmp_path):
    text = "SMILES name\n# a remark\nCCO ethanol  of wine\n\nc1ccccc1\n"
    (tmp_path / "a.smi.gz").write_bytes(gzip.compress(text.encode()))
    assert load_graphs(tmp_path / "a.smi.gz").ids.tolist() == ["ethanol  of wine", "c1ccccc1"]


BAD_TABLE = "smiles,y\nCCO,1\nC1CC,2\n,3\nCC(C)(C)(C)C,4\nCCN,5\n"


def test_rows_that_cannot_be_read_are_told_and_left_out(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(BAD_TABLE)
    with pytest.raises(PartwholeError, match="Row 3: 'C1CC' is not valid SMILES"):  # as the file counts
        load_graphs(tmp_path / "t.csv")
    for chunk in (4096, 2):  # in this process, and on all cores
        monkeypatch.setattr(molecules, "CHUNK", chunk)
        reading = Reading(strict=False)
        store = read_graphs(tmp_path / "t.csv", reading)
        assert store.ids.tolist() == ["CCO", "CCN"]
        assert store.target("y").tolist() == [1.0, 5.0]
        assert [row for row, _ in reading.left_out] == ["row 3", "row 4", "row 5"]
        assert store.rows.tolist() == [0, 4]  # so that other values of the rows can be put beside the graphs
        assert "not a possible molecule (Explicit valence" in reading.left_out[2][1]
    with pytest.warns(UserWarning, match="3 graphs were left out; the first, row 3: 'C1CC'"):
        load_graphs(tmp_path / "t.csv", strict=False)


def test_nothing_left_is_an_error(tmp_path, partwhole):
    (tmp_path / "t.csv").write_text("smiles\nC1CC\nX\n")
    with pytest.raises(PartwholeError, match="None of 2 graphs could be read; the first, row 2: 'C1CC'"):
        load_graphs(tmp_path / "t.csv", strict=False)
    SubgraphInfoMax(**SMALL).fit_run(["CCO", "CCN"], tmp_path / "run")
    vectors = tmp_path / "v.parquet"
    printed = partwhole("embed", tmp_path / "run", tmp_path / "t.csv", "--out", vectors, code=2)
    assert "None of 2 graphs could be read" in printed.err
    assert not vectors.exists()


def test_damaged_records_of_an_sdf_file(tmp_path):
    records = (EXAMPLES / "molecules.sdf").read_text().split("$$$$\n")
    records[1] = records[1].replace(" C ", " Qq", 1)
    (tmp_path / "m.sdf").write_text("$$$$\n".join(records[:3]) + "$$$$\n")
    reading = Reading(strict=False)
    assert read_graphs(tmp_path / "m.sdf", reading).ids.tolist() == ["methanol", "1-propanol"]
    assert [row for row, _ in reading.left_out] == ["record 2"]
    (tmp_path / "empty.sdf").write_text("")
    with pytest.raises(PartwholeError, match="holds no molecules"):
        load_graphs(tmp_path / "empty.sdf")


def test_a_model_of_distances_takes_them_from_an_sdf_file():
    from partwhole.sources.readers.qm9 import SCHEMA

    few = read_graphs(EXAMPLES / "molecules.sdf", Reading(SCHEMA, strict=False))  # without Cl and S
    ethanol = few[few.ids.tolist().index("ethanol")]
    assert ethanol.num_nodes == 9  # with its hydrogens
    carbons = ethanol.edge_values[(ethanol.edges == [0, 1]).all(axis=1)]
    assert carbons[0, 0] == pytest.approx(1.52, abs=0.02)  # the length of a C-C bond, in angstroms


@pytest.mark.parametrize("suffix", ["csv", "parquet", "smi"])
def test_pieces_of_a_file_are_the_whole_file(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(molecules, "CHUNK", 7)
    for module in ("molecule_table", "smiles_file"):
        monkeypatch.setattr(f"partwhole.sources.readers.{module}.CHUNK", 7)
    path = EXAMPLES / f"molecules.{suffix}"
    whole = load_graphs(path)
    found, total = pieces_of(path, Reading(schema=whole.schema))
    assert [len(piece.store) for piece in found] == [7, 7, 7, 5]
    assert total == (26 if suffix == "parquet" else None)
    assert np.concatenate([piece.store.ids for piece in found]).tolist() == whole.ids.tolist()
    codes = np.concatenate([piece.store.node_codes for piece in found])
    np.testing.assert_array_equal(codes, whole.node_codes)
    if suffix != "smi":
        names = [name for piece in found for name in piece.table.column("name").to_pylist()]
        assert names == whole.ids.tolist()


# ---------------------------------------------------------------- networks


def alike(one, other):
    """Stores that hold the same graphs by the same ids, in any order."""
    assert sorted(one.ids) == sorted(other.ids)
    for name in one.ids:
        a, b = (store[store.ids.tolist().index(name)] for store in (one, other))
        np.testing.assert_array_equal(a.node_codes, b.node_codes)
        np.testing.assert_array_equal(a.node_values, b.node_values)
        np.testing.assert_array_equal(a.edges, b.edges)
        np.testing.assert_array_equal(a.edge_values, b.edge_values)
        np.testing.assert_array_equal(a.targets, b.targets)


@pytest.mark.parametrize("other", ["interactions/edges.csv", "interactions"])
def test_a_folder_of_networks_and_one_long_list_of_edges_hold_the_same(other):
    folder, table = load_graphs(EXAMPLES / "networks"), load_graphs(EXAMPLES / other)
    assert (folder.name, table.name) == ("networks", "interactions")
    assert [c.name for c in folder.schema.node] == ["role", "years"]
    assert folder.schema == table.schema
    alike(folder, table)
    assert folder.target("shape").tolist() == ["open", "closed", "open", "closed"]
    assert np.isnan(folder.target("satisfaction")[1])


def test_lists_of_edges_and_a_tu_folder():
    lists, folder = load_graphs(EXAMPLES / "edge-lists"), load_graphs(EXAMPLES / "networks")
    assert lists.ids.tolist() == folder.ids.tolist()
    assert lists.num_edges.tolist() == folder.num_edges.tolist()
    assert [c.name for c in lists.schema.edge] == ["weight"]
    tu = load_graphs(EXAMPLES / "tu" / "TEAMS")
    assert tu.num_edges.tolist() == load_graphs(EXAMPLES / "interactions").num_edges.tolist()


def test_numbers_are_standardised_by_the_graphs_of_the_fit():
    store = load_graphs(EXAMPLES / "networks")
    years = store.batch(np.arange(4)).inputs.attributes["node"][:, 2]
    np.testing.assert_allclose([years.mean(), years.std(correction=0)], [0, 1], atol=1e-6)
    model = SubgraphInfoMax(**SMALL).fit(store)
    alone = model.transform(EXAMPLES / "networks" / "ring.gml")[0]  # with another mean of its own
    np.testing.assert_allclose(alone, model.transform(store)[3], rtol=1e-5)


def test_flags_stay_and_constants_do_no_harm():
    graph = nx.path_graph(3)
    for v in graph:
        graph.nodes[v].update(flag=v % 2, same=7.5, pair=[v, 1.0])
    store = load_graphs([graph])
    encoded = store.batch(np.array([0])).inputs.attributes["node"].numpy()
    np.testing.assert_allclose(encoded[:, 0], [0, 1, 0])  # flag
    np.testing.assert_allclose(encoded[:, 1], [-1.224745, 0, 1.224745], rtol=1e-5)  # pair, first
    np.testing.assert_allclose(encoded[:, 2:], [[1, 0]] * 3)  # pair, second: ones are flags; same


def test_missing_values_are_told_and_count_as_the_mean_or_as_no_category():
    a, b = nx.path_graph(2), nx.path_graph(1)
    a.nodes[0].update(kind="x", size=1.0)
    a.nodes[1].update(kind="y", size=3.0)
    with pytest.warns(UserWarning, match="have no") as told:
        store = load_graphs([a, b])
    texts = [str(w.message) for w in told]
    assert "1 of 3 nodes have no 'kind', which counts as none of its categories." in texts
    assert "1 of 3 nodes have no 'size', which counts as its mean." in texts
    encoded = store.batch(np.array([1])).inputs.attributes["node"]
    assert encoded.tolist() == [[0, 0, 0]]
    assert np.isfinite(SubgraphInfoMax(**SMALL).fit(store).transform(store)).all()


def test_what_the_model_never_saw_is_an_error_or_counts_as_missing():
    model = SubgraphInfoMax(**SMALL).fit(EXAMPLES / "networks")

    def team(**attributes):
        graph = nx.path_graph(2)
        for v in graph:
            graph.nodes[v].update({"role": "lead", "years": 4.0} | attributes)
        graph.edges[0, 1]["hours"] = 2.0
        return graph

    assert model.transform([team()]).shape == (1, 8)
    bare = nx.path_graph(2)
    bare.edges[0, 1]["hours"] = 2.0
    cases = [
        (team(role="boss"), "the value boss, which the model never saw; it knows lead, member"),
        (team(years=[1.0, 2.0]), "'years' is 2 wide, and the model learned 1 number"),
        (team(years="many"), "'years' is categories, and the model learned 1 number"),
        (bare, "have no attribute 'role', which the model learned from"),
    ]
    for graph, complaint in cases:
        with pytest.raises(PartwholeError, match=complaint):
            model.transform([graph])
        with pytest.warns(UserWarning, match="counts as missing"):
            store = load_graphs([graph], schema=model.schema_, fallback=True)
        assert np.isfinite(model.transform(store)).all()


def test_text_that_names_nodes_is_not_used():
    graph = nx.path_graph(150)
    nx.set_node_attributes(graph, {v: f"person {v}" for v in graph}, "who")
    with pytest.warns(UserWarning, match="'who' has 150 different texts, too many for categories"):
        assert load_graphs([graph]).schema.node == ()


def test_json_of_several_graphs_gml_without_labels_and_lists_with_a_heading(tmp_path):
    link = {"nodes": [{"id": 1, "c": "a"}, {"id": "x", "c": "b"}], "edges": [{"source": 1, "target": "x"}]}
    (tmp_path / "a.json").write_text(json.dumps([link | {"label": "p", "id": "one"}, link | {"label": "q"}]))
    (tmp_path / "b.jsonl").write_text(json.dumps(link | {"label": "p"}) + "\n")
    assert load_graphs(tmp_path / "a.json").ids.tolist() == ["one", "a 1"]
    store = load_graphs(tmp_path)
    assert (store.labels.tolist(), store.ids.tolist()) == (["p", "q", "p"], ["one", "a 1", "b"])
    (tmp_path / "c.gml").write_text("graph [ node [ id 5 ] node [ id 7 ] edge [ source 5 target 7 ] ]")
    assert load_graphs(tmp_path / "c.gml").num_edges.tolist() == [1]
    (tmp_path / "d.edges.gz").write_bytes(gzip.compress(b"# remark\n1 2\n2,3\n9\n"))
    assert load_graphs(tmp_path / "d.edges.gz").num_nodes.tolist() == [4]
    (tmp_path / "e.edges").write_text("source,target,kind,weight\na,b,near,1\nb,c,far,2\n")
    assert [c.name for c in load_graphs(tmp_path / "e.edges").schema.edge] == ["kind", "weight"]


def test_sub_folders_are_classes(tmp_path):
    for kind, count in (("trees", 4), ("cycles", 3)):
        (tmp_path / kind).mkdir()
        for k in range(count):
            nx.write_graphml(nx.path_graph(k + 2), tmp_path / kind / f"{k}.graphml")
    store = load_graphs(tmp_path)
    assert store.target("folder").tolist() == ["cycles"] * 3 + ["trees"] * 4


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.graphml", "<graphml><graph>", "no element found"),
        ("a.graphml", "<graphml></graphml>", "it holds no graph"),
        ("a.gml", "graph [ node [", "a.gml: "),
        ("a.json", "{", "a.json: "),
        ("a.json", "[1]", "not node-link JSON"),
        (
            "a.json",
            '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}',
            "not both among its nodes",
        ),
        ("a.json", '{"nodes": [{"id": [1]}], "links": []}', "a.json: "),
        ("a.edges", "a b 1 2\n", "line 1 has 4 columns"),
        ("a.edges", "# nothing\n", "holds no edges"),
        ("a.edgelist", b"\xff\xfe\x00", "a.edgelist is not text"),
        ("a.edges.gz", b"no gzip", "a.edges.gz: "),
    ],
)
def test_a_damaged_file_is_named_and_the_others_are_read(tmp_path, name, content, complaint):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PartwholeError, match=complaint):
        load_graphs(path)
    nx.write_graphml(nx.path_graph(3), tmp_path / "z.graphml")
    reading = Reading(strict=False)
    assert read_graphs(tmp_path, reading).ids.tolist() == ["z"]
    assert [Path(place).name for place, _ in reading.left_out] == [name]


@pytest.mark.parametrize(
    ("edges", "beside", "complaint"),
    [
        ("graph,source,target\n,a,b\n", {}, "Row 2 of e: it has no graph"),
        ("graph,source,target\ng,,b\n", {}, "Row 2 of e: it has no source"),
        ("graph,source,target\ng,a,b\n", {"nodes": "graph,colour\ng,red\n"}, "no column 'node'"),
        ("graph,source,target\ng,a,b\n", {"nodes": "graph,node\n,red\n"}, "names no graph or no node"),
        ("graph,source,target\ng,a,b\n", {"graphs": "y\n1\n"}, "no column 'graph'"),
    ],
)
def test_lists_of_edges_that_cannot_be_used(tmp_path, edges, beside, complaint):
    (tmp_path / "e.csv").write_text(edges)
    for what, content in beside.items():
        (tmp_path / f"e.{what}.csv").write_text(content)
    with pytest.raises(PartwholeError, match=complaint):
        load_graphs(tmp_path / "e.csv")


def test_a_list_of_edges_may_have_lone_nodes_and_gaps(tmp_path):
    (tmp_path / "e.csv").write_text("network,from,to,kind\n7,a,b,x\n7,c,,\n8,a,a,\n")
    (tmp_path / "e.nodes.csv").write_text("graph,node,size\n7,a,1\n7,d,5\n")
    (tmp_path / "e.graphs.csv").write_text("graph,y\n7,0.5\n9,1.5\n")
    reading = Reading()
    store = read_graphs(tmp_path / "e.csv", reading)
    assert (store.ids.tolist(), store.num_nodes.tolist(), store.num_edges.tolist()) == (
        ["7", "8"],
        [4, 1],
        [1, 1],
    )
    assert np.isnan(store.target("y")).tolist() == [False, True]
    assert "3 of 5 nodes have no 'size', which counts as its mean." in reading.notes
    assert "1 graphs of e.graphs.csv have no nodes and are left out, first 9." in reading.notes
    assert "1 of 2 graphs are not in e.graphs.csv; their targets are missing." in reading.notes


@pytest.mark.parametrize("name", ["g.gpickle", "g.pkl", "g.pt", "g.npz"])
def test_files_that_run_code_are_refused(tmp_path, name):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    (tmp_path / name).write_bytes(pickle.dumps(Trap()))
    with pytest.raises(PartwholeError, match=r"may run any code when it is opened, and is not; .* instead"):
        load_graphs(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


# ---------------------------------------------------------------- to the letter


def test_names_of_nodes_and_graphs_are_text(tmp_path):
    (tmp_path / "e.csv").write_text("graph,source,target\n01,1,2\n01,2,a\n1,DE,NA\n1,DE,FR\n1,FR,NA\n")
    (tmp_path / "e.nodes.csv").write_text("graph,node,size\n01,1,5\n01,2,6\n1,NA,7\n")
    store = load_graphs_quietly(tmp_path / "e.csv")
    assert store.ids.tolist() == ["01", "1"]
    assert (store.num_nodes.tolist(), store.num_edges.tolist()) == ([3, 3], [2, 3])
    (tmp_path / "m.csv").write_text("id,smiles\n0012,CCO\nNA,CC\n,C\n")
    assert load_graphs(tmp_path / "m.csv").ids.tolist() == ["0012", "NA", "C"]


def load_graphs_quietly(path):
    return read_graphs(path, Reading())


def test_labels_are_found_by_the_path_of_a_file(tmp_path):
    for kind in ("cycles", "trees"):
        (tmp_path / kind).mkdir()
        nx.write_graphml(nx.path_graph(3), tmp_path / kind / "0.graphml")
        nx.write_graphml(nx.path_graph(4), tmp_path / kind / f"01{kind}.graphml")
    rows = "cycles/0.graphml,0.5\ntrees/0,10.5\n01cycles,2.5\n01trees.graphml,3.5\n"
    (tmp_path / "labels.csv").write_text(f"file,y\n{rows}")
    store = load_graphs(tmp_path)
    assert store.target("y").tolist() == [0.5, 2.5, 10.5, 3.5]
    (tmp_path / "labels.csv").write_text("file,y\na,1\na,2\n")
    with pytest.raises(PartwholeError, match="names a twice"):
        load_graphs(tmp_path)


def test_files_that_are_no_graphs_stay_out(tmp_path):
    for folder in ("cycles", ".ipynb_checkpoints"):
        (tmp_path / folder).mkdir()
        nx.write_graphml(nx.path_graph(3), tmp_path / folder / "a.graphml")
    (tmp_path / "notes.txt").write_text("made by Ann\n")
    store = load_graphs(tmp_path)
    assert (store.ids.tolist(), store.target("folder").tolist()) == (["a"], ["cycles"])
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "a.csv").write_text("id1,id2\n1,2\n2,3\n")
    assert load_graphs(lists).num_nodes.tolist() == [3]


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_and_line_ends_of_other_systems(tmp_path, mark, end):
    texts = {
        "a.edges": "source,target\na,b\nb,c\nc,a\n",
        "b.json": '{"nodes": [{"id": 1}, {"id": 2}, {"id": 3}],\n "links": [{"source": 1, "target": 2}]}\n',
        "c.gml": "graph [\n node [ id 1 ]\n node [ id 2 ]\n node [ id 3 ]\n]\n",
        "m.smi": "smiles\nCCO ethanol\n",
        "m.csv": "smiles,y\nCCO,1\n",
        "e.csv": "graph,source,target\ng,a,b\ng,b,c\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes((mark + text.replace("\n", end)).encode())
        assert load_graphs(tmp_path / name).num_nodes.tolist() == [3], name


def test_text_in_another_encoding_is_read_and_told(tmp_path):
    (tmp_path / "a.csv").write_bytes("smiles,näme\nCCO,1\n".encode("latin-1"))
    (tmp_path / "b.csv").write_bytes("smiles,name\nCCO,Äthanol €\n".encode("cp1252"))
    (tmp_path / "c.smi").write_bytes("CCO Äthanol €\n".encode("cp1252"))
    (tmp_path / "d.edges").write_bytes("Äthan b\n".encode("latin-1"))
    read = {}
    for name in ("a.csv", "b.csv", "c.smi", "d.edges"):
        with pytest.warns(UserWarning, match=f"{name} is not UTF-8 text; it was read as Latin-1"):
            read[name] = load_graphs(tmp_path / name)
    assert read["a.csv"].schema.targets[0].name == "näme"
    assert read["b.csv"].ids.tolist() == read["c.smi"].ids.tolist() == ["Äthanol €"]
    (tmp_path / "e.csv").write_bytes(b"smiles,y\nCCO,\x00\xff\x81\n")
    with pytest.raises(PartwholeError, match=r"e.csv is not text; save it as UTF-8"):
        load_graphs(tmp_path / "e.csv")


def test_attributes_are_of_the_kind_that_they_were_in_the_fit(tmp_path):
    def graphs(*kinds):
        out = []
        for kind in kinds:
            graph = nx.path_graph(2)
            nx.set_node_attributes(graph, kind, "kind")
            out.append(graph)
        return out

    model = SubgraphInfoMax(**SMALL).fit(graphs("1", "2", "A", "true"))
    want = model.transform(graphs("1", "2", "true"))
    np.testing.assert_array_equal(model.transform(graphs(1, 2.0, True)), want)
    with pytest.warns(UserWarning, match="have no 'kind', which counts as none"):
        alone = model.transform(graphs(None))
    with pytest.warns(UserWarning, match="have no 'kind', which counts as none"):
        # A product of two rows may round otherwise than one of a single row.
        np.testing.assert_allclose(model.transform(graphs(None, "1"))[0], alone[0], rtol=1e-5, atol=1e-7)
    teams = load_graphs(EXAMPLES / "tu" / "TEAMS")  # its categories are called 0 and 1
    texts = nx.path_graph(2)
    nx.set_node_attributes(texts, "1", "node_label")
    nx.set_node_attributes(texts, 3.0, "attributes")
    texts.edges[0, 1]["attributes"] = 1.0
    assert load_graphs([texts], schema=teams.schema).node_codes.tolist() == [[1], [1]]


def test_arrays_of_pyg_have_no_mean_to_stand_for_what_is_missing():
    from torch_geometric.data import Data

    items = [Data(x=torch.rand(3, 1), edge_index=torch.tensor([[0, 1], [1, 2]])) for _ in range(3)]
    model = SubgraphInfoMax(**SMALL).fit(items)
    graph = nx.path_graph(2)
    graph.nodes[0]["x"] = 0.5
    with pytest.raises(PartwholeError, match="the model knows no mean of it"):
        read_graphs([graph], Reading(model.schema_))
    store = read_graphs([graph], Reading(model.schema_, fallback=True))
    assert store.node_values.tolist() == [[0.5], [0.0]]


def test_targets_of_all_sorts_are_read(tmp_path):
    graphs = [nx.path_graph(2) for _ in range(4)]
    for graph, y, much in zip(graphs, ([1, 2], [1, 2], {"a": 1}, None), (10**400, 1, 2, 3)):
        graph.graph.update(y=y, much=much, mixed=">100" if much == 1 else 12.5)
    store = load_graphs(graphs)
    assert store.target("y").tolist() == ["[1, 2]", "[1, 2]", "{'a': 1}", None]
    assert store.target("mixed").tolist() == ["12.5", ">100", "12.5", "12.5"]


def test_reading_does_not_run_ahead(monkeypatch):
    monkeypatch.setattr(molecules, "CHUNK", 4)
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield "CCO"

    pieces = molecules.encoded_pieces(endless(), Reading())
    for _ in range(3):
        next(pieces)
    assert taken <= 4 * (2 + 4 * os.cpu_count())


def test_rows_stay_with_their_molecules_when_some_are_left_out(tmp_path, monkeypatch):
    for module in ("molecules", "molecule_table", "smiles_file"):
        monkeypatch.setattr(f"partwhole.sources.readers.{module}.CHUNK", 3)
    smiles = [
        "C",
        "x",
        "CC",
        "x",
        "x",
        "x",
        "CCC",
        "CCCC",
        "x",
        "CCCCC",
    ]  # the second piece is bad throughout
    rows = "".join(f"{text},{k},n{k}\n" for k, text in enumerate(smiles))
    (tmp_path / "t.csv").write_text(f"smiles,y,name\n{rows}")
    (tmp_path / "t.smi").write_text("".join(f"{text} n{k}\n" for k, text in enumerate(smiles)))
    good = [0, 2, 6, 7, 9]
    for name in ("t.csv", "t.smi"):
        reading = Reading(strict=False)
        found, _ = pieces_of(tmp_path / name, reading)
        bad = [f"row {k + 2}" if name == "t.csv" else f"line {k + 1}" for k in (1, 3, 4, 5, 8)]
        assert [place for place, _ in reading.left_out] == bad
        assert [row for piece in found for row in piece.store.rows] == good
        assert [n for piece in found for n in piece.store.num_nodes] == [1, 2, 3, 4, 5]
        assert [i for piece in found for i in piece.store.ids] == [f"n{k}" for k in good]
        if name == "t.csv":
            assert [y for piece in found for y in piece.table.column("y").to_pylist()] == good


def test_what_a_column_is_shows_in_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr("partwhole.sources.tables.BLOCK", 300)
    rows = "".join(f"CC,{'' if k < 60 else 1.5},{k if k < 90 else 'many'},{k}\n" for k in range(100))
    (tmp_path / "t.csv").write_text(f"smiles,late,mixed,count\n{rows}")
    (piece,), _ = pieces_of(tmp_path / "t.csv", Reading())
    kinds = {field.name: str(field.type) for field in piece.table.schema}
    assert kinds == {"smiles": "string", "late": "double", "mixed": "string", "count": "int64"}


def test_smiles_are_printed_to_the_letter(capsys):
    print_table("c1cc[nH]c1", ["id"], [["c1cc[nH]c1"], ["x[/b]"]])
    printed = capsys.readouterr().out
    assert printed.count("c1cc[nH]c1") == 2
    assert "x[/b]" in printed


# ---------------------------------------------------------------- the command line


def test_own_data_from_fit_to_vectors(partwhole, tmp_path):
    (tmp_path / "t.csv").write_text(BAD_TABLE + "CCCO,6\nCCCN,7\n")
    run, out = tmp_path / "run", tmp_path / "v.parquet"
    options = ["--hidden", 8, "--layers", 2, "--epochs", 1]
    assert "'C1CC' is not valid" in partwhole("fit", tmp_path / "t.csv", "--out", run, "--strict", code=2).err
    done = partwhole("fit", tmp_path / "t.csv", "--out", run, *options, "--json")
    assert json.loads(done.out)["left_out"] == 3
    assert "left out, row 3: 'C1CC' is not valid SMILES" in done.err
    listed = csv.read_csv(run / "left_out.csv").to_pydict()
    assert listed["item"] == ["row 3", "row 4", "row 5"]
    done = partwhole("embed", run, tmp_path / "t.csv", "--out", out, "--json")
    assert json.loads(done.out) | {"data": ""} == {
        "out": str(out),
        "data": "",
        "graphs": 4,
        "width": 8,
        "left_out": 3,
    }
    beside, vectors = read_vectors(out)
    assert beside.to_pydict() == {
        "id": ["CCO", "CCN", "CCCO", "CCCN"],
        "smiles": ["CCO", "CCN", "CCCO", "CCCN"],
        "y": [1, 5, 6, 7],
    }
    model = SubgraphInfoMax.load(run)
    np.testing.assert_allclose(vectors, model.transform(["CCO", "CCN", "CCCO", "CCCN"]), rtol=1e-5)
    refused = partwhole("embed", run, EXAMPLES / "networks", "--out", out, code=2)
    assert "have no attribute 'atom', which the model learned from" in refused.err
    assert parquet.read_table(out).num_rows == 4  # as it was


@pytest.mark.parametrize("cells", ["true,false", "yes,no", "1,0"])
def test_gaps_of_classes_are_filled_in_kind(partwhole, tmp_path, cells):
    yes, no = cells.split(",")
    smiles = ["C" * (k % 7 + 1) + ("O" if k % 2 else "N") for k in range(20)]
    rows = "".join(f"{text},{'' if k > 15 else yes if k % 2 else no}\n" for k, text in enumerate(smiles))
    (tmp_path / "t.csv").write_text(f"smiles,active\n{rows}")
    run, out = tmp_path / "run", tmp_path / "filled.csv"
    options = ["--hidden", 8, "--layers", 2, "--epochs", 2]
    partwhole("fit", tmp_path / "t.csv", "--target", "active", "--out", run, *options)
    partwhole("predict", run, tmp_path / "t.csv", "--out", out, "--fill")
    lines = out.read_text().replace('"', "").splitlines()[1:]
    assert {line.split(",")[1] for line in lines} <= {yes, no}
    assert "already" in partwhole("predict", run, out, "--out", tmp_path / "x.csv", "--fill", code=2).err


def test_gaps_of_a_table_are_filled(partwhole, tmp_path):
    text = (EXAMPLES / "molecules.csv").read_text()
    (tmp_path / "m.csv").write_text(text.replace("acetone,CC(C)=O,", "acetone,CC(C)=,").replace(",yes", ","))
    run, out = tmp_path / "run", tmp_path / "filled.csv"
    options = ["--hidden", 8, "--layers", 2, "--epochs", 2]
    partwhole("fit", tmp_path / "m.csv", "--target", "boiling_point", "--out", run, *options)
    printed = partwhole("predict", run, tmp_path / "m.csv", "--out", out, "--fill")
    assert "left out, row 7: 'CC(C)='" in printed.err
    before, after = (csv.read_csv(path).to_pydict() for path in (tmp_path / "m.csv", out))
    assert list(after) == [*before, "boiling_point_filled"]
    assert [row for row, was in enumerate(after["boiling_point_filled"]) if was] == [6, 17, 24]
    known = [row for row in range(26) if row not in (6, 17, 24)]
    assert [after["boiling_point"][row] for row in known] == [before["boiling_point"][row] for row in known]
    assert np.isfinite([after["boiling_point"][row] for row in (6, 17, 24)]).all()
    refusal = partwhole("predict", run, EXAMPLES / "molecules.smi", "--out", out, "--fill", code=2).err
    assert "--fill writes a table of molecules again" in refusal
