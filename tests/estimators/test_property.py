"""Properties from few labels: heads, the choice among them, intervals, and what a user sees of it."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, RationalQuadratic, WhiteKernel

from partwhole import load_graphs, load_run, make_motif_graphs
from partwhole.errors import PartwholeError
from partwhole.estimators.property.choosing import (
    TOGETHER,
    Candidate,
    candidates_of,
    choose,
    mean_of,
    splits_of,
    weights_of,
)
from partwhole.estimators.property.estimator import PropertyClassifier, PropertyRegressor
from partwhole.estimators.property.forest import SHARE, TREES, Forest
from partwhole.estimators.property.gaussian_process import GaussianProcess
from partwhole.estimators.property.heads import Head, Said
from partwhole.estimators.property.linear_head import LinearHead
from partwhole.sources.scaffolds import scaffolds_of
from places import LIQUIDS

VIEWS = {"learned": slice(0, 3), "exact": slice(3, 5)}


def numbers(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Vectors [n, 5] and a standardised number that bends with the first column only."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 5))
    y = np.sin(2 * x[:, :1]) + 0.05 * random.normal(size=(n, 1))
    return x, (y - y.mean()) / y.std()


def classes(n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """The same with three classes in rings."""
    x, _ = numbers(n)
    codes = np.digitize(np.hypot(x[:, 0], x[:, 1]), [0.8, 1.5])
    return x, np.eye(3)[codes]


def test_a_forest_of_arrays_is_that_of_scikit_learn():
    (x, y), new = numbers(), numbers(seed=1)[0]
    forest = Forest.fit(x, y, VIEWS, classes=False, seed=3)
    theirs = RandomForestRegressor(TREES, random_state=3, max_features=SHARE).fit(x, y[:, 0])
    np.testing.assert_allclose(forest.say(new).mean[:, 0], theirs.predict(new), rtol=1e-6, atol=1e-6)
    x, labels = classes()
    forest = Forest.fit(x, labels, VIEWS, classes=True, seed=3)
    weighed = RandomForestClassifier(TREES, random_state=3, class_weight="balanced_subsample")
    wanted = weighed.fit(x, labels.argmax(axis=1)).predict_proba(new)
    np.testing.assert_allclose(forest.say(new).mean, wanted, rtol=1e-6, atol=1e-6)


def test_a_process_with_a_kernel_that_is_known_is_that_of_scikit_learn():
    """One view; the kernel that was learned here, put into theirs as it is."""
    x, y = numbers()
    ours = GaussianProcess.fit(x, y, {"all": slice(0, 5)}, classes=False, seed=0)
    length = float(np.sqrt(ours.squares[0] / 2))  # theirs is 1 / (1 + d^2 / (2 l^2))
    kernel = ConstantKernel(ours.amplitudes[0]) * RationalQuadratic(length, alpha=1.0)
    theirs = GaussianProcessRegressor(kernel + WhiteKernel(ours.noise), optimizer=None)
    theirs.fit(x.astype(np.float32).astype(float), y[:, 0] - y.mean())
    new = numbers(seed=1)[0].astype(np.float32)
    mean, deviation = theirs.predict(new.astype(float), return_std=True)
    said = ours.say(new)
    np.testing.assert_allclose(said.mean[:, 0], mean + y.mean(), atol=1e-6)
    np.testing.assert_allclose(said.deviation[:, 0], deviation, atol=1e-6)


def test_a_process_learns_which_view_counts():
    x, y = numbers(120)
    process = GaussianProcess.fit(x, y, VIEWS, classes=False, seed=0)
    learned, exact = process.amplitudes
    assert learned > 3 * exact  # the labels follow a column of the first view
    assert process.noise < 0.5


def test_leaving_one_out_in_closed_form_is_leaving_one_out():
    """What the curve of classes is fitted to."""
    x, y = numbers(20)
    process = GaussianProcess.fit(x, y, VIEWS, classes=False, seed=0)
    covariance = process.kernel(process.x, process.x) + process.noise * np.eye(20)
    inverse = np.linalg.inv(covariance)
    labels = covariance @ process.weights + process.mean
    closed = labels - process.weights / np.diagonal(inverse)[:, None]
    for k in (0, 7, 19):
        rest = np.delete(np.arange(20), k)
        weights = np.linalg.solve(covariance[np.ix_(rest, rest)], labels[rest] - process.mean)
        np.testing.assert_allclose(covariance[k, rest] @ weights + process.mean, closed[k], rtol=1e-7)


@pytest.mark.parametrize("head", [LinearHead, GaussianProcess, Forest])
@pytest.mark.parametrize("of_classes", [False, True])
def test_heads_come_back_from_their_arrays(head: type[Head], of_classes):
    x, y = classes() if of_classes else numbers()
    fitted = head.fit(x, y, VIEWS, classes=of_classes, seed=0)
    new = numbers(seed=1)[0]
    said, again = fitted.say(new), head.restored(fitted.arrays(), VIEWS).say(new)
    np.testing.assert_array_equal(again.mean, said.mean)
    if of_classes:
        np.testing.assert_allclose(said.mean.sum(axis=1), 1)
        assert (said.mean >= 0).all()
    if said.deviation is not None:
        np.testing.assert_allclose(again.deviation, said.deviation, rtol=1e-4)


def test_what_bends_is_not_left_to_a_linear_model():
    x, y = numbers(150)
    chosen = choose(x, y, VIEWS, candidates_of(VIEWS), classes=False, seed=0, groups=None)
    linear = chosen.errors["linear on learned, exact"]
    assert min(chosen.errors.values()) < 0.7 * linear
    counted = {c.told: weight for (c, _), weight in zip(chosen.heads, chosen.weights, strict=True)}
    assert counted.get("linear on learned, exact", 0.0) < 0.1 < max(counted.values())
    assert set(chosen.errors) == {c.told for c in candidates_of(VIEWS)} | {TOGETHER}


def test_intervals_hold_nine_in_ten_of_new_graphs():
    x, y = numbers(200)
    chosen = choose(x, y, VIEWS, candidates_of(VIEWS), classes=False, seed=0, groups=None)
    new, wanted = numbers(2000, seed=1)
    said = chosen.say(new, VIEWS)
    inside = np.abs(said.mean - wanted) <= chosen.width * said.deviation
    assert 0.82 < inside.mean() < 0.97


def test_a_candidate_sees_its_views_only():
    columns, own = Candidate("linear", ("exact",)).columns(VIEWS)
    assert columns.tolist() == [3, 4]
    assert own == {"exact": slice(0, 2)}


def test_no_scaffold_is_on_both_sides_of_a_fold():
    groups = np.repeat(np.arange(20), 3)
    for train, test in splits_of(np.zeros((60, 1)), False, 0, groups):
        assert not set(groups[train]) & set(groups[test])
    phenols = load_graphs(["c1ccccc1O", "Oc1ccc(C)cc1", "CCO", "C1CCCCC1"])
    scaffolds = scaffolds_of(phenols).tolist()
    assert scaffolds[0] == scaffolds[1]
    assert len(set(scaffolds)) == 3


@pytest.mark.parametrize("of_classes", [False, True])
def test_a_run_says_the_same_again(tmp_path, of_classes):
    graphs = load_graphs(LIQUIDS)
    numbers_known = graphs.target("boiling_point")
    y = numbers_known
    if of_classes:
        high = np.where(numbers_known > np.nanmedian(numbers_known), "high", "low")
        y = np.where(np.isnan(numbers_known), None, high)
    kind = PropertyClassifier if of_classes else PropertyRegressor
    model = kind(vectors="descriptors").fit(graphs, y, names="boiling")
    model.save(tmp_path / "run")
    again = load_run(tmp_path / "run")
    np.testing.assert_array_equal(again.predict(graphs), model.predict(graphs))
    assert again.errors_ == model.errors_
    assert list(model.errors_) == ["boiling"]
    assert model.choice_[0].startswith("boiling: ")
    assert len(model.held_out_.guesses[0].rows) == (~np.isnan(numbers_known)).sum()
    if not of_classes:
        ends = model.predict_interval(graphs)
        assert ends.shape == (len(graphs), 1, 2)
        assert (ends[:, 0, 0] < model.predict(graphs)).all()
    assert "drawn by the seed" in model.held_out_.how  # six scaffolds are too few for five folds


def test_each_target_has_its_own_gaps_and_heads():
    graphs = load_graphs(LIQUIDS)
    known = graphs.target("boiling_point")
    other = graphs.num_nodes.astype(float)
    other[::3] = np.nan
    model = PropertyRegressor(vectors="descriptors").fit(graphs, np.stack([known, other], axis=1))
    assert model.predict(graphs).shape == (len(graphs), 2)
    few = model.held_out_.guesses[1]
    assert len(few.rows) == (~np.isnan(other)).sum()
    assert np.corrcoef(model.predict(graphs)[:, 1], graphs.num_nodes)[0, 1] > 0.9


def test_few_labels_are_not_held_out():
    """All heads together, and nothing is said of how good they are."""
    graphs = load_graphs(LIQUIDS)
    y = graphs.target("boiling_point")
    y[np.flatnonzero(~np.isnan(y))[6:]] = np.nan
    model = PropertyRegressor(vectors="descriptors").fit(graphs, y)
    assert model.held_out_ is None
    assert "fewer than 10 labels tell nothing" in model.choice_[0]
    assert np.isnan(model.predict_interval(graphs)).all()
    assert np.isfinite(model.predict(graphs)).all()


@pytest.mark.parametrize("y", [["a", "b"] * 15, ["a"] * 29 + ["b"], ["a", "b", "c"] * 10])
def test_two_classes_three_and_hardly_two(y):
    graphs = make_motif_graphs(30)
    model = PropertyClassifier(vectors="counts").fit(graphs, y)
    assert set(model.predict(graphs)) <= set(y)
    assert np.isfinite(model.predict_proba(graphs)).all()


def test_a_constant_number():
    graphs = make_motif_graphs(20)
    model = PropertyRegressor(vectors="counts").fit(graphs, np.full(20, 3.5))
    np.testing.assert_allclose(model.predict(graphs), 3.5, atol=1e-6)


def test_fit_chooses_by_itself_and_predict_tells_how_sure_it_is(partwhole, tmp_path):
    run, out = tmp_path / "run", tmp_path / "out.csv"
    fit = ["fit", LIQUIDS, "--target", "boiling_point", "--out", run, "--option", "vectors=descriptors"]
    done = partwhole(*fit)
    assert "Fitted auto-regressor to 23 labelled of" in done.out
    assert "Chosen, boiling_point: " in done.out
    assert "Tried in folds of the labelled graphs" in done.out
    assert done.out.count(" on descriptors, patterns") >= 3
    assert "folds of the labelled graphs" in done.out
    partwhole("predict", run, LIQUIDS, "--out", out)
    rows = list(csv.DictReader(out.open()))
    for row in rows:
        low, high = float(row["boiling_point_low"]), float(row["boiling_point_high"])
        assert low < float(row["boiling_point_predicted"]) < high


def test_models_and_views_can_be_named():
    assert candidates_of(VIEWS, ["forest"], ["exact"]) == [Candidate("forest", ("exact",))]
    assert {c.views for c in candidates_of(VIEWS, ["linear"])} == {("learned", "exact"), ("exact",)}
    graphs = load_graphs(LIQUIDS)
    y = graphs.target("boiling_point")
    model = PropertyRegressor(vectors="descriptors", models=("forest",), views=("patterns",)).fit(graphs, y)
    assert model.choice_ == ["target 0: forest on patterns"]
    assert list(model.errors_["target 0"]) == ["forest on patterns"]
    with pytest.raises(PartwholeError, match=r"no view 'pattern'. Did you mean 'patterns'"):
        PropertyRegressor(vectors="descriptors", views=("pattern",)).fit(graphs, y)
    with pytest.raises(PartwholeError, match=r"models cannot be 'tree'.*forest"):
        PropertyRegressor(models=("tree",)).fit(graphs, y)


def test_the_better_a_model_the_more_it_counts():
    weights = weights_of(np.array([1.0, 1.1, 1.2, 2.0]))
    close = np.exp([0.0, -0.5, -1.0])
    assert np.allclose(weights, [*(close / close.sum()), 0.0])
    assert weights_of(np.array([0.7])).tolist() == [1.0]
    said = [Said(np.array([[1.0]])), Said(np.array([[3.0]]), np.array([[0.5]])), Said(np.array([[9.0]]))]
    mean = mean_of(said, np.array([0.25, 0.75, 0.0]))
    assert mean.mean.item() == 2.5
    assert mean.deviation.item() == 0.5
