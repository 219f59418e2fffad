"""The scikit-learn face."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from partwhole import PartwholeError, SubgraphInfoMax, load_graphs, make_motif_graphs

SMALL = {"hidden": 8, "layers": 2, "epochs": 3, "batch_size": 64}


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
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.transform(mutag), model.transform(mutag))
    np.testing.assert_array_equal(loaded.subgraphs(mutag[3]), model.subgraphs(mutag[3]))
    assert loaded.history_ == model.history_


def test_a_model_from_a_short_list_of_objects():
    model = SubgraphInfoMax(**SMALL).fit(["CCO", "CCN", "c1ccccc1O"])
    assert model.transform(["CC(=O)O"]).shape == (1, 8)
    assert model.subgraphs("CCO").shape == (4, 3)
    assert load_graphs(["CCO"]).schema == model.schema_
