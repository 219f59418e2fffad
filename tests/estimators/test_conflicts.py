"""Molecules that stand in a table several times, with labels that contradict each other."""

import warnings

import numpy as np
import pytest

from partwhole import PropertyClassifier, PropertyRegressor, load_graphs
from partwhole.errors import PartwholeError
from partwhole.estimators.property.choosing import candidates_of, choose
from partwhole.estimators.property.conflicts import settled
from partwhole.estimators.semi_supervised.targets import ClassTargets, NumberTargets
from partwhole.sources.same_graphs import numbers_of_the_same

LEFT, RIGHT = "N[C@@H](C)C(=O)O", "N[C@H](C)C(=O)O"
SMILES = ["CCO", "OCC", "CCN", LEFT, RIGHT, "C(O)C", "C(=O)([C@H](C)N)O", "CCN"]
VALUES = [1.0, 2.0, 5.0, 3.0, 4.0, 3.0, 7.0, 5.0]


def test_a_molecule_is_the_same_whatever_the_order_of_its_atoms():
    found = numbers_of_the_same(load_graphs(SMILES))
    assert found[0] == found[1] == found[5]
    assert found[2] == found[7]
    assert found[3] != found[4]  # mirror images
    assert (found[6] == found[3]) != (found[6] == found[4])
    assert len(set(found)) == 4


def test_names_in_place_of_smiles_keep_mirror_images_apart():
    import pandas as pd

    store = load_graphs(pd.DataFrame({"smiles": SMILES, "id": [f"m{k}" for k in range(8)]}))
    assert store.ids.tolist() == [f"m{k}" for k in range(8)]
    found = numbers_of_the_same(store)
    assert found[3] != found[4]
    assert found[0] == found[1] == found[5]


def test_numbers_that_differ_are_told_averaged_or_refused():
    store, values = load_graphs(SMILES), np.array(VALUES)[:, None]
    of, _ = NumberTargets.learned(values.astype(object), ["logS"], True, np.arange(8), store)
    with pytest.warns(UserWarning, match="2 graphs occur several times with different") as told:
        assert np.array_equal(settled(values, store, of, "told"), values)
    assert "CCO, 3 times" in str(told[0].message)
    with pytest.warns(UserWarning, match="their mean"):
        found = settled(values, store, of, "averaged")[:, 0]
    assert found[[0, 1, 5]].tolist() == [2.0, 2.0, 2.0]
    assert found[2] == found[7] == 5.0
    with pytest.raises(PartwholeError, match="correct them, or take duplicates=averaged"):
        settled(values, store, of, "refused")


def test_classes_that_differ_get_the_most_frequent_one_or_none():
    smiles = ["CCO", "OCC", "CCO", "CCN", "NCC", "CCC"]
    classes = np.array(["yes", "no", "yes", "yes", "no", "no"], object)[:, None]
    of, values = ClassTargets.learned(classes, ["toxic"], True)
    with pytest.warns(UserWarning, match="their most frequent class"):
        found = settled(values, load_graphs(smiles), of, "averaged")[:, 0]
    assert len(set(found[:3])) == 1
    assert found[0] == values[0, 0]
    assert np.isnan(found[3:5]).all()
    assert found[5] == values[5, 0]


def test_repeated_labels_that_agree_are_not_told():
    store = load_graphs(["CCO", "OCC", "CCN"])
    values = np.array([[1.0], [1.0], [np.nan]])
    column = np.array([[1.0], [1.0], [None]], object)
    of, _ = NumberTargets.learned(column, ["logS"], True, np.arange(2), store)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert settled(values, store, of, "refused") is not None


def test_the_predictors_look_for_them():
    smiles = [f"{'C' * n}O" for n in range(1, 13)] + ["OCC"]
    options = {"vectors": "descriptors", "models": ("linear",)}
    with pytest.raises(PartwholeError, match="1 graph occurs several times with"):
        PropertyRegressor(duplicates="refused", **options).fit(smiles, np.arange(13.0), names="solubility")
    with pytest.warns(UserWarning, match="all of which are learned from"):
        PropertyClassifier(**options).fit(smiles, ["a", "b"] * 6 + ["a"])


def test_what_there_is_no_time_for_is_told(monkeypatch):
    random = np.random.default_rng(0)
    x = random.normal(size=(40, 6))
    views = {"learned": slice(0, 3), "exact": slice(3, 6)}
    every = candidates_of(views)
    chosen = choose(x, x[:, :1], views, every, classes=False, seed=0, groups=None, until=0.0)
    assert list(chosen.errors) == [every[0].told]
    assert chosen.left_out == tuple(c.told for c in every[1:])
    counted = []
    choose(x, x[:, :1], views, every[:2], classes=False, seed=0, groups=None, tried=lambda: counted.append(1))
    assert len(counted) == 2
    smiles = [f"{'C' * n}O" for n in range(1, 13)]
    model = PropertyRegressor(vectors="descriptors", minutes=1e-9).fit(smiles, np.arange(12.0))
    assert model.choice_[0].startswith("target 0: linear on descriptors, patterns (no time for forest on")


def test_a_constant_target_is_told():
    smiles = [f"{'C' * n}O" for n in range(1, 13)]
    with pytest.warns(UserWarning, match="All 12 labels of y are 1.5, so that nothing"):
        model = PropertyRegressor(vectors="descriptors", models=("linear",)).fit(
            smiles, [1.5] * 12, names="y"
        )
    assert np.allclose(model.predict(["CCN"]), 1.5)
