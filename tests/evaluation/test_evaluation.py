"""The protocols: what each may look at, and that nothing leaks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from partwhole import PartwholeError, SubgraphInfoMax
from partwhole.estimators.loading import load_run
from partwhole.evaluation.classifiers import fold_accuracies, outer_folds
from partwhole.evaluation.linear_svm import rotate, weight_path
from partwhole.evaluation.logistic import logistic_regression
from partwhole.evaluation.nested import C_GRID
from partwhole.evaluation.protocols import PROTOCOLS
from partwhole.evaluation.scoring import evaluate
from partwhole.evaluation.svm import nested_svm


@pytest.fixture(scope="module")
def run(mutag, tmp_path_factory):
    out = tmp_path_factory.mktemp("evaluation") / "run"
    SubgraphInfoMax(hidden=16, layers=2, epochs=10, snapshot_every=5).fit_run(mutag, out)
    return out


@pytest.mark.parametrize("name", ["MUTAG", "IMDB-MULTI"])
def test_folds_choices_and_predictions_are_those_of_a_grid_search(dataset, name):
    graphs = dataset(name)[::3]
    labels = graphs.labels
    # Unit-size vectors, as those of `best`, have folds of IMDB-MULTI in which the smallest C wins, where the
    # order of the samples decides what LIBSVM gives; see `evaluation/svm.py`.
    vectors = SubgraphInfoMax(recipe="paper", hidden=32, layers=2, epochs=1).fit_transform(graphs)
    folds = outer_folds(labels, 10, seed=3)
    plain = StratifiedKFold(10, shuffle=True, random_state=3).split(vectors, labels)
    accuracies = []
    for result, (train, test), (a, b) in zip(nested_svm(vectors, labels, folds), folds, plain, strict=True):
        assert (train.tolist(), test.tolist()) == (a.tolist(), b.tolist())
        search = GridSearchCV(SVC(), {"C": C_GRID}, cv=5).fit(vectors[train], labels[train])
        assert result.chosen == search.best_params_["C"]
        assert result.predictions.tolist() == search.predict(vectors[test]).tolist()
        accuracies.append(100 * search.score(vectors[test], labels[test]))
    assert fold_accuracies(vectors, labels, seed=3).tolist() == pytest.approx(accuracies)
    assert pytest.approx([0.001, 0.01, 0.1, 1, 10, 100, 1000]) == C_GRID


def test_the_linear_svm_is_that_of_liblinear():
    """At the optimum, which coordinate descent reaches on vectors of size one."""
    random = np.random.default_rng(2)
    x = random.normal(size=(90, 12))
    x[60:] = x[:30]  # a third occurs twice, also with another label
    labels = (x[:, 0] + random.normal(size=90) > 0).astype(int)
    side, extended = 2.0 * labels - 1, np.c_[x, np.ones(90)]
    path = weight_path(extended, side, np.ones(90), C_GRID)
    for c, weight in zip(C_GRID, path):
        twin = LinearSVC(C=c, tol=1e-9, max_iter=10**6, random_state=0).fit(x, labels)
        assert weight == pytest.approx(np.r_[twin.coef_[0], twin.intercept_], abs=1e-5)
    turned = rotate(np.c_[x, x[:, :1]])  # one direction is a copy: it is left out
    assert turned.shape == (90, 12)
    assert turned @ turned.T == pytest.approx(x @ x.T + np.outer(x[:, 0], x[:, 0]))


def test_logistic_regression_is_adam_on_each_fold_alone():
    random = np.random.default_rng(1)
    vectors = 5 * random.normal(size=(60, 7)).astype(np.float32)
    labels = np.arange(60) % 3
    folds = outer_folds(labels, 4, seed=0)
    generator, bound = torch.Generator().manual_seed(0), (6 / (7 + 3)) ** 0.5
    twins = []
    for train, test in folds:
        layer = torch.nn.Linear(7, 3)
        with torch.no_grad():
            layer.weight.copy_(torch.empty(7, 3).uniform_(-bound, bound, generator=generator).T)
            layer.bias.zero_()
        adam = torch.optim.Adam(layer.parameters(), lr=0.01, weight_decay=0.01)
        for _ in range(100):
            adam.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                layer(torch.from_numpy(vectors[train])), torch.from_numpy(labels[train])
            )
            loss.backward()
            adam.step()
        twins.append(layer(torch.from_numpy(vectors[test])).argmax(1).tolist())
    assert [p.tolist() for p in logistic_regression(vectors, labels, folds)] == twins


@pytest.mark.parametrize("classes", [2, 3])
def test_the_linear_classifiers_find_what_is_there(classes):
    random = np.random.default_rng(0)
    labels = np.arange(150) % classes + 5  # any numbers will do
    vectors = 100 * np.eye(classes)[labels - 5] + random.normal(size=(150, classes))
    vectors = np.c_[vectors, random.normal(size=(150, 4))].astype(np.float32)
    for classifier in ("linear-svm", "logistic-regression"):
        assert fold_accuracies(vectors, labels, classifier=classifier).mean() > 98
        again = fold_accuracies(vectors, labels, classifier=classifier)
        assert (again == fold_accuracies(vectors, labels, classifier=classifier)).all()


def test_label_free_is_the_last_epoch_and_untrained_the_first(mutag, run):
    last = evaluate(run, mutag, "label-free", folds=5)
    vectors = load_run(run).transform(mutag)
    assert last["scores"] == [fold_accuracies(vectors, mutag.labels, folds=5).tolist()]
    assert (last["epoch"], last["classifier"], last["evaluated"]) == (10, "rbf-svm", 1)
    start = evaluate(run, mutag, "untrained", folds=5)
    fresh = SubgraphInfoMax(hidden=16, layers=2, epochs=0).fit_transform(mutag)
    assert start["scores"] == [fold_accuracies(fresh, mutag.labels, folds=5).tolist()]
    assert start["epoch"] == 0


def test_paper_and_authors_choose_by_the_test_folds(mutag, run):
    paper, authors = (evaluate(run, mutag, p, folds=3) for p in ("paper", "authors"))
    assert paper["evaluated"] == 2  # epochs 5 and 10
    assert authors["evaluated"] == 6  # with three classifiers each
    label_free = evaluate(run, mutag, "label-free", folds=3)
    assert label_free["accuracy"]["mean"] <= paper["accuracy"]["mean"] <= authors["accuracy"]["mean"]
    assert paper["epoch"] in (5, 10)


def test_runs_repeat_with_other_folds(mutag, run):
    twice = evaluate(run, mutag, "label-free", folds=3, runs=2, seed=1)
    assert np.array(twice["scores"]).shape == (2, 3)
    assert twice["accuracy"]["mean"] == pytest.approx(np.mean(twice["scores"]))
    assert twice["accuracy"]["std"] == pytest.approx(np.std(twice["scores"]))
    once = evaluate(run, mutag, "label-free", folds=3, seed=2)
    assert twice["scores"][1] == once["scores"][0]


def test_chance_stays_chance():
    """Labels without any relation to the vectors: nested selection must not find one."""
    random = np.random.default_rng(0)
    vectors, labels = random.normal(size=(200, 20)), np.repeat([0, 1], 100)
    assert abs(fold_accuracies(vectors, labels).mean() - 50) < 10


def test_bad_requests(mutag, run):
    with pytest.raises(PartwholeError, match="Did you mean 'label-free'"):
        evaluate(run, mutag, "labelfree")
    with pytest.raises(PartwholeError, match="too few for 10 folds"):
        outer_folds(np.array([0] * 20 + [1] * 3), 10, 0)
    with pytest.raises(PartwholeError, match="the same label"):
        outer_folds(np.zeros(20, dtype=int), 10, 0)
    with pytest.raises(PartwholeError, match="is a number, and accuracy is of classes"):
        outer_folds(np.linspace(0, 1, 20), 10, 0)
    assert set(PROTOCOLS) == {"untrained", "label-free", "paper", "authors"}


def test_classes_must_be_large_enough_to_choose_inside_a_training_part():
    with pytest.raises(PartwholeError, match="too few to choose C inside the training parts"):
        outer_folds(np.array([0, 0, 1, 1]), 2, 0)
    vectors = np.random.default_rng(0).normal(size=(6, 2))
    assert len(fold_accuracies(vectors, np.array([0, 0, 0, 1, 1, 1]), folds=3)) == 3
