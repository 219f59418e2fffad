"""Vectors of molecules and what is learned on top: the pretrained encoder, fingerprints, linear models and
weights to begin with."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pyarrow import parquet
from sklearn.linear_model import LogisticRegression

from commands import partwhole
from partwhole import PartwholeError, SubgraphInfoMax, SubgraphInfoMaxRegressor, load_graphs, load_pretrained
from partwhole.estimators.linear import LogisticClassifier, RidgeRegressor, in_own_span
from partwhole.estimators.loading import load_run
from partwhole.methods.morgan import MorganFingerprints
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import pretrained_folder
from partwhole.sources.rebuilt import rebuilt_molecule
from places import LIQUIDS

Chem = pytest.importorskip("rdkit.Chem")
from rdkit.Chem import rdFingerprintGenerator  # noqa: E402

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
    assert vectors.shape == (len(SMILES) + 1, 974)
    np.testing.assert_allclose(vectors[0], vectors[-1], rtol=1e-4, atol=1e-4)
    assert encoder.subgraphs("CCO").shape == (encoder.num_subgraphs, 3)
    size = sum(file.stat().st_size for file in pretrained_folder("molecules").iterdir())
    assert size < 6_000_000  # it travels in the package


def test_the_learned_view_is_an_encoder_of_its_own():
    """By the same weights, without RDKit's descriptors."""
    learned, whole = load_pretrained("molecules-learned"), load_pretrained("molecules")
    np.testing.assert_allclose(learned.transform(SMILES), whole.transform(SMILES)[:, :256], atol=1e-6)
    weights = [pretrained_folder(name) / "model.safetensors" for name in ("molecules-learned", "molecules")]
    assert weights[0].samefile(weights[1])


def test_names_of_pretrained_encoders():
    with pytest.raises(PartwholeError, match=r"no pretrained encoder 'molecule'. Did you mean 'molecules"):
        load_pretrained("molecule")


@pytest.mark.slow
def test_embed_with_the_pretrained_encoder(tmp_path):
    out = tmp_path / "out.parquet"
    done = partwhole("embed", "--pretrained", "molecules", LIQUIDS, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["width"] == 974
    table = parquet.read_table(out)
    assert "boiling_point" in table.column_names
    expected = load_pretrained("molecules").transform(LIQUIDS)
    np.testing.assert_allclose(np.stack(table["embedding"].to_numpy()), expected, rtol=1e-3, atol=1e-3)
    found = partwhole("neighbors", "molecules", out, "CCCO", "-k", "2", "--json")
    assert len(json.loads(found.stdout)["answers"][0]["neighbors"]) == 2


@pytest.mark.slow
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
        SubgraphInfoMax(epochs=1, start_from="molecules-small", **options).fit(graphs)


def test_other_subgraphs_than_those_of_the_start_are_random():
    starts = [
        SubgraphInfoMax(epochs=0, start_from="molecules-small", num_subgraphs=count).fit(ALCOHOLS)
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


@pytest.mark.slow
def test_a_linear_model_from_fit_to_predictions(tmp_path):
    run, out = tmp_path / "run", tmp_path / "out.csv"
    fit = ["fit", LIQUIDS, "--target", "boiling_point", "--method", "ridge", "--out", run]
    done = partwhole(*fit, "--option", "vectors=morgan")
    assert done.returncode == 0, done.stderr
    done = partwhole("predict", run, LIQUIDS, "--out", out, "--json")
    assert json.loads(done.stdout)["known"][0]["measure"] == "mean absolute error"
    assert len(out.read_text().splitlines()) == len(load_graphs(LIQUIDS)) + 1


@pytest.mark.slow
def test_pages_of_the_pretrained_encoder_need_graphs(tmp_path):
    done = partwhole("serve", "molecules")
    assert (done.returncode, "name graphs to show" in done.stderr) == (2, True)
    done = partwhole("report", "molecules", LIQUIDS, cwd=tmp_path)
    assert (done.returncode, "give both" in done.stderr) == (2, True)
