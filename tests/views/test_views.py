"""Drawings of graphs, and what the report says of a run."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from commands import partwhole
from partwhole import Graph, PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.estimators.linear import RidgeRegressor
from partwhole.estimators.loading import load_run
from partwhole.estimators.semi_supervised.held_out import read_held_out
from partwhole.losses.head_tail import PairScores, knowing_nothing, mutual_information
from partwhole.sources.readers.qm9 import SCHEMA as QM9
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import COLORS, nested
from partwhole.views.learned import maker_of_vectors
from partwhole.views.predicted import ConfusionTable, confusion
from partwhole.views.structure import draw_molecule
from places import LIQUIDS

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
MINUS = "\N{MINUS SIGN}"


def plain(graph: Graph) -> str:
    """The drawing without parts."""
    return draw_subgraphs(graph, np.zeros((1, graph.num_nodes)))


def symbols(svg: str) -> list[str]:
    """What is written at each atom that has a symbol."""
    texts = re.findall("<text>(.*?)</text>", svg)
    return sorted("".join(re.findall(">([^<]+)<", text)) for text in texts)


def molecule(smiles: str, name: str | None = None) -> Graph:
    graph = load_graphs([smiles])[0]
    return graph if name is None else replace(graph, id=name)


# -------------------------------------------------------------------- molecules


@pytest.mark.parametrize("name", [None, "a name"])
def test_molecules_are_drawn_as_chemists_draw_them(name):
    pytest.importorskip("rdkit")
    assert symbols(plain(molecule(ASPIRIN, name))) == ["O", "O", "O", "OH"]  # carbon is a corner
    assert symbols(plain(molecule("CC[NH3+]", name))) in (["NH3+"], ["H3N+"], ["NH+3"])
    assert symbols(plain(molecule("CC(=O)[O-].[Na+]", name))) == ["Na+", "O", f"O{MINUS}"]
    assert symbols(plain(molecule("Clc1ccc(Br)nc1", name))) == ["Br", "Cl", "N"]
    svg = plain(molecule(ASPIRIN, name))
    assert len(re.findall("M", re.search('<path d="([^"]*)"', svg).group(1))) == 13 + 5  # five are double


def test_the_smiles_of_a_graph_tell_what_its_columns_do_not():
    pytest.importorskip("rdkit")
    assert symbols(plain(molecule("F[Xe]F"))) == ["F", "F", "Xe"]
    assert symbols(plain(molecule("F[Xe]F", "a name"))) == ["*", "F", "F"]
    assert symbols(plain(molecule("[Fe+3]"))) == ["Fe3+"]
    assert symbols(plain(molecule("[Fe+3]", "a name"))) == ["Fen+"]  # two or more
    wedge = '<path fill="currentColor"'
    assert wedge in plain(molecule("C[C@H](N)C(=O)O")) + plain(molecule("C[C@@H](N)C(=O)O"))
    assert symbols(plain(molecule("C=O", "CO"))) == ["O"]  # the SMILES of another molecule


def test_a_molecule_keeps_its_hydrogens_in_the_columns_of_a_model_without(mutag):
    pytest.importorskip("rdkit")
    (graph,) = load_graphs([ASPIRIN], schema=mutag.schema)
    assert symbols(plain(graph)) == ["O", "O", "O", "OH"]
    assert symbols(plain(replace(graph, id="a name"))) == ["O", "O", "O", "O"]  # nothing tells


@pytest.mark.parametrize("name", [None, "a name"])
@pytest.mark.parametrize(("smiles", "cis"), [(r"C/C=C\C", True), ("C/C=C/C", False)])
def test_double_bonds_have_their_side(smiles, cis, name):
    pytest.importorskip("rdkit")
    points = draw_molecule(molecule(smiles, name)).points
    along = points[2] - points[1]
    sides = [along[0] * arm[1] - along[1] * arm[0] for arm in (points[0] - points[1], points[3] - points[2])]
    assert bool(sides[0] * sides[1] > 0) == cis


def test_no_hydrogens_are_made_up(mutag):
    pytest.importorskip("rdkit")
    written = {text for i in range(len(mutag)) for text in symbols(plain(mutag[i]))}
    assert written == {"N", "O", "F", "I", "Cl", "Br"}


def test_atoms_that_only_a_distance_joins_have_no_bond():
    pytest.importorskip("rdkit")
    edges = np.array([[0, 1], [0, 2], [1, 2]])
    codes = np.array([[1], [1], [0]], dtype=np.int16)  # single, single, none
    atoms = np.array([[3, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=np.int16)  # O, H, H
    water = Graph(3, edges, node_codes=atoms, edge_codes=codes, schema=QM9)
    assert draw_molecule(water).pairs.tolist() == [[0, 1], [0, 2]]


def test_every_molecule_of_a_set_is_drawn(dataset):
    pytest.importorskip("rdkit")
    for name in ("MUTAG", "PTC_MR"):
        store = dataset(name)
        for i in range(len(store)):
            assert draw_molecule(store[i]).points.shape == (store.num_nodes[i], 2)


def test_drawings_are_small_take_the_colour_of_the_page_and_run_nothing(mutag):
    pytest.importorskip("rdkit")
    drawings = [draw_subgraphs(mutag[i], np.ones((2, mutag.num_nodes[i]))) for i in range(0, 188, 4)]
    assert np.mean([len(svg) for svg in drawings]) < 2200
    for svg in drawings:
        assert set(re.findall("#[0-9A-Fa-f]{6}", svg)) == set(COLORS[:2])
        assert 'stroke="currentColor"' in svg
        assert not re.search("script|style=|href|<rect", svg)


def test_without_rdkit_molecules_are_networks(mutag, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    assert draw_molecule(mutag[0]) is None
    svg = plain(mutag[0])
    assert "<text" not in svg
    assert svg.count("h0") == mutag.num_nodes[0]


def test_any_graph_is_drawn(zoo):
    for i in range(len(zoo)):
        assert draw_subgraphs(zoo[i], np.ones((3, zoo[i].num_nodes))).startswith("<svg")


# -------------------------------------------------------------------- parts


def halos_of(membership: list[list[float]]) -> list[tuple[str, int, str]]:
    """(colour, width, marks) in the order of drawing, of a path of nodes."""
    nodes = len(membership[0])
    edges = np.array([[k, k + 1] for k in range(nodes - 1)]).reshape(-1, 2)
    svg = draw_subgraphs(Graph(nodes, edges), np.array(membership))
    found = re.findall('<path stroke="(#.{6})" stroke-width="(\\d+)" d="([^"]*)"', svg)
    return [(color, int(width), marks) for color, width, marks in found]


def test_a_part_is_a_halo_along_its_nodes_and_edges():
    blue, orange = COLORS[:2]
    found = halos_of([[1, 1, 0, 0], [0, 0, 1, 0]])
    assert [(color, marks.count("L"), marks.count("h0")) for color, _, marks in found] == [
        (blue, 1, 0),  # the edge inside it
        (blue, 0, 2),
        (orange, 0, 1),  # the fourth node is in none
    ]
    assert halos_of([[0, 0, 0]]) == []


def test_parts_that_share_a_node_are_rings():
    found = halos_of([[1, 1], [0, 1], [0, 1]])
    rings = [(color, width) for color, width, marks in found if "h0" in marks]
    assert [color for color, _ in rings] == list(COLORS[:3])
    assert np.diff([width for _, width in rings]) == pytest.approx(-rings[0][1] / 3, abs=1)


def test_rings_are_as_broad_as_shares():
    assert list(nested([0.5, 0.0, 0.05, 1.5])) == [(0, 0, 1.0), (1, 3, 0.75)]
    assert list(nested([0.0, 0.0])) == []


# -------------------------------------------------------------------- words and numbers of the report


@pytest.mark.parametrize(("estimator", "nothing"), [("jsd", -2 * math.log(2)), ("dv", 0.0)])
def test_knowing_nothing_is_the_estimate_of_equal_scores(estimator, nothing):
    assert knowing_nothing(estimator) == pytest.approx(nothing)
    for score in (-1.0, 0.5):  # others that are equal are no better
        scores = PairScores(torch.full((4, 1), score), torch.full((12, 1), score), None)
        assert mutual_information(scores, estimator) <= nothing + 1e-6


def test_measures_of_numbers_that_were_held_out(tmp_path):
    (tmp_path / "held_out.csv").write_text(
        "graph,id,target,known,predicted\n0,a,y,1,1\n1,b,y,2,2\n2,c,y,3,5\n"
    )
    (held,) = read_held_out(tmp_path / "held_out.csv", numbers=True)
    expected = {"rmse": math.sqrt(4 / 3), "mae": 2 / 3, "r2": -1.0, "rmse_of_mean": math.sqrt(2 / 3)}
    assert held.measures == pytest.approx(expected)


def test_measures_of_classes_that_were_held_out(tmp_path):
    rows = ["0,007,y,no,no,0.9", "1,NA,y,no,no,0.8", "2,c,y,no,yes,0.6", "3,d,y,yes,yes,0.7"]
    (tmp_path / "held_out.csv").write_text(
        "graph,id,target,known,predicted,probability\n" + "\n".join(rows) + "\n"
    )
    (held,) = read_held_out(tmp_path / "held_out.csv", numbers=False)
    assert held.ids.tolist() == ["007", "NA", "c", "d"]
    expected = {"accuracy": 75, "balanced_accuracy": 100 * (2 / 3 + 1) / 2, "roc_auc": 100, "majority": 75}
    assert held.measures == pytest.approx(expected)
    assert confusion(held) == ConfusionTable("y", ["no", "yes"], [[2, 1], [0, 1]])


def test_a_damaged_file_of_held_out_graphs_is_told(tmp_path):
    assert read_held_out(tmp_path / "held_out.csv", numbers=True) == []
    (tmp_path / "held_out.csv").write_text("graph,id,target,known,predicted\n0,a,y,one,2\n")
    with pytest.raises(PartwholeError, match=r"held_out\.csv is damaged"):
        read_held_out(tmp_path / "held_out.csv", numbers=True)


def test_the_report_says_what_was_learned_from():
    numbers = np.arange(len(load_graphs(LIQUIDS)), dtype=float)
    model = RidgeRegressor(vectors="morgan").fit(load_graphs(LIQUIDS), numbers, names=["heat"])
    model.about_["task"].pop("labelled", None)  # as in older runs
    text = "the encoder (morgan), which never saw a label; predictions from its vectors learned from "
    assert maker_of_vectors(model) == f"{text}labels of heat"
    model.about_["task"]["labelled"] = 300
    assert maker_of_vectors(model) == f"{text}300 labels of heat"
    model.targets_ = dataclasses.replace(model.targets_, names=["a", "b"])
    assert maker_of_vectors(model) == f"{text}300 graphs with labels of a and b"
    model.targets_ = dataclasses.replace(model.targets_, names=[f"t{k}" for k in range(27)])
    assert maker_of_vectors(model) == f"{text}300 graphs with labels of 27 targets"


# -------------------------------------------------------------------- pages


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """A run with nine targets, and its file of graphs that were held out."""
    folder = tmp_path_factory.mktemp("many")
    names = [f"target {k}" for k in range(9)]
    smiles = ["C" * n + "O" for n in range(1, 25)]
    lines = [
        f"{text},{','.join('yn'[(i // (k + 1)) % 2] for k in range(9))}" for i, text in enumerate(smiles)
    ]
    (folder / "data.csv").write_text("\n".join([f"smiles,{','.join(names)}", *lines]))
    wanted = [part for name in names for part in ("--target", name)]
    options = ("--method", "logistic", "--option", "vectors=morgan", "--out", folder / "run")
    done = partwhole("fit", folder / "data.csv", *wanted, *options)
    assert done.returncode == 0, done.stderr
    rows = [f'{i},"{smiles[i]}",{name},{"yn"[i % 2]},y,0.7' for name in names for i in range(4)]
    (folder / "run" / "held_out.csv").write_text(
        "\n".join(["graph,id,target,known,predicted,probability", *rows]) + "\n"
    )
    return folder / "run"


@pytest.mark.slow
def test_many_targets_are_folded_and_held_out_graphs_are_compared(many):
    done = partwhole("report", many, "--json")
    assert done.returncode == 0, done.stderr
    page = Path(json.loads(done.stdout)["report"]).read_text()
    assert "<h2>Predictions: 9 targets</h2>" in page
    assert "<details><summary>9 targets: balanced accuracy % 50 to 50, median 50</summary>" in page
    assert "each of these graphs was predicted by a model that did not learn from it" in page
    assert page.count("known ↓ predicted →") == 9
    assert "Graphs that the model learned from count here too" not in page
    assert "labels of 9 targets" in page
    assert re.search("<details><summary>The configuration of the run</summary><pre>", page)
    assert "<h2>Training</h2>" not in page  # it has no epochs


@pytest.mark.slow
def test_without_held_out_graphs_the_report_warns(many, tmp_path):
    kept = (many / "held_out.csv").read_text()
    (many / "held_out.csv").unlink()
    done = partwhole("report", many, "--out", tmp_path / "page.html")
    (many / "held_out.csv").write_text(kept)
    assert done.returncode == 0, done.stderr
    assert "Graphs that the model learned from count here too" in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_the_report_has_legends_and_explains_mutual_information(tmp_path, mutag):
    SubgraphInfoMax(epochs=2, hidden=8, layers=1, generator="multi-head").fit(mutag[:40]).save(tmp_path)
    done = partwhole("report", tmp_path, "MUTAG", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert r"knowing nothing (\u22121.39)" in page
    assert "On the dashed line nothing is known" in page
    assert (
        page.count('<ul class="legend">') == 8 + 1 + 8
    )  # graphs in their parts; subgraphs: on top, and a card
    data = json.loads(re.search('class="map-data">(.*?)</script>', page).group(1))
    counts = load_run(tmp_path).vocabulary_.counts(mutag[:5])
    assert data["parts"]["counts"][3] == counts[3].tolist()
    assert len(data["parts"]["names"]) == len(data["parts"]["colors"]) == counts.shape[1]
    assert '"showlegend":false' not in page.split("</head>")[1]
    assert "which never saw a label" in page


@pytest.mark.slow
def test_a_page_of_a_pretrained_encoder(tmp_path):
    for missing in ((), (LIQUIDS,), ("--out", tmp_path / "page.html")):
        done = partwhole("report", "molecules", *missing, cwd=tmp_path)
        assert done.returncode == 2
        assert "give both: `partwhole report molecules DATA --out page.html`" in done.stderr
    done = partwhole("report", "molecules", LIQUIDS, "--out", tmp_path / "page.csv", cwd=tmp_path)
    assert (done.returncode, "does not end in .html" in done.stderr) == (2, True)
    done = partwhole("report", "molecules", LIQUIDS, "--out", tmp_path / "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "pretrained encoder molecules (molecule-infomax" in page
    assert "run folder" not in page
