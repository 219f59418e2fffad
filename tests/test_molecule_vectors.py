"""Vectors of molecules and what is learned on top: the pretrained encoder, fingerprints, linear models,
weights to begin with, and the table of properties."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet
from sklearn.linear_model import LogisticRegression

from commands import partwhole
from partwhole import PartwholeError, SubgraphInfoMax, SubgraphInfoMaxRegressor, load_graphs, load_pretrained
from partwhole.estimators.linear import LogisticClassifier, RidgeRegressor, in_own_span
from partwhole.estimators.loading import load_run
from partwhole.methods.morgan import MorganFingerprints
from partwhole.reproduce.cells import Cell
from partwhole.reproduce.property_cells import EVERY, score, split
from partwhole.reproduce.tables import TABLES, plan, selected
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import pretrained_folder
from partwhole.sources.datasets import catalogue, moleculenet
from partwhole.sources.rebuilt import rebuilt_molecule

Chem = pytest.importorskip("rdkit.Chem")
from rdkit.Chem import rdFingerprintGenerator  # noqa: E402

LIQUIDS = Path(__file__).parents[1] / "examples" / "molecules.csv"
SMILES = [
    "CCO",
    "c1ccccc1C(=O)[O-]",
    "C[N+](C)(C)CC#N",
    "O=C1NC=NC2=C1N=CN2",
    "[NH4+].[Cl-]",
    "C1CC1Br",
    "[Na+]",
]
ALCOHOLS = ["C" * n + "O" for n in range(1, 20)]


# -------------------------------------------------------------------- molecules again, fingerprints


def test_molecules_come_back_as_they_were():
    for smiles, graph in zip(SMILES, load_graphs(SMILES), strict=True):
        molecule = rebuilt_molecule(graph)
        Chem.SanitizeMol(molecule)
        assert Chem.MolToSmiles(molecule) == Chem.CanonSmiles(smiles)


@pytest.mark.parametrize("counts", [False, True])
def test_fingerprints_are_those_of_rdkit(counts):
    found = MorganFingerprints(bits=512, counts=counts).fit(SMILES).transform(SMILES)
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=512)
    read = generator.GetCountFingerprintAsNumPy if counts else generator.GetFingerprintAsNumPy
    np.testing.assert_array_equal(found, np.stack([read(Chem.MolFromSmiles(s)) for s in SMILES]))


def test_fingerprints_need_molecules(zoo):
    with pytest.raises(PartwholeError, match="no molecules with bonds"):
        MorganFingerprints().fit(zoo)


# -------------------------------------------------------------------- the pretrained encoder


def test_the_pretrained_encoder_gives_a_vector_for_any_molecule():
    encoder = load_pretrained("molecules")
    vectors = encoder.transform([*SMILES, "CCO"])
    assert vectors.shape == (len(SMILES) + 1, 128)
    np.testing.assert_allclose(vectors[0], vectors[-1], rtol=1e-4, atol=1e-4)
    assert encoder.subgraphs("CCO").shape == (encoder.num_subgraphs, 3)
    size = sum(file.stat().st_size for file in pretrained_folder("molecules").iterdir())
    assert size < 1_000_000  # it travels in the package


def test_names_of_pretrained_encoders():
    with pytest.raises(PartwholeError, match=r"no pretrained encoder 'molecule'. Did you mean 'molecules'"):
        load_pretrained("molecule")


def test_embed_with_the_pretrained_encoder(tmp_path):
    out = tmp_path / "out.parquet"
    done = partwhole("embed", "--pretrained", "molecules", LIQUIDS, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["width"] == 128
    table = parquet.read_table(out)
    assert "boiling_point" in table.column_names
    expected = load_pretrained("molecules").transform(LIQUIDS)
    np.testing.assert_allclose(np.stack(table["embedding"].to_numpy()), expected, rtol=1e-3, atol=1e-3)
    found = partwhole("neighbors", "molecules", out, "CCCO", "-k", "2", "--json")
    assert len(json.loads(found.stdout)["answers"][0]["neighbors"]) == 2


def test_wrong_calls_of_embed(tmp_path):
    out = tmp_path / "out.parquet"
    done = partwhole("embed", "--pretrained", "molecules", "run", LIQUIDS, "--out", out)
    assert (done.returncode, "Both a run and --pretrained" in done.stderr) == (2, True)
    done = partwhole("embed", LIQUIDS, "--out", out)
    assert (done.returncode, "a run or data?" in done.stderr) == (2, True)


# -------------------------------------------------------------------- weights to begin with


def test_a_fit_begins_with_the_weights_of_a_run(tmp_path):
    options = {"hidden": 8, "layers": 2, "batch_size": 4}
    SubgraphInfoMax(epochs=2, **options).fit_run(ALCOHOLS, tmp_path / "first")
    first = load_run(tmp_path / "first").transform(ALCOHOLS)
    start = {"start_from": str(tmp_path / "first"), **options}
    begun = SubgraphInfoMax(epochs=0, random_state=5, **start).fit(ALCOHOLS)
    np.testing.assert_array_equal(begun.transform(ALCOHOLS), first)
    assert len(begun.about_["start"]["weights"]) == 64  # which weights these were
    y = [float(len(smiles)) for smiles in ALCOHOLS]
    tuned = SubgraphInfoMaxRegressor(epochs=3, **start).fit_run(ALCOHOLS, tmp_path / "tuned", y=y)
    (tmp_path / "first" / "model.safetensors").unlink()  # is needed to begin, not to go on
    again = load_run(tmp_path / "tuned")
    np.testing.assert_array_equal(again.predict(ALCOHOLS), tuned.predict(ALCOHOLS))
    with pytest.raises(PartwholeError, match=r"no finished run .* to begin with"):
        SubgraphInfoMax(epochs=1, **start).fit(ALCOHOLS)


@pytest.mark.parametrize(
    ("graphs", "options", "told"),
    [
        (ALCOHOLS, {"hidden": 16}, "has hidden = 128, not 16"),
        ("MUTAG", {}, "other attributes"),
    ],
)
def test_weights_that_do_not_fit_are_refused(graphs, options, told):
    with pytest.raises(PartwholeError, match=told):
        SubgraphInfoMax(epochs=1, start_from="molecules", **options).fit(graphs)


def test_other_subgraphs_than_those_of_the_start_are_random():
    starts = [
        SubgraphInfoMax(epochs=0, start_from="molecules", num_subgraphs=count).fit(ALCOHOLS)
        for count in (4, 2)
    ]
    np.testing.assert_array_equal(*[model.transform(ALCOHOLS) for model in starts])
    assert starts[1].subgraphs("CCO").shape == (2, 3)


def test_an_older_run_without_the_option_is_resumed(tmp_path):
    SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4).fit_run(ALCOHOLS, tmp_path / "run")
    run = RunFolder(tmp_path / "run")
    content = run.read_config()
    del content["options"]["start_from"], content["format"]
    run.write_config(content)
    model = SubgraphInfoMax(epochs=2, hidden=8, layers=2, batch_size=4)
    assert len(model.fit_run(ALCOHOLS, run.path, resume=True).history_) == 2


# -------------------------------------------------------------------- linear models


def test_ridge_finds_a_linear_law(tmp_path):
    """The number of atoms is a sum of the counts of degrees; two targets with gaps of their own."""
    store = load_graphs(ALCOHOLS)
    y = np.stack([store.num_nodes * 2.0 + 1, -store.num_nodes * 1.0], axis=1)
    y[3:5, 0] = y[10:14, 1] = np.nan
    model = RidgeRegressor(vectors="counts").fit_run(store, tmp_path / "run", y=y, names=["a", "b"])
    found = model.predict(store)
    np.testing.assert_allclose(found[:, 0], store.num_nodes * 2.0 + 1, atol=0.3)
    np.testing.assert_allclose(found[:, 1], -store.num_nodes * 1.0, atol=0.3)
    np.testing.assert_allclose(load_run(tmp_path / "run").predict(store), found, rtol=1e-6)


def test_a_linear_model_keeps_its_encoder(tmp_path):
    SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4).fit_run(ALCOHOLS, tmp_path / "encoder")
    y = ["long" if len(smiles) > 10 else "short" for smiles in ALCOHOLS]
    model = LogisticClassifier(vectors=str(tmp_path / "encoder"))
    model.fit_run(ALCOHOLS, tmp_path / "run", y=y)
    for file in (tmp_path / "encoder").glob("*.*"):
        file.unlink()
    again = load_run(tmp_path / "run")
    np.testing.assert_array_equal(again.predict(ALCOHOLS), model.predict(ALCOHOLS))
    np.testing.assert_allclose(again.predict_proba(ALCOHOLS).sum(axis=1), 1.0)
    assert model.score(ALCOHOLS, y) > 0.9


def test_fewer_columns_give_the_same_logistic_regression():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(20, 50)), np.arange(20) % 2
    rotated, back = in_own_span(x)
    assert rotated.shape == (20, 20)
    np.testing.assert_allclose(rotated @ back.T, x, atol=1e-9)
    full = LogisticRegression(C=0.1, tol=1e-8).fit(x, y).coef_[0]
    np.testing.assert_allclose(
        back @ LogisticRegression(C=0.1, tol=1e-8).fit(rotated, y).coef_[0], full, atol=1e-4
    )


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        ("nothing", "no vectors 'nothing'"),
        ("node2vec", "gives no vectors for a linear model"),
        ("gin-0", "gives no vectors for a linear model"),
    ],
)
def test_vectors_that_are_none(vectors, told):
    with pytest.raises(PartwholeError, match=told):
        RidgeRegressor(vectors=vectors).fit(ALCOHOLS, np.arange(19.0))


def test_vectors_of_molecules_for_other_graphs_are_refused_with_a_cure(mutag):
    with pytest.raises(PartwholeError, match="vectors=METHOD"):
        RidgeRegressor().fit(mutag, np.arange(188.0))


def test_a_linear_model_from_fit_to_predictions(tmp_path):
    run, out = tmp_path / "run", tmp_path / "out.csv"
    fit = ["fit", LIQUIDS, "--target", "boiling_point", "--method", "ridge", "--out", run]
    done = partwhole(*fit, "--option", "vectors=morgan")
    assert done.returncode == 0, done.stderr
    done = partwhole("predict", run, LIQUIDS, "--out", out, "--json")
    assert json.loads(done.stdout)["known"][0]["measure"] == "mean absolute error"
    assert len(out.read_text().splitlines()) == len(load_graphs(LIQUIDS)) + 1


# -------------------------------------------------------------------- MoleculeNet and the table of properties


def test_the_sets_have_the_published_sizes(dataset):
    for name, about in moleculenet.SETS.items():
        store = dataset(name)
        assert len(store) == about.graphs
        assert {column.name for column in store.schema.targets} >= set(about.targets)
    known = [dataset("Tox21").target(name) for name in moleculenet.SETS["Tox21"].targets]
    assert sum(value is None or value != value for column in known for value in column) == 16012


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_set_is_downloaded_and_checked(tmp_path, monkeypatch, capfd):
    place = catalogue.find("FreeSolv")
    if place is None:
        pytest.skip("FreeSolv is not on this machine")
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "SAMPL.csv").write_bytes(place.read_bytes())
    (mirror / "BBBP.csv").write_text("smiles,p_np\nCCO,1\n")
    monkeypatch.setenv("PARTWHOLE_DATA", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with served(mirror) as address:
        monkeypatch.setenv("PARTWHOLE_MIRROR", address)
        assert len(load_graphs("freesolv")) == 642
        with pytest.raises(PartwholeError, match="not that of BBBP: it is cut short or altered"):
            load_graphs("BBBP")


def test_no_scaffold_is_on_both_sides():
    groups = np.repeat(np.arange(40), np.arange(1, 41))  # 820 molecules, scaffolds of 1 to 40
    known = np.ones(len(groups), bool)
    known[::7] = False
    parts = [split(groups, known, "100", seed) for seed in (0, 0, 1)]
    for part in parts:
        train = np.concatenate([part.labelled, part.rest])
        assert set(groups[train]).isdisjoint(groups[part.test])
        assert len(part.labelled) == 100
        assert known[part.labelled].all()
        assert known[part.test].all()
        assert len(np.unique(np.concatenate([train, part.test]))) == len(train) + len(part.test)
        assert 0.15 * 820 * 6 / 7 < len(part.test) <= 164
    np.testing.assert_array_equal(parts[0].test, parts[1].test)
    assert not np.array_equal(parts[0].test, parts[2].test)
    everything = split(groups, known, EVERY, 0)
    assert known[everything.labelled].all()
    assert not known[everything.rest].any()


def test_scores_are_those_of_the_literature():
    class Half:  # two targets, of which the second has a gap
        def labels(self):
            return [np.array([0, 1])] * 2

        def probabilities(self, store):
            chances = np.array([0.1, 0.4, 0.35, 0.8])
            return [np.stack([1 - chances, chances], axis=1)] * 2

    y = np.array([[0, 1], [0, None], [1, 0], [1, 1]], dtype=object)
    found = score(Half(), None, y, np.array([[v is not None for v in row] for row in y]))
    assert found == {"measure": "ROC AUC", "value": pytest.approx(62.5)}  # 75 and 50


@pytest.mark.parametrize("row", ["morgan", "fine-tuned"])
def test_a_cell_of_the_table(dataset, tmp_path, row):
    dataset("FreeSolv")
    table = selected(TABLES["molecules"], ["FreeSolv"], [row], ["300"])
    cells = plan(table, runs=1, epochs=1)
    cell: Cell = cells["FreeSolv:300", row][0]
    measured = cell.measure(tmp_path / "cell")
    assert measured.figures["score"]["measure"] == "RMSE"
    assert 0.5 < measured.figures["score"]["value"] < 100  # after one epoch
    assert measured.figures["split"]["labelled"] == 300


def test_a_record_that_does_not_name_a_newer_option_still_answers():
    cell = plan(selected(TABLES["table2"], ["MUTAG"], ["tree-split"]))["MUTAG", "tree-split"][0]
    record = {"cell": cell.key, "configuration": cell.configuration()}
    del record["configuration"]["start_from"]
    assert cell.is_that_of(record)
    assert not cell.is_that_of({**record, "configuration": {**record["configuration"], "start_from": "x"}})


def test_pages_of_the_pretrained_encoder_need_graphs(tmp_path):
    done = partwhole("serve", "molecules")
    assert (done.returncode, "name graphs to show" in done.stderr) == (2, True)
    done = partwhole("report", "molecules", LIQUIDS, cwd=tmp_path)
    assert (done.returncode, "give both" in done.stderr) == (2, True)
