"""Tables and collections as people have them: nothing is changed, cut or dropped without a word."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from pyarrow import csv, parquet
from torch_geometric.data import Batch, Data, InMemoryDataset

from partwhole import PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.sources.tables import read_columns, read_table, table_pieces

pytest.importorskip("rdkit")
SMALL = {"hidden": 8, "layers": 2, "epochs": 1, "batch_size": 8}
FLAGS = ["--hidden", 8, "--layers", 2, "--epochs", 1]
LONG = "C" * 300  # a fat acid's worth of SMILES
LONGER = LONG + "O"


# ---------------------------------------------------------------- ids


def test_ids_are_kept_to_the_letter_from_the_table_to_the_vectors(partwhole, tmp_path):
    names = ["007", "NA", "nan", "null", "1e3", "12345678901234567890"]
    rows = "".join(f"{name},{'C' * (k + 1)}O,{k}.5,0{k}\n" for k, name in enumerate(names))
    (tmp_path / "t.csv").write_text(f"id,smiles,y,batch\n{rows}")
    assert load_graphs(tmp_path / "t.csv").ids.tolist() == names
    run, vectors, filled = tmp_path / "run", tmp_path / "v.parquet", tmp_path / "filled.csv"
    partwhole("fit", tmp_path / "t.csv", "--out", run, *FLAGS)
    partwhole("embed", run, tmp_path / "t.csv", "--out", vectors)
    table = parquet.read_table(vectors)
    assert table.column("id").to_pylist() == names
    assert table.column("batch").to_pylist() == [f"0{k}" for k in range(6)]  # no number gives that back
    assert table.column("y").to_pylist() == [k + 0.5 for k in range(6)]
    for name in ("007", "NA"):
        found = json.loads(partwhole("neighbors", run, vectors, name, "-k", 2, "--json").out)
        assert found["answers"][0]["query"] == name
    linear = ["--method", "ridge", "--option", f"vectors={run}"]
    partwhole("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "labels", *linear)
    partwhole("predict", tmp_path / "labels", tmp_path / "t.csv", "--fill", "--out", filled)
    written = [line.split(",")[0].strip('"') for line in filled.read_text().splitlines()]
    assert written == ["id", *names]


def test_long_smiles_stay_whole_and_different(partwhole, tmp_path):
    rows = "".join(f"{text},{len(text)}\n" for text in ("CCO", LONG, LONGER, "CC"))
    (tmp_path / "t.csv").write_text(f"smiles,y\n{rows}")
    store = load_graphs(tmp_path / "t.csv")
    assert store.ids.tolist() == ["CCO", LONG, LONGER, "CC"]
    assert (store[1].id, store[[2]].ids.tolist()) == (LONG, [LONGER])
    store.save(tmp_path / "kept")
    assert load_graphs(tmp_path / "kept").ids.tolist() == store.ids.tolist()
    run, out = tmp_path / "run", tmp_path / "v.parquet"
    partwhole("fit", tmp_path / "t.csv", "--out", run, *FLAGS)
    partwhole("embed", run, tmp_path / "t.csv", "--out", out)
    assert parquet.read_table(out).column("id").to_pylist() == ["CCO", LONG, LONGER, "CC"]
    labels = tmp_path / "labels"
    linear = ["--method", "ridge", "--option", f"vectors={run}"]
    partwhole("fit", tmp_path / "t.csv", "--target", "y", "--out", labels, *linear)
    partwhole("predict", labels, tmp_path / "t.csv", "--out", tmp_path / "p.csv")
    assert csv.read_csv(tmp_path / "p.csv").column("id").to_pylist() == ["CCO", LONG, LONGER, "CC"]


# ---------------------------------------------------------------- predictions


def test_predictions_stand_beside_the_columns_of_the_input(partwhole, tmp_path):
    rows = "".join(f"n{k},{'C' * (k % 9 + 1)}O,{k},00{k}\n" for k in range(20))
    (tmp_path / "t.csv").write_text(f"name,smiles,y,lot\n{rows}n20,C1CC,20,0020\nn21,CCN,,0021\n")
    run, out = tmp_path / "run", tmp_path / "p.csv"
    linear = ["--method", "ridge", "--option", "vectors=morgan"]
    partwhole("fit", tmp_path / "t.csv", "--target", "y", "--out", run, *linear)
    printed = partwhole("predict", run, tmp_path / "t.csv", "--out", out)
    assert "left out, row 22: 'C1CC' is not valid SMILES" in printed.err
    assert "1 graph was left out" in printed.err
    strings = csv.ConvertOptions(column_types={"lot": "string"})
    table = csv.read_csv(out, convert_options=strings)
    assert table.column_names == ["id", "name", "smiles", "y", "lot", "y_predicted"]
    assert table.column("name").to_pylist() == [f"n{k}" for k in (*range(20), 21)]
    assert table.column("lot").to_pylist() == [f"00{k}" for k in (*range(20), 21)]
    assert table.column("y").to_pylist() == [*range(20), None]
    (tmp_path / "new.csv").write_text("smiles,lot\nCCO,1\n")
    partwhole("predict", run, tmp_path / "new.csv", "--out", out)
    assert csv.read_csv(out).column_names == ["id", "smiles", "lot", "y"]


def test_gaps_are_filled_in_their_own_rows(partwhole, tmp_path):
    """A row that cannot be read stands before the gap."""
    rows = "".join(f"{'C' * (k + 1)},{10 * k}\n" for k in range(12))
    (tmp_path / "t.csv").write_text(f"smiles,y\nC1CC,5\n{rows}CCCCCC,\n")
    run, out = tmp_path / "run", tmp_path / "filled.csv"
    linear = ["--method", "ridge", "--option", "vectors=morgan"]
    partwhole("fit", tmp_path / "t.csv", "--target", "y", "--out", run, *linear)
    partwhole("predict", run, tmp_path / "t.csv", "--out", out, "--fill")
    table = csv.read_csv(out).to_pydict()
    assert [row for row, was in enumerate(table["y_filled"]) if was] == [13]
    assert table["y"][:13] == [5, *range(0, 120, 10)]
    partwhole("predict", run, tmp_path / "t.csv", "--out", tmp_path / "p.csv")
    own = csv.read_csv(tmp_path / "p.csv").to_pydict()
    assert table["y"][13] == own["y_predicted"][-1]


def test_the_input_is_not_written_over(partwhole, tmp_path):
    text = "smiles,y\n" + "".join(f"{'C' * (k + 1)},{k}\n" for k in range(12)) + "CCO,\n"
    (tmp_path / "t.csv").write_text(text)
    linear = ["--method", "ridge", "--option", "vectors=morgan"]
    partwhole("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "run", *linear)
    again = ["predict", tmp_path / "run", tmp_path / "t.csv", "--out", tmp_path / "t.csv", "--fill"]
    refused = partwhole(*again, code=2).err
    assert "is the input and would be replaced; write to another file, or allow it" in refused
    assert (tmp_path / "t.csv").read_text() == text
    partwhole(*again, "--overwrite")
    assert "y_filled" in (tmp_path / "t.csv").read_text()


# ---------------------------------------------------------------- kinds of tables


def test_semicolons_and_decimal_commas(tmp_path):
    (tmp_path / "t.csv").write_text("id;smiles;y;text\na;CCO;1,5;x,y\nb;CCN;-2,25;z\n")
    store = load_graphs(tmp_path / "t.csv")
    assert store.target("y").tolist() == [1.5, -2.25]
    assert read_columns(tmp_path / "t.csv")["text"] == ["x,y", "z"]
    (piece,) = table_pieces(tmp_path / "t.csv", 10)
    assert piece.equals(read_table(tmp_path / "t.csv"))
    (tmp_path / "points.csv").write_text("smiles;y\nCCO;1.5\nCCN;2\n")
    assert load_graphs(tmp_path / "points.csv").target("y").tolist() == [1.5, 2.0]


def test_a_workbook_is_a_table(partwhole, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "smiles", "y", None], ["007", "CCO", 1.5], ["b", "C1CC", 2], ["c", "CCN", None]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(PartwholeError, match="Row 3: 'C1CC' is not valid SMILES"):
        load_graphs(tmp_path / "t.xlsx")
    with pytest.warns(UserWarning, match="1 graph was left out; row 3"):
        store = load_graphs(tmp_path / "t.xlsx", strict=False)
    assert store.ids.tolist() == ["007", "c"]
    np.testing.assert_array_equal(store.target("y"), [1.5, np.nan])
    partwhole("fit", tmp_path / "t.xlsx", "--out", tmp_path / "run", *FLAGS)
    partwhole("embed", tmp_path / "run", tmp_path / "t.xlsx", "--out", tmp_path / "v.parquet")
    assert parquet.read_table(tmp_path / "v.parquet").column("id").to_pylist() == ["007", "c"]
    (tmp_path / "broken.xlsx").write_bytes(b"no workbook")
    with pytest.raises(PartwholeError, match="cannot be read as a workbook"):
        load_graphs(tmp_path / "broken.xlsx")


def test_the_column_of_smiles_is_named_or_found(partwhole, tmp_path):
    text = "code,structure,product,y\n" + "".join(
        f"B{k},{'C' * (k + 1)}N,C=C{'C' * k},{k}\n" for k in range(9)
    )
    (tmp_path / "t.csv").write_text(text)
    with pytest.warns(UserWarning, match="The column 'product' was read as SMILES"):
        assert load_graphs(tmp_path / "t.csv").ids[0] == "C=C"  # the longest texts
    store = load_graphs(tmp_path / "t.csv", smiles_column="structure")
    assert store.ids[0] == "CN"
    with pytest.raises(PartwholeError, match=r"has no column 'strcture'. Did you mean 'structure'"):
        load_graphs(tmp_path / "t.csv", smiles_column="strcture")
    with pytest.raises(PartwholeError, match="is not a table of molecules"):
        load_graphs("MUTAG", smiles_column="structure")
    run, out = tmp_path / "run", tmp_path / "v.parquet"
    partwhole("fit", tmp_path / "t.csv", "--smiles-column", "structure", "--out", run, *FLAGS)
    partwhole("embed", run, tmp_path / "t.csv", "--out", out)  # the run knows the column
    assert parquet.read_table(out).column("id").to_pylist()[0] == "CN"
    (tmp_path / "wide.csv").write_text(",".join(f"c{k}" for k in range(600)) + "\n" + ",".join(["x"] * 600))
    told = partwhole("fit", tmp_path / "wide.csv", "--out", tmp_path / "no", code=2).err
    assert "has no column of SMILES among c0, c1, c2, c3, c4 and 595 more" in told
    assert "--smiles-column" in told


# ---------------------------------------------------------------- objects in memory


def test_tables_of_pandas():
    frame = pd.DataFrame({"smiles": ["CCO", None, "CC"], "y": [1.5, 2.0, None]}, index=["a", "b", "c"])
    with pytest.raises(PartwholeError, match="Row 1: it has no SMILES"):
        load_graphs(frame)
    with pytest.warns(UserWarning, match="1 graph was left out; row 1"):
        store = load_graphs(frame, strict=False)
    assert store.ids.tolist() == ["a", "c"]
    np.testing.assert_array_equal(store.target("y"), frame["y"].to_numpy()[store.rows])
    assert load_graphs(frame["smiles"].dropna()).ids.tolist() == ["CCO", "CC"]
    edges = pd.DataFrame({"graph": ["g", "g", "h"], "source": [1, 2, 1], "target": [2, 3, 2]})
    assert load_graphs(edges).num_nodes.tolist() == [3, 2]
    model = SubgraphInfoMax(**SMALL).fit(frame["smiles"].dropna())
    assert model.transform(frame["smiles"].dropna()).shape == (2, 8)


def test_smiles_and_molecules_of_rdkit_in_one_list():
    from rdkit import Chem

    mixed = ["CCO", Chem.MolFromSmiles("CCN"), "CC"]
    store = load_graphs(mixed)
    assert store.num_nodes.tolist() == [3, 3, 2]
    assert store.ids.tolist() == ["CCO", "1", "CC"]
    assert load_graphs(mixed[::-1]).num_nodes.tolist() == [2, 3, 3]
    with pytest.raises(PartwholeError, match="Molecule 1: 5 is not SMILES"):
        load_graphs(["CCO", 5])


def path_of_three(**more):
    return Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1], [1, 2]]), **more)


def test_one_graph_alone_a_batch_and_a_data_set():
    from rdkit import Chem

    class Three(InMemoryDataset):
        def __init__(self):
            super().__init__()
            self.data, self.slices = self.collate([path_of_three() for _ in range(3)])

    for alone in (path_of_three(), nx.path_graph(3), Chem.MolFromSmiles("CCO")):
        assert load_graphs(alone).num_nodes.tolist() == [3]
    assert len(load_graphs(Batch.from_data_list([path_of_three(), path_of_three()]))) == 2
    assert len(load_graphs(Three())) == 3
    assert len(load_graphs(nx.path_graph(n) for n in (2, 3))) == 2


def test_what_is_used_of_graphs_of_pyg_is_told():
    items = [path_of_three(edge_weight=torch.tensor([0.5, 2.0]), pos=torch.rand(3, 3), z=k) for k in range(3)]
    with pytest.warns(
        UserWarning, match=r"Not used of these graphs: pos, z. Used: edge_index, x, edge_weight."
    ):
        store = load_graphs(items)
    assert [column.name for column in store.schema.edge] == ["edge_weight"]
    assert sorted(store[0].edge_values[:, 0].tolist()) == [0.5, 0.5, 2.0, 2.0]
    light = [path_of_three(edge_weight=torch.tensor([0.1, 0.1])) for _ in range(3)]
    model = SubgraphInfoMax(**SMALL).fit(items + light)
    assert not np.allclose(model.transform(items[:1]), model.transform(light[:1]))


def codes(*rows):
    return Data(
        x=torch.tensor(rows), edge_index=torch.tensor([[0, 1], [1, 2]]), edge_attr=torch.tensor([7, 9])
    )


def test_whole_numbers_of_pyg_can_be_kinds():
    """As in OGB, where x holds the number of the element, its charge and so on."""
    items = [codes([6, 0], [8, 1], [6, 0]), codes([7, 0], [6, 2], [6, 0])]
    with pytest.warns(UserWarning, match=r"whole numbers of x are read as numbers.*categorical=\['x'\]"):
        numbers = load_graphs(items)
    assert not numbers.schema.node[0].is_categorical
    store = load_graphs(items, categorical=["x", "edge_attr"])
    assert [(c.name, c.values) for c in store.schema.node] == [
        ("x0", ("6", "7", "8")),
        ("x1", ("0", "1", "2")),
    ]
    assert store.schema.edge[0].values == ("7", "9")
    partly = load_graphs(items, categorical=["x0"])
    assert [c.is_categorical for c in partly.schema.node] == [True, False]
    with pytest.raises(PartwholeError, match="No attribute 'atoms' can be read as categories"):
        load_graphs(items, categorical=["atoms"])
    model = SubgraphInfoMax(**SMALL).fit(store)
    np.testing.assert_array_equal(model.transform(items), model.transform(store))
    with pytest.raises(PartwholeError, match="'x0' has the value 9, which the model never saw"):
        model.transform([codes([9, 0], [8, 1], [6, 0])])


def test_whole_numbers_of_networks_can_be_kinds(partwhole, tmp_path):
    folder = tmp_path / "networks"
    folder.mkdir()
    for k in range(4):
        graph = nx.path_graph(4)
        nx.set_node_attributes(graph, {v: (v + k) % 3 for v in graph}, "kind")
        nx.write_graphml(graph, folder / f"g{k}.graphml")
    assert load_graphs(folder, categorical=["kind"]).schema.node[0].values == ("0", "1", "2")
    partwhole("fit", folder, "--categorical", "kind", "--out", tmp_path / "run", *FLAGS)
    assert SubgraphInfoMax.load(tmp_path / "run").schema_.node[0].is_categorical
    partwhole("embed", tmp_path / "run", folder, "--out", tmp_path / "v.parquet")


def test_places_of_what_was_read(tmp_path):
    folder = tmp_path / "networks"
    folder.mkdir()
    for name, text in {"a": "1 2\n", "b": "1 2 3 4 5\n", "c": "1 2\n2 3\n"}.items():
        (folder / f"{name}.edgelist").write_text(text)
    with pytest.warns(UserWarning, match="1 graph was left out"):
        store = load_graphs(folder, strict=False)
    assert (store.ids.tolist(), store.rows.tolist()) == (["a", "c"], [0, 2])
    assert store[1:].rows.tolist() == [2]
