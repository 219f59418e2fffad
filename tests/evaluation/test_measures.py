"""What is said of how good something is: which target, which measures, and what a simple guess reaches."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pyarrow import csv
from sklearn.linear_model import RidgeCV
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from partwhole import PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.estimators.linear import PENALTIES, LogisticClassifier, RidgeRegressor
from partwhole.estimators.loading import load_run
from partwhole.estimators.semi_supervised.measures import class_measures, number_measures
from partwhole.evaluation.classifiers import fold_measures
from partwhole.evaluation.nested import C_GRID
from partwhole.evaluation.numbers import ridge_measures
from partwhole.evaluation.refits import refitted
from partwhole.evaluation.scoring import evaluate

pytest.importorskip("rdkit")
SMILES = ["C" * (k % 12 + 1) + ("O" if k % 3 else "N") for k in range(60)]


@pytest.fixture
def table(tmp_path):
    """Two classes and a number; the first target is the rarer one, with gaps, and one row is no molecule."""
    rows = [
        f"{text},{int(k % 10 == 0)},{'' if k > 50 else k % 3 > 0},{len(text)}.25"
        for k, text in enumerate(SMILES)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["smiles,rare,alcohol,length", *rows, "C1CC,0,true,1"]) + "\n")
    return tmp_path / "t.csv"


@pytest.fixture
def run(tmp_path):
    SubgraphInfoMax(hidden=8, layers=2, epochs=2).fit_run(SMILES, tmp_path / "run")
    return tmp_path / "run"


# ---------------------------------------------------------------- the measures themselves


def test_measures_of_classes_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    for classes in (2, 3):
        codes = random.integers(0, classes, 90)
        scores = random.normal(size=(90, classes)) + np.eye(classes)[codes]
        chosen = scores.argmax(axis=1)
        found = class_measures(codes, chosen, scores)
        assert found["accuracy"] == pytest.approx(100 * np.mean(codes == chosen))
        assert found["balanced_accuracy"] == pytest.approx(100 * balanced_accuracy_score(codes, chosen))
        assert found["majority"] == pytest.approx(100 * np.bincount(codes).max() / 90)
        if classes == 2:
            auc = roc_auc_score(codes, scores[:, 1] - scores[:, 0])
        else:
            auc = np.mean([roc_auc_score(codes == k, scores[:, k]) for k in range(3)])
        assert found["roc_auc"] == pytest.approx(100 * auc)
    assert class_measures(np.zeros(3, int), np.zeros(3, int), None) == {"accuracy": 100.0, "majority": 100.0}


def test_measures_of_numbers_are_those_of_scikit_learn():
    known, predicted = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    found = number_measures(known, predicted)
    assert found == pytest.approx(
        {
            "rmse": (5 / 3) ** 0.5,
            "mae": mean_absolute_error(known, predicted),
            "r2": r2_score(known, predicted),
            "rmse_of_mean": known.std(),
        }
    )
    assert "r2" not in number_measures(np.ones(3), predicted)


def test_folds_are_measured_as_a_grid_search_would_be(mutag):
    vectors = SubgraphInfoMax(hidden=16, layers=2, epochs=1, recipe="paper").fit_transform(mutag)
    folds = StratifiedKFold(4, shuffle=True, random_state=3).split(vectors, mutag.labels)
    for measures, (train, test) in zip(
        fold_measures(vectors, mutag.labels, folds=4, seed=3), folds, strict=True
    ):
        search = GridSearchCV(SVC(), {"C": C_GRID}, cv=5).fit(vectors[train], mutag.labels[train])
        wanted, chosen = mutag.labels[test], search.predict(vectors[test])
        assert measures["accuracy"] == pytest.approx(100 * np.mean(wanted == chosen))
        assert measures["balanced_accuracy"] == pytest.approx(100 * balanced_accuracy_score(wanted, chosen))
        auc = roc_auc_score(wanted, search.decision_function(vectors[test]))
        assert measures["roc_auc"] == pytest.approx(100 * auc, abs=0.5)  # LIBSVM stops within a tolerance


def test_numbers_are_told_by_ridge_regression(mutag):
    vectors = SubgraphInfoMax(hidden=16, layers=2, epochs=1).fit_transform(mutag)
    y = mutag.num_edges.astype(float)
    folds = KFold(5, shuffle=True, random_state=1).split(vectors)
    for measures, (train, test) in zip(ridge_measures(vectors, y, 5, 1), folds, strict=True):
        twin = make_pipeline(StandardScaler(), RidgeCV(PENALTIES)).fit(vectors[train].astype(float), y[train])
        assert measures["rmse"] == pytest.approx(
            np.sqrt(np.mean((twin.predict(vectors[test]) - y[test]) ** 2)), rel=1e-3
        )
    with pytest.raises(PartwholeError, match="3 graphs with this target are too few for 10 folds"):
        ridge_measures(vectors[:3], y[:3], 10, 0)


# ---------------------------------------------------------------- evaluate


def test_any_target_can_be_told_and_is_named(run, table):
    store = load_graphs(table, strict=False)
    first = evaluate(run, store, folds=3)
    assert (first["target"], first["graphs"], first["unlabelled"]) == ("rare", 60, 0)
    assert first["measures"]["majority"]["mean"] == pytest.approx(90)
    assert first["accuracy"] == first["measures"]["accuracy"]
    second = evaluate(run, store, folds=3, target="alcohol")
    assert (second["target"], second["graphs"], second["unlabelled"]) == ("alcohol", 51, 9)
    assert second["measures"]["balanced_accuracy"]["mean"] > 90  # which tells O from N
    assert second["measures"]["roc_auc"]["mean"] > 90
    number = evaluate(run, store, folds=10, target="length")
    assert set(number["measures"]) == {"rmse", "mae", "r2", "rmse_of_mean"}
    assert number["measures"]["r2"]["mean"] > 0.9
    with pytest.raises(PartwholeError, match="'length' is a number, and the protocol 'paper' is of classes"):
        evaluate(run, store, "paper", folds=3, target="length")


def test_evaluate_says_what_it_does(run, table, partwhole):
    printed = partwhole("evaluate", run, table, "--folds", 3)
    assert "rare" in printed.out
    assert "balanced accuracy %" in printed.out
    assert "largest class %" in printed.out
    assert "The data set has 3 targets; --target names another, or all." in printed.out
    assert "left out, row 62: 'C1CC' is not valid SMILES" in printed.err  # as a fit would have left it out
    assert "Row 62" in partwhole("evaluate", run, table, "--strict", code=2).err
    every = json.loads(partwhole("evaluate", run, table, "--folds", 3, "--target", "all", "--json").out)
    assert [every["target"], *(r["target"] for r in every["also"])] == [
        target for target in ("rare", "alcohol", "length") for _ in range(2)
    ]
    assert "Did you mean 'alcohol'" in partwhole("evaluate", run, table, "--target", "alcool", code=2).err


@pytest.mark.slow
def test_a_run_with_labels_is_fitted_anew_without_each_fold(table, tmp_path, partwhole):
    store = load_graphs(table, strict=False)
    model = RidgeRegressor(vectors="morgan").fit(store, store.target("length"), names="length")
    found = refitted(model, store, folds=4, seed=2)["length"]
    folds = KFold(4, shuffle=True, random_state=2).split(np.arange(60))
    for measures, (train, test) in zip(found, folds, strict=True):
        fresh = RidgeRegressor(vectors="morgan").fit(store[train], store.target("length")[train])
        assert measures == pytest.approx(
            number_measures(store.target("length")[test], fresh.predict(store[test]))
        )
    labels = tmp_path / "labels"
    linear = ["--method", "logistic", "--option", "vectors=morgan"]
    partwhole("fit", table, "--target", "alcohol", "--out", labels, *linear)
    told = json.loads(partwhole("evaluate", labels, table, "--json").out)
    assert (told["target"], told["folds"], told["protocol"]) == ("alcohol", 5, "fitted anew")
    assert told["measures"]["roc_auc"]["mean"] > 95
    assert "leave --protocol out" in partwhole("evaluate", labels, table, "--protocol", "paper", code=2).err
    assert (
        "did not learn the target 'rare'"
        in partwhole("evaluate", labels, table, "--target", "rare", code=2).err
    )


# ---------------------------------------------------------------- a fit with labels


def test_a_fit_with_labels_tells_what_came_of_them(table, tmp_path, partwhole):
    linear = ["--method", "logistic", "--option", "vectors=morgan"]
    printed = partwhole("fit", table, "--target", "alcohol", "--out", tmp_path / "run", *linear)
    assert "Fitted logistic to 51 labelled of 60 graphs" in printed.out
    assert "Chosen, alcohol: columns" in printed.out
    assert "On labelled graphs that were held out" in printed.out
    assert "ROC AUC %" in printed.out
    assert "5 folds of the labelled graphs, everything chosen anew in each." in printed.out
    rows = csv.read_csv(tmp_path / "run" / "held_out.csv").to_pydict()
    assert len(rows["graph"]) == 51
    assert set(rows) == {"graph", "id", "target", "known", "predicted", "probability"}
    assert load_run(tmp_path / "run").about_["task"]["labelled"] == 51
    told = json.loads(
        partwhole(
            "fit",
            table,
            "--target",
            "alcohol",
            "--out",
            tmp_path / "net",
            "--epochs",
            2,
            "--hidden",
            8,
            "--json",
        ).out
    )
    assert told["labelled"] == 51
    assert told["held_out"]["how"] == "5 graphs held out, which also chose the epoch"
    assert set(told["held_out"]["measures"]["alcohol"]) >= {"accuracy", "majority"}
    assert told["choice"][0].startswith("epoch ")


def test_held_out_predictions_come_from_models_that_did_not_see_the_graph(table):
    store = load_graphs(table, strict=False)
    y = store.target("length")
    model = RidgeRegressor(vectors="morgan").fit(store, y)
    (guess,) = model.held_out_.guesses
    assert guess.rows.tolist() == list(range(60))
    for train, test in KFold(5, shuffle=True, random_state=0).split(np.arange(60)):
        known = np.where(np.isin(np.arange(60), train), y, np.nan)
        fresh = RidgeRegressor(vectors="morgan").fit(store, known)  # the same vectors, fewer labels
        np.testing.assert_allclose(guess.predicted[test], fresh.predict(store)[test], rtol=1e-6)
    assert guess.measures == number_measures(y, guess.predicted)


def test_all_targets_at_once(table, tmp_path, partwhole):
    told = partwhole("fit", table, "--target", "all", "--out", tmp_path / "no", code=2).err
    assert "is a number and" in told
    (tmp_path / "classes.csv").write_text(
        "smiles,a,b\n" + "".join(f"{text},{k % 2},{k % 3 > 0}\n" for k, text in enumerate(SMILES))
    )
    linear = ["--method", "logistic", "--option", "vectors=morgan", "--json"]
    done = partwhole("fit", tmp_path / "classes.csv", "--target", "all", "--out", tmp_path / "run", *linear)
    assert json.loads(done.out)["targets"] == ["a", "b"]
    assert load_run(tmp_path / "run").target_names_ == ["a", "b"]


def test_a_target_that_a_fold_never_sees_is_not_judged():
    y = np.full((40, 2), np.nan)
    y[:, 0] = np.arange(40) % 2
    y[3, 1], y[4, 1] = 0, 1
    model = LogisticClassifier(vectors="morgan").fit(SMILES[:40], y, names=["full", "two"])
    assert model.held_out_.guesses[0].target == "full"
    assert all(len(g.rows) <= 40 for g in model.held_out_.guesses)
