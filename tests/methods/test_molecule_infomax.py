"""Vectors of molecules: views side by side, what the network learns to tell, and the run folder."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from partwhole import PartwholeError, load_graphs, load_run
from partwhole.estimators.molecules.told import what_is_known
from partwhole.losses.prediction import unexplained
from partwhole.methods.molecule_infomax import MoleculeInfoMax
from partwhole.nn.sums_to_vector import FAREST, SumsToVector
from partwhole.recipes.molecule_views import (
    WEIGHTS,
    Turned,
    hashed_patterns,
    patterns,
    quick_descriptors,
    varied,
)
from partwhole.sources.descriptors import descriptor_names, descriptors
from places import LIQUIDS

SMALL = {"hidden": 8, "layers": 2, "learned_columns": 6, "pattern_columns": 16, "batch_size": 8}


@pytest.fixture(scope="module")
def model() -> MoleculeInfoMax:
    return MoleculeInfoMax(epochs=3, **SMALL).fit(LIQUIDS)


def test_views_stand_side_by_side_and_can_be_had_alone(model):
    graphs = load_graphs(LIQUIDS)
    vectors = model.transform(graphs)
    assert vectors.shape == (len(graphs), 6 + len(quick_descriptors()) + 16)
    assert list(model.learned_.views) == ["learned", "descriptors", "patterns"]
    for view, columns in model.learned_.views.items():
        assert vectors[:, columns].var(axis=0).sum() == pytest.approx(WEIGHTS[view], rel=0.2)
        others = {name: name == view for name in model.learned_.views}
        alone = MoleculeInfoMax(epochs=3, **SMALL, **others).fit(graphs).transform(graphs)
        np.testing.assert_allclose(alone, vectors[:, columns], atol=1e-6)


def test_one_view_must_be_left():
    with pytest.raises(PartwholeError, match="All views are switched off"):
        MoleculeInfoMax(learned=False, descriptors=False, patterns=False).fit(LIQUIDS)


def test_a_vector_depends_on_its_own_molecule_only(model):
    graphs = load_graphs(LIQUIDS)
    np.testing.assert_allclose(model.transform(graphs[4:6]), model.transform(graphs)[4:6], atol=1e-5)
    np.testing.assert_allclose(model.transform(["OCC"]), model.transform(["CCO"]), atol=1e-5)


def test_it_learns_to_tell_what_is_computed():
    graphs = load_graphs(LIQUIDS)
    wide = SMALL | {"learned_columns": 24, "lr": 0.02}
    models = [MoleculeInfoMax(epochs=n, **wide).fit(graphs) for n in (1, 100)]
    first, last = (model.history_[-1]["unexplained"] for model in models)
    assert last < 0.5 * first


def test_numbers_of_the_data_set_are_learned_where_they_are_known(tmp_path):
    graphs = load_graphs(LIQUIDS)
    fitted = MoleculeInfoMax(epochs=1, **SMALL, targets=("boiling_point",)).fit(graphs)
    assert fitted.model_.tell.out_features == len(descriptor_names()) + 512 + 1
    with pytest.raises(PartwholeError, match="no target 'boiling'"):
        MoleculeInfoMax(epochs=1, **SMALL, targets=("boiling",)).fit(graphs)
    rows, weight = what_is_known(graphs, np.full((len(graphs), 1), np.nan), tmp_path, shown=False)
    assert rows.shape == (len(graphs), len(descriptor_names()) + 512 + 1)
    assert weight.sum().item() == pytest.approx(1.0 + 0.3 + 0.2)
    again, _ = what_is_known(graphs, np.full((len(graphs), 1), np.nan), tmp_path, shown=False)
    np.testing.assert_array_equal(again, rows)  # from the files that were kept
    assert len(list(tmp_path.glob("*.npy"))) == 1


def test_a_stopped_fit_goes_on_and_a_run_says_the_same(tmp_path, model):
    graphs = load_graphs(LIQUIDS)
    MoleculeInfoMax(epochs=1, **SMALL).fit_run(graphs, tmp_path / "run")
    again = load_run(tmp_path / "run")
    assert not (tmp_path / "run" / "computed").exists()
    first = again.transform(graphs)
    model.save(tmp_path / "whole")
    np.testing.assert_array_equal(load_run(tmp_path / "whole").transform(graphs), model.transform(graphs))
    assert not np.allclose(first, model.transform(graphs))
    assert model.subgraphs("CCO").shape == (4, 3)


def test_what_is_not_known_does_not_count():
    """((1 - 0)^2 + 0) / 2 of weight 1, and 3^2 of weight 3; NaN is left out."""
    told = torch.tensor([[1.0, 3.0], [2.0, 5.0]])
    known = torch.tensor([[0.0, 0.0], [2.0, float("nan")]])
    assert unexplained(told, known, torch.tensor([1.0, 3.0])).item() == pytest.approx((0.5 + 27) / 4)


def test_what_adds_up_is_linear_in_the_sums():
    layer = SumsToVector(3, 4, 2).eval()
    with torch.no_grad():
        layer.second.weight.zero_()
        layer.straight.weight[:, 3:] = 0  # the means
    sums, nodes = torch.rand(5, 3), torch.ones(5)
    np.testing.assert_allclose(layer(2 * sums, nodes).detach(), 2 * layer(sums, nodes).detach(), rtol=1e-5)
    assert torch.equal(layer(sums * 1e9, nodes), layer(sums * 1e9 + 1, nodes))  # cut off
    assert FAREST == 10


def test_learned_vectors_are_turned_to_main_directions_and_cut_off():
    random = np.random.default_rng(0)
    z = random.normal(size=(5000, 3)) * [1.0, 9.0, 0.0]
    turned = Turned.of(z)
    own = turned(z).std(axis=0)
    assert own[0] / own[1] == pytest.approx(9, rel=0.05)  # the largest first
    assert own[2] < 1e-6
    assert turned(z).var(axis=0).sum() == pytest.approx(1, rel=0.01)
    assert np.abs(turned(z[:1] * 1e6)).max() <= 6 * own[0] * 1.1


def test_patterns_keep_their_products_in_few_columns():
    graphs = load_graphs(LIQUIDS)
    counted = patterns(graphs)
    exact, hashed = counted @ counted.T, hashed_patterns(graphs, 512)[:, :512]
    away = np.abs(hashed @ hashed.T - exact) / np.diagonal(exact).mean()
    assert away.mean() < 0.05
    places = varied(counted, 16)
    assert (np.diff(places) > 0).all()
    kept = counted.var(axis=0)[places]
    assert kept.min() >= np.delete(counted.var(axis=0), places).max()


def test_quick_descriptors_are_those_of_all():
    graphs = load_graphs(LIQUIDS)[:5]
    every = dict(zip(descriptor_names(), descriptors(graphs).T))
    quick = descriptors(graphs, quick_descriptors())
    np.testing.assert_array_equal(quick, np.stack([every[name] for name in quick_descriptors()], axis=1))
