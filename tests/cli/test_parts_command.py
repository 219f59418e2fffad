"""`partwhole parts`, as a user calls it."""

from __future__ import annotations

import json
from itertools import chain

import numpy as np
import pytest
from pyarrow import csv, parquet

from commands import partwhole


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("parts") / "run"
    partwhole("fit", "MOTIFS", "--epochs", "1", "--hidden", "8", "--layers", "2", "--out", str(out))
    return out


def test_every_node_is_in_one_part(run, tmp_path):
    out = tmp_path / "parts.parquet"
    told = partwhole("parts", str(run), "MOTIFS", "--out", str(out), "--vectors", "--json")
    content, table = json.loads(told.stdout), parquet.read_table(out)
    assert content["parts"] == table.num_rows == sum(row["parts"] for row in content["types"])
    assert table.column_names == ["id", "type", "size", "nodes", "embedding"]
    first = [n for i, n in zip(table["id"].to_pylist(), table["nodes"].to_pylist()) if i == 0]
    assert sorted(chain.from_iterable(first)) == list(range(sum(map(len, first))))
    assert np.isfinite(table["embedding"].combine_chunks().flatten()).all()


def test_two_types_are_the_motif_and_the_tree(run, tmp_path):
    out = tmp_path / "counts.csv"
    options = ("--counts", "--types", "2", "--target", "motif")
    told = partwhole("parts", str(run), "MOTIFS", "--out", str(out), *options)
    assert "Types that go with motif" in told.stdout
    assert "tree" in told.stdout
    table = csv.read_csv(out)
    assert table.column_names[0] == "id"
    first, second = table.column_names[1:]
    assert (first[:7], second[:7]) == ("type_0 ", "type_1 ")
    assert any("tree of about" in name for name in (first, second))
    assert 1 in (min(table[first].to_pylist()), min(table[second].to_pylist()))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--out", "parts.csv"), "CSV cannot hold"),
        (("--out", "parts.txt"), "neither .csv nor .parquet"),
        (("--out", "parts.parquet", "--target", "nothing"), "nothing"),
        (("--out", "parts.parquet", "--explain", "3"), "predicts nothing to explain; fit with --target"),
    ],
)
def test_what_cannot_be_done_is_told(run, tmp_path, arguments, reason):
    told = partwhole("parts", str(run), "MOTIFS", *arguments, cwd=tmp_path)
    assert told.returncode == 2
    assert reason in told.stderr
    assert not (tmp_path / "parts.parquet").exists()


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """A run with labels, and a table in which some molecules have none."""
    folder = tmp_path_factory.mktemp("labelled")
    molecules = ["Cc1ccccc1[N+](=O)[O-]", "Cc1ccccc1Cl", "CCc1ccc([N+](=O)[O-])cc1", "CCc1ccc(Br)cc1"]
    rows = [f"{s},{'yes' if 'N+' in s else 'no'}" for s in molecules * 6] + ["CCCCO,", "CCCCCO,"]
    (folder / "table.csv").write_text("\n".join(["smiles,active", *rows]))
    data, method = str(folder / "table.csv"), ("--method", "logistic", "--option", "vectors=counts")
    done = partwhole("fit", data, "--target", "active", *method, "--out", str(folder / "run"))
    assert done.returncode == 0, done.stderr
    return folder


def test_one_graph_is_explained(labelled, tmp_path):
    name = "Cc1ccccc1[N+](=O)[O-]"
    given = (str(labelled / "run"), str(labelled / "table.csv"), "--out", str(tmp_path / "p.parquet"))
    told = partwhole("parts", *given, "--explain", name)
    assert told.returncode == 0, told.stderr
    assert f"Graph {name}: active yes, probability" in told.stdout
    found = json.loads(partwhole("parts", *given, "--explain", name, "--json").stdout)["explanation"]
    assert (found["target"], found["label"]) == ("active", "yes")
    assert sorted(chain.from_iterable(part["nodes"] for part in found["effects"])) == list(range(10))
    for part in found["effects"]:
        assert part["effect"] == pytest.approx(found["value"] - part["without"])
    told = partwhole("parts", *given, "--explain", f"{name}C")
    assert (told.returncode, "Did you mean" in told.stderr) == (2, True)


def test_graphs_without_a_label_do_not_count_and_this_is_said(labelled, tmp_path):
    given = (str(labelled / "run"), str(labelled / "table.csv"), "--out", str(tmp_path / "p.parquet"))
    told = partwhole("parts", *given, "--target", "active", "--json")
    assert told.returncode == 0, told.stderr
    assert "2 graphs have no active and do not count in what goes with it." in told.stderr
    content = json.loads(told.stdout)
    assert content["graphs"] == 26
    first = content["target"][0]
    assert set(first["means"]) == {"yes", "no"}
    assert abs(first["means"]["yes"] - first["means"]["no"]) >= 0.5
