"""The scikit-learn face."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from partwhole import (
    PartwholeError,
    SubgraphInfoMax,
    SubgraphInfoMaxClassifier,
    SubgraphInfoMaxRegressor,
    load_graphs,
    make_motif_graphs,
)
from partwhole.estimators.linear import RidgeRegressor

SMALL = {"hidden": 8, "layers": 2, "epochs": 3, "batch_size": 64}
AUTO = {
    "selection": "balanced",
    "pair_score": "scaled",
    "objective": "described",
}  # what a run folder says for `auto`


def test_clone_and_parameters():
    model = SubgraphInfoMax(generator="multi-head", num_subgraphs=3, random_state=4)
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert copy.set_params(lr=0.5).lr == 0.5
    assert "generator='multi-head'" in repr(model)
    assert len({model, copy}) == 2  # hashable, by identity


def test_cross_val_score_of_a_pipeline_on_graphs(mutag):
    pipeline = make_pipeline(SubgraphInfoMax(**SMALL), StandardScaler(), SVC())
    scores = cross_val_score(pipeline, mutag, mutag.labels, cv=3)
    assert scores.shape == (3,)
    assert scores.mean() > 0.66  # the larger class


def test_grid_search_over_our_parameters(mutag):
    pipeline = make_pipeline(SubgraphInfoMax(**SMALL), SVC())
    search = GridSearchCV(pipeline, {"subgraphinfomax__generator": ["tree-split", "multi-head"]}, cv=2)
    search.fit(mutag, mutag.labels)
    assert search.best_params_["subgraphinfomax__generator"] in ("tree-split", "multi-head")
    assert search.predict(mutag[:5]).shape == (5,)


def test_cross_validation_on_a_list_of_smiles():
    smiles = ["C" * n for n in range(1, 21)] + ["c1ccccc1" + "C" * n for n in range(20)]
    labels = np.repeat([0, 1], 20)
    model = SubgraphInfoMax(hidden=32, layers=2, epochs=20)
    pipeline = make_pipeline(model, StandardScaler(), SVC())
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    assert cross_val_score(pipeline, smiles, labels, cv=folds).mean() > 0.8


def test_transform_needs_fit_and_the_same_attributes(mutag):
    with pytest.raises(NotFittedError):
        SubgraphInfoMax().transform(mutag)
    model = SubgraphInfoMax(**SMALL).fit(mutag)
    with pytest.raises(PartwholeError, match="no attribute 'atom', which the model learned from"):
        model.transform(make_motif_graphs(4))
    with pytest.warns(UserWarning, match="degree, charge, .* it is not used"):
        assert model.transform(["CCO"]).shape == (1, model.hidden)  # atoms and bonds are found by name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generator": "tree"}, "Unknown generator 'tree'"),
        ({"num_subgraphs": 3}, "choose a power of two"),
        ({"num_subgraphs": "4"}, "must be of type int"),
        ({"selection": "softly"}, "Did you mean 'soft'"),
        ({"epochs": -1}, "epochs must be at least 0"),
        ({"batch_size": 1}, "batch_size must be at least 2"),
        ({"lr": 0.0}, "lr must be above 0"),
        ({"lr": float("nan")}, "finite number"),
        ({"backbone": "pyg:Nothing"}, "no basic model 'Nothing'"),
        ({"structure": ("degrees",)}, "Did you mean 'degree'"),
        ({"head_negatives": 1}, "must be of type bool"),
    ],
)
def test_bad_parameters_are_named_when_fitting(mutag, options, message):
    with pytest.raises(PartwholeError, match=message):
        SubgraphInfoMax(**options).fit(mutag)


def test_save_and_load_give_the_same_vectors_and_subgraphs(mutag, tmp_path):
    model = SubgraphInfoMax(structure=("triangles",), readout="set2set", **SMALL).fit(mutag)
    model.save(tmp_path / "run")
    loaded = SubgraphInfoMax.load(tmp_path / "run")
    assert loaded.get_params() == model.get_params() | AUTO
    np.testing.assert_array_equal(loaded.transform(mutag), model.transform(mutag))
    np.testing.assert_array_equal(loaded.subgraphs(mutag[3]), model.subgraphs(mutag[3]))
    assert loaded.history_ == model.history_


def test_a_model_from_a_short_list_of_objects():
    model = SubgraphInfoMax(**SMALL).fit(["CCO", "CCN", "c1ccccc1O"])
    assert model.transform(["CC(=O)O"]).shape == (1, 8)
    assert model.subgraphs("CCO").shape == (4, 3)
    assert load_graphs(["CCO"]).schema == model.schema_


# -------------------------------------------------------------------- evaluation mode


def everything_it_tells(model, graphs) -> list[np.ndarray]:
    return [model.transform(graphs), *model.all_subgraphs(graphs), model.subgraphs(graphs[2])]


@pytest.mark.parametrize("recipe", ["best", "paper"])
def test_a_network_in_training_mode_gives_the_same_vectors_and_learns_nothing_from_it(mutag, recipe):
    model = SubgraphInfoMax(recipe=recipe, **SMALL).fit(mutag)
    expected = everything_it_tells(model, mutag[:20])
    moments = {name: buffer.clone() for name, buffer in model.model_.named_buffers()}
    model.model_.train()
    frozen = model.model_.node_aggregation.eval()
    for found, wanted in zip(everything_it_tells(model, mutag[:20]), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    alone = np.concatenate([model.transform(mutag[k : k + 1]) for k in range(20)])
    np.testing.assert_allclose(alone, expected[0], rtol=1e-4, atol=1e-5)
    for name, buffer in model.model_.named_buffers():
        assert buffer.equal(moments[name]), name
    assert model.model_.training  # each module has the mode that it had
    assert not frozen.training


def test_predictions_do_not_depend_on_the_mode_either(mutag):
    model = SubgraphInfoMaxClassifier(unlabelled="mean-teacher", **SMALL).fit(mutag, mutag.labels)
    shares, vectors = model.predict_proba(mutag), model.transform(mutag)
    model.learned_.network.train()
    np.testing.assert_array_equal(model.predict_proba(mutag), shares)
    np.testing.assert_array_equal(model.transform(mutag), vectors)
    assert all(module.training for module in model.learned_.network.modules())


# -------------------------------------------------------------------- run folders are not lost


def test_save_refuses_to_replace_a_run_unless_told_to(mutag, tmp_path):
    run = tmp_path / "run"
    first = SubgraphInfoMaxRegressor(**SMALL, snapshot_every=1).fit_run(mutag, run, y=mutag.num_nodes * 1.0)
    for name in ("report.html", "left_out.csv", "notes.txt"):
        (run / name).write_text("of before")
    files = sorted(path.name for path in run.iterdir())
    other = SubgraphInfoMax(**SMALL).fit(mutag)
    with pytest.raises(PartwholeError, match=r"already holds a run; replace it with `overwrite=True`"):
        other.save(run)
    assert sorted(path.name for path in run.iterdir()) == files
    np.testing.assert_array_equal(SubgraphInfoMaxRegressor.load(run).predict(mutag), first.predict(mutag))
    other.save(run, overwrite=True)
    left = sorted(path.name for path in run.rglob("*") if path.is_file())
    assert left == [
        "config.toml",
        "metrics.jsonl",
        "model.safetensors",
        "notes.txt",
        "vocabulary.safetensors",
    ]
    np.testing.assert_array_equal(SubgraphInfoMax.load(run).transform(mutag), other.transform(mutag))


# -------------------------------------------------------------------- values of NumPy, and seeds


def in_numpy(value: Any) -> Any:
    kinds = {bool: np.bool_, int: np.int64, float: np.float32, str: np.str_, tuple: np.array}
    return kinds[type(value)](value)


def test_scalars_of_numpy_are_taken_for_every_option_and_kept_as_plain_values(mutag, tmp_path):
    plain = SubgraphInfoMax(structure=("degree",), lr=0.5, temperature=0.25, **SMALL)
    given = {name: in_numpy(value) for name, value in plain.get_params().items()}
    model = clone(SubgraphInfoMax(**given)).fit(mutag)
    model.save(tmp_path / "run")
    loaded = SubgraphInfoMax.load(tmp_path / "run")
    assert loaded.get_params() == plain.get_params() | AUTO
    assert {type(v) for v in loaded.get_params().values()} == {bool, int, float, str, tuple}
    np.testing.assert_array_equal(loaded.transform(mutag), plain.fit(mutag).transform(mutag))


def test_grid_search_over_an_array(mutag):
    pipeline = make_pipeline(SubgraphInfoMax(**SMALL), SVC())
    grid = {"subgraphinfomax__num_subgraphs": np.array([2, 4]), "subgraphinfomax__lift": np.array([True])}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(mutag, mutag.labels)
    assert search.best_params_["subgraphinfomax__num_subgraphs"] in (2, 4)


@pytest.mark.parametrize(
    "state",
    [lambda: np.random.RandomState(3), lambda: np.random.default_rng(3), lambda: None],
    ids=["RandomState", "Generator", "None"],
)
def test_a_random_state_is_drawn_from_and_the_seed_is_kept(mutag, tmp_path, state):
    model = SubgraphInfoMax(random_state=state(), **SMALL)
    given = model.random_state
    model.fit(mutag)
    first = model.seed_
    assert model.random_state is given
    assert type(first) is int
    assert 0 <= first < 2**32
    model.save(tmp_path / "run")
    loaded = SubgraphInfoMax.load(tmp_path / "run")
    assert loaded.random_state == loaded.seed_ == first
    again = SubgraphInfoMax(random_state=first, **SMALL).fit(mutag)
    np.testing.assert_array_equal(again.transform(mutag), model.transform(mutag))
    assert model.fit(mutag).seed_ != first  # drawn anew for every fit


def test_the_labels_are_parted_by_the_seed_that_was_drawn(mutag):
    model = SubgraphInfoMaxRegressor(random_state=None, **SMALL).fit(mutag, mutag.num_nodes * 1.0)
    again = clone(model).set_params(random_state=model.seed_).fit(mutag, mutag.num_nodes * 1.0)
    np.testing.assert_array_equal(again.predict(mutag), model.predict(mutag))


def test_a_run_without_a_given_seed_is_resumed_with_its_own(mutag, tmp_path):
    whole = SubgraphInfoMax(random_state=None, **SMALL).fit_run(mutag, tmp_path / "run")
    more = SubgraphInfoMax(random_state=None, **{**SMALL, "epochs": 5})
    more.fit_run(mutag, tmp_path / "run", resume=True)
    assert more.seed_ == whole.seed_
    assert [row["epoch"] for row in more.history_] == [1, 2, 3, 4, 5]
    other = SubgraphInfoMax(random_state=whole.seed_ ^ 1, **SMALL)
    with pytest.raises(PartwholeError, match="was started with random_state"):
        other.fit_run(mutag, tmp_path / "run", resume=True)


# -------------------------------------------------------------------- faces


def test_columns_have_names_and_come_as_a_table(mutag):
    pandas = pytest.importorskip("pandas")
    model = SubgraphInfoMax(**SMALL)
    with pytest.raises(NotFittedError):
        model.get_feature_names_out()
    vectors = model.fit(mutag).transform(mutag[:3])
    names = [f"subgraphinfomax{k}" for k in range(8)]
    assert model.get_feature_names_out().tolist() == names
    table = model.set_output(transform="pandas").transform(mutag[:3])
    assert isinstance(table, pandas.DataFrame)
    assert table.columns.tolist() == names
    np.testing.assert_array_equal(table.to_numpy(), vectors)
    pipeline = make_pipeline(SubgraphInfoMax(**SMALL), StandardScaler()).set_output(transform="pandas")
    assert pipeline.fit_transform(mutag).columns.tolist() == names


def test_models_on_vectors_work_where_all_transformers_give_tables(mutag):
    pytest.importorskip("pandas")
    expected = RidgeRegressor(vectors="counts").fit(mutag, mutag.num_nodes).predict(mutag)
    with config_context(transform_output="pandas"):
        model = RidgeRegressor(vectors="counts").fit(mutag, mutag.num_nodes)
        np.testing.assert_array_equal(model.predict(mutag), expected)
        assert model.transform(mutag).columns[0] == "ridgeregressor0"


@pytest.mark.parametrize("kind", [SubgraphInfoMax, SubgraphInfoMaxClassifier, RidgeRegressor])
def test_estimators_have_an_html_face_before_and_after_a_fit(mutag, kind):
    options = {"vectors": "counts"} if kind is RidgeRegressor else SMALL
    model = kind(**options)
    assert "Not fitted" in model._repr_html_()
    with pytest.raises(PartwholeError):
        model.fit(mutag[:1], *(() if kind is SubgraphInfoMax else (["x", "y"],)))
    assert "Not fitted" in model._repr_html_()  # what failed is not fitted
    labels = () if kind is SubgraphInfoMax else (mutag.labels,)
    assert "Fitted" in model.fit(mutag, *labels)._repr_html_()
    assert len(repr(model)) < 300
