"""Few labels, many graphs: the regressor and the classifier (Eq. 18)."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score

from partwhole import PartwholeError, SubgraphInfoMaxClassifier, SubgraphInfoMaxRegressor
from partwhole.estimators.semi_supervised.labels import split
from partwhole.estimators.semi_supervised.tasks import Classification, Regression
from partwhole.evaluation.scoring import evaluate
from partwhole.registry import UNLABELLED
from partwhole.training.trainer import Interrupted
from partwhole.training.validation import EpochChoice, Validation

SMALL = {"hidden": 16, "layers": 2, "batch_size": 32, "random_state": 3}


# -------------------------------------------------------------------- tasks


def test_eq_18_supervised_part_of_a_regression():
    """Targets 1, 3 and NaN, NaN, 4 and 8: standardised by 2 ± 1 and 6 ± 2; only known entries count."""
    targets = np.array([[1.0, np.nan], [3.0, 4.0], [np.nan, 8.0]])
    task = Regression.of(targets)
    assert task == Regression((2.0, 6.0), (1.0, 2.0))
    outputs = torch.tensor([[0.0, 9.0], [1.0, 0.0], [9.0, 3.0]], dtype=torch.double)
    wanted = torch.from_numpy(targets)
    # (0 + 1)² + (1 - 1)² + (0 + 1)² + (3 - 1)² over four known entries
    assert task.loss(outputs, wanted).item() == pytest.approx((1 + 0 + 1 + 4) / 4)
    assert task.error(outputs, wanted) == pytest.approx(((1 + 0) / 2 + (1 + 2) / 2) / 2)
    assert task.predictions(outputs)[0].tolist() == [2.0, 24.0]


def test_numbers_are_no_classes(mutag):
    with pytest.raises(PartwholeError, match=r"the value 0\.5, a number and no class"):
        SubgraphInfoMaxClassifier(epochs=0).fit(mutag[:4], [0.5, 1.0, 2.5, None])


def test_eq_18_supervised_part_of_a_classification():
    """Two targets, of two and of three classes, each with a label missing."""
    task = Classification((2, 3))
    outputs = torch.tensor([[0.0, math.log(3), 0, 0, 0], [5.0, 5.0, 0, 0, math.log(2)]], dtype=torch.double)
    targets = torch.tensor([[1.0, math.nan], [math.nan, 2.0]], dtype=torch.double)
    expected = (-math.log(3 / 4) - math.log(2 / 4)) / 2
    assert task.loss(outputs, targets).item() == pytest.approx(expected)
    assert task.error(outputs, targets) == pytest.approx((1 / 4 + 2 / 4) / 2)  # what is left to the others
    first, second = task.probabilities(outputs)
    assert first[0].tolist() == pytest.approx([0.25, 0.75])
    assert second[1].tolist() == pytest.approx([0.25, 0.25, 0.5])


def test_the_epoch_is_chosen_and_the_rate_lowered_by_validation():
    errors = iter([5.0, 4.0, 4.5, 4.2, 4.1, 3.0])
    rates = []

    class Model:
        def eval(self): ...
        def train(self): ...

    class Optimizer:
        lr = 1.0

    choice, optimizer = EpochChoice(), Optimizer()
    watch = Validation(lambda model: next(errors), lr_decay=0.5, patience=1)
    for epoch in range(1, 7):
        watch.after_epoch(Model(), optimizer, epoch, choice)
        rates.append(optimizer.lr)
    assert (choice.epoch, choice.error) == (6, 3.0)
    assert rates == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5]


# -------------------------------------------------------------------- learning


@pytest.mark.slow
def test_the_number_of_nodes_is_learned_from_a_third_of_the_labels(mutag):
    y = mutag.num_nodes.astype(float)
    hidden = np.arange(len(y)) % 3 > 0
    given = np.where(hidden, np.nan, y)
    model = SubgraphInfoMaxRegressor(epochs=40, **SMALL).fit(mutag, given)
    errors = np.abs(model.predict(mutag[hidden]) - y[hidden])
    # Molecules with an element that no labelled one has may be far off, so the median.
    assert np.median(errors) < 0.5 * np.median(np.abs(y[hidden] - y[~hidden].mean()))
    assert model.predict(mutag[:4]).shape == (4,)
    assert {"supervised", "unsupervised", "validation", "lr"} <= set(model.history_[-1])
    assert model.transform(mutag[:4]).shape == (4, 16)


def test_classes_come_back_as_they_were_given(mutag):
    y = np.where(np.array(mutag.labels) == 1, "mutagenic", "harmless").astype(object)
    hidden = np.arange(len(y)) % 2 > 0
    given = y.copy()
    given[hidden] = None
    model = SubgraphInfoMaxClassifier(epochs=4, **SMALL).fit(mutag, given)
    assert model.classes_.tolist() == ["harmless", "mutagenic"]
    assert model.score(mutag[hidden], y[hidden]) > 0.75
    shares = model.predict_proba(mutag[:5])
    assert shares.sum(axis=1) == pytest.approx(np.ones(5))
    assert model.predict(mutag[:5]).tolist() == model.classes_[shares.argmax(axis=1)].tolist()


def test_several_targets_each_with_its_own_missing_labels(mutag):
    y = np.stack([mutag.num_nodes, mutag.num_edges], axis=1).astype(float)
    y[::2, 0], y[1::3, 1] = np.nan, np.nan
    model = SubgraphInfoMaxRegressor(epochs=5, **SMALL).fit(mutag, y)
    assert model.predict(mutag).shape == (188, 2)
    labels = [[None if i % 4 == 0 else i % 2, "abc"[i % 3]] for i in range(188)]
    classifier = SubgraphInfoMaxClassifier(epochs=2, **SMALL).fit(mutag, labels)
    assert [c.tolist() for c in classifier.classes_] == [[0, 1], ["a", "b", "c"]]
    assert [p.shape for p in classifier.predict_proba(mutag)] == [(188, 2), (188, 3)]


def test_the_best_epoch_is_kept(mutag, monkeypatch):
    """Told that epoch 2 of 4 was the best, the weights are those of a fit of two epochs."""
    y = mutag.num_nodes.astype(float)
    errors = iter([3.0, 1.0, 2.0, 4.0, 3.0, 1.0])
    monkeypatch.setattr(Regression, "error", lambda *_: next(errors))
    model = SubgraphInfoMaxRegressor(epochs=4, **SMALL).fit(mutag, y)
    assert [row["validation"] for row in model.history_] == [3.0, 1.0, 2.0, 4.0]
    again = SubgraphInfoMaxRegressor(epochs=2, **SMALL).fit(mutag, y)
    np.testing.assert_array_equal(model.predict(mutag), again.predict(mutag))


def test_a_run_comes_back_from_its_folder(mutag, tmp_path):
    y = mutag.num_nodes.astype(float)
    model = SubgraphInfoMaxRegressor(epochs=3, **SMALL).fit_run(mutag, tmp_path / "run", y=y)
    loaded = SubgraphInfoMaxRegressor.load(tmp_path / "run")
    assert loaded.predict(mutag).tolist() == model.predict(mutag).tolist()


@pytest.mark.parametrize("name", list(UNLABELLED))
def test_resuming_ends_with_the_predictions_of_an_undisturbed_run(mutag, tmp_path, name):
    """Stopped in the middle of an epoch: weights, moments, the teacher and the best epoch all go on."""
    y = np.where(np.arange(188) % 2, np.nan, mutag.num_nodes)
    options = {"epochs": 3, "unlabelled": name, **SMALL}
    whole = SubgraphInfoMaxRegressor(**options).fit_run(mutag, tmp_path / "whole", y=y)
    asked = iter([False] * 24 + [True] * 99)
    half = SubgraphInfoMaxRegressor(**options)
    with pytest.raises(Interrupted):
        half.fit_run(mutag, tmp_path / "half", y=y, stop_requested=lambda: next(asked))
    resumed = SubgraphInfoMaxRegressor(**options).fit_run(mutag, tmp_path / "half", y=y, resume=True)
    np.testing.assert_array_equal(resumed.predict(mutag), whole.predict(mutag))
    np.testing.assert_array_equal(resumed.transform(mutag), whole.transform(mutag))
    assert [r["validation"] for r in resumed.history_] == [r["validation"] for r in whole.history_]


def test_graphs_to_hold_out_can_be_listed(mutag):
    y = mutag.num_nodes.astype(float)
    model = SubgraphInfoMaxRegressor(epochs=1, **SMALL).fit(mutag, y, held_out=[0, 1, 2])
    wanted = model.task_.standardised(torch.from_numpy(y[:3]))
    outputs = torch.from_numpy((model.predict(mutag[:3]) - model.task_.means[0]) / model.task_.scales[0])
    assert model.history_[0]["validation"] == pytest.approx((outputs - wanted).abs().mean().item(), rel=1e-4)
    assert model.task_.means[0] == pytest.approx(y[3:].mean())
    with pytest.raises(PartwholeError, match="places of the 188 graphs"):
        model.fit(mutag, y, held_out=[188])
    with pytest.raises(PartwholeError, match="No graph that is held out has a label"):
        model.fit(mutag, np.where(np.arange(188) < 3, np.nan, y), held_out=[0, 1])


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([True, False] * 94, [False, True]),
        ([torch.tensor(2), torch.tensor(5)] * 94, [2, 5]),
        ([1, "a", "", None] * 47, [1, "a"]),
        ([np.int64(3), np.nan, "7", float("nan")] * 47, [3, "7"]),
    ],
)
def test_labels_of_any_plain_kind(mutag, tmp_path, values, classes):
    model = SubgraphInfoMaxClassifier(epochs=1, **SMALL).fit_run(mutag, tmp_path / "run", y=values)
    loaded = SubgraphInfoMaxClassifier.load(tmp_path / "run")
    assert loaded.classes_.tolist() == model.classes_.tolist() == classes
    assert set(loaded.predict(mutag).tolist()) <= set(classes)


def test_none_that_is_held_out_is_the_last_with_its_label():
    columns = np.array([["a"], ["b"], ["a"], ["c"], ["c"], [None]], dtype=object)
    for seed in range(20):
        train, held = split(columns, None, 0.4, seed, classes=True)
        assert 1 not in held
        assert 5 not in [*train, *held]
        assert {columns[g, 0] for g in train} == {"a", "b", "c"}
        assert len(held) == 2
    assert split(columns, None, 0.0, 0, classes=True)[1].tolist() == []
    numbers = np.array([[1.0, None], [2.0, 5.0], [3.0, None]], dtype=object)
    assert all(1 not in split(numbers, None, 0.3, seed, classes=False)[1] for seed in range(10))


def test_a_mask_of_graphs_held_out():
    columns = np.arange(6.0).astype(object)[:, None]
    assert split(columns, np.arange(6) > 3, 0, 0, classes=False)[1].tolist() == [4, 5]
    for wrong in ([True, False], [0.5], [[1]], [6], [-1]):
        with pytest.raises(PartwholeError, match="held_out must list places of the 6 graphs"):
            split(columns, wrong, 0, 0, classes=False)


def test_constant_targets_are_only_shifted():
    assert Regression.of(np.full((40, 1), 0.1)).scales == (1.0,)


def test_a_run_is_resumed_with_its_own_targets_only(mutag, tmp_path):
    y = mutag.num_nodes.astype(float)
    model = SubgraphInfoMaxRegressor(epochs=1, **SMALL).fit_run(mutag, tmp_path / "run", y=y)
    kept = (tmp_path / "run" / "config.toml").read_text()
    for labels in ({"y": -y}, {"y": y, "held_out": [0, 1]}):
        with pytest.raises(PartwholeError, match="started with other targets"):
            SubgraphInfoMaxRegressor(epochs=2, **SMALL).fit_run(
                mutag, tmp_path / "run", resume=True, **labels
            )
    with pytest.raises(PartwholeError, match="started with the method 'regressor'"):
        SubgraphInfoMaxClassifier(epochs=2, **SMALL).fit_run(
            mutag, tmp_path / "run", resume=True, y=mutag.labels
        )
    assert (tmp_path / "run" / "config.toml").read_text() == kept
    assert model.score(mutag, y) == SubgraphInfoMaxRegressor.load(tmp_path / "run").score(mutag, y)
    with pytest.raises(PartwholeError, match="is of the method 'regressor', not 'classifier'"):
        SubgraphInfoMaxClassifier.load(tmp_path / "run")
    with pytest.raises(PartwholeError, match="learned from labels"):
        evaluate(tmp_path / "run", mutag, "label-free")


def test_subgraphs_that_had_no_part_in_training_are_not_shown(mutag):
    y = mutag.num_nodes.astype(float)
    ours = SubgraphInfoMaxRegressor(epochs=1, **SMALL).fit(mutag, y)
    assert ours.subgraphs(mutag[0]).shape == (4, 17)
    for options in ({"unsupervised_weight": 0.0}, {"unlabelled": "mean-teacher"}):
        model = SubgraphInfoMaxRegressor(epochs=1, **options, **SMALL).fit(mutag, y)
        with pytest.raises(PartwholeError, match="learned no subgraphs"):
            model.subgraphs(mutag[0])


def test_a_weight_of_0_is_the_same_network_whatever_the_companion(mutag):
    y = mutag.num_nodes.astype(float)
    found = [
        SubgraphInfoMaxRegressor(epochs=1, unsupervised_weight=0.0, unlabelled=name, **SMALL).fit(mutag, y)
        for name in ("subgraph-infomax", "mean-teacher")
    ]
    np.testing.assert_array_equal(found[0].predict(mutag), found[1].predict(mutag))


def test_scores_compare_what_is_known(mutag):
    y = np.stack([mutag.num_nodes, mutag.num_edges], axis=1).astype(float)
    model = SubgraphInfoMaxRegressor(epochs=1, **SMALL).fit(mutag, y)
    partly = np.where([True, False], np.nan, y)
    alone = r2_score(y[:, 1], model.predict(mutag)[:, 1])
    assert model.score(mutag, partly) == pytest.approx(alone)
    with pytest.raises(PartwholeError, match="1 targets to compare with, and the model has 2"):
        model.score(mutag, y[:, 0])
    with pytest.raises(PartwholeError, match="No graph has a label to compare with"):
        model.score(mutag, y * np.nan)


def test_it_works_in_scikit_learn(mutag):
    model = SubgraphInfoMaxRegressor(epochs=2, unsupervised_weight=0.5, **SMALL)
    assert clone(model).get_params() == model.get_params()
    assert len(cross_val_score(model, mutag, mutag.num_nodes.astype(float), cv=3)) == 3


# -------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ([math.nan] * 188, "target 'target 0' is missing for every graph"),
        (["4.5"] * 187 + ["many"], "target 'target 0' of graph 187 is 'many', not a number"),
        ([math.inf] + [1.0] * 187, "target 'target 0' of graph 0 is infinite"),
        ([1.0] * 5, "188 graphs but 5 rows of 1 targets"),
        ([[1.0, 2.0]] * 187 + [[1.0]], "188 graphs but 188 rows of 1 and 2 targets"),
        (None, "needs targets"),
        ([1.0] + [None] * 187, "1 labelled graphs are left"),
    ],
)
def test_bad_targets_are_told_in_one_sentence(mutag, values, complaint):
    with pytest.raises(PartwholeError, match=complaint):
        SubgraphInfoMaxRegressor(epochs=1, **SMALL).fit(mutag, values)


def test_a_label_that_training_never_saw(mutag):
    model = SubgraphInfoMaxClassifier(epochs=1, **SMALL).fit(mutag, mutag.labels)
    with pytest.raises(PartwholeError, match=r"label 7 of graph 0 .* was not seen in training"):
        model.score(mutag[:2], [7, 1])
    with pytest.raises(PartwholeError, match="at least two different labels"):
        SubgraphInfoMaxClassifier(epochs=1, **SMALL).fit(mutag, [1] * 188)
