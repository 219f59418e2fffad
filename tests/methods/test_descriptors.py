"""RDKit's descriptors and counts of patterns as vectors."""

from __future__ import annotations

import numpy as np
import pytest

from partwhole import load_graphs, make_motif_graphs
from partwhole.errors import PartwholeError
from partwhole.estimators.linear import RidgeRegressor
from partwhole.methods.descriptors import DescriptorConfig, RDKitDescriptors
from partwhole.recipes.molecule_views import Ranges
from partwhole.sources.descriptors import OF_STEREO, descriptor_names, descriptors, pattern_counts
from places import LIQUIDS

SMILES = ["CCO", "c1ccccc1O", "CC(=O)Nc1ccc(O)cc1", "C[N+](C)(C)CC([O-])=O", "CCN.Cl", "OC[C@@H](O)C=O"]


def test_descriptors_of_ethanol():
    row = dict(zip(descriptor_names(), descriptors(load_graphs(["CCO"]))[0]))
    assert row["MolWt"] == pytest.approx(46.069)
    assert row["TPSA"] == pytest.approx(20.23)
    assert row["MolLogP"] == pytest.approx(-0.0014, abs=1e-4)
    assert row["HeavyAtomCount"] == 3
    assert row["NumHDonors"] == 1
    assert not set(OF_STEREO) & set(row)


def test_a_graph_tells_what_its_smiles_tell():
    """Rings, charges, mixtures and stereo centres: all descriptors are those of the molecule itself."""
    from rdkit import Chem
    from rdkit.Chem import Descriptors

    found = descriptors(load_graphs(SMILES))
    for smiles, row in zip(SMILES, found):
        wanted = Descriptors.CalcMolDescriptors(Chem.MolFromSmiles(smiles))
        np.testing.assert_allclose(row, [wanted[name] for name in descriptor_names()], rtol=1e-9, atol=1e-9)


def test_counts_of_patterns_are_logarithms():
    """Atoms alone. Ethanol: three patterns, each once. Hexane: one twice, one four times."""
    counts = pattern_counts(load_graphs(["CCO", "CCCCCC"]), 0, 2048)
    np.testing.assert_allclose(np.sort(counts[0])[-4:], [0, *[np.log(2)] * 3], rtol=1e-6)
    np.testing.assert_allclose(np.sort(counts[1])[-3:], [0, np.log(3), np.log(5)], rtol=1e-6)


def test_ranges_are_those_of_usual_molecules():
    random = np.random.default_rng(0)
    x = np.stack([random.normal(5, 2, 1000), np.ones(1000), np.zeros(1000), np.full(1000, np.nan)], axis=1)
    x[0, 0] = 1e30  # one molecule is far off, as with descriptors that grow exponentially
    x[:3, 2] = 1  # rare: within the quantiles all agree
    x[7, 0] = np.nan
    ranges = Ranges.of(x)
    assert ranges.mean[0] == pytest.approx(5, abs=0.2)
    assert 1 / ranges.scale[0] == pytest.approx(2, abs=0.2)
    assert ranges.scale[1] == ranges.scale[3] == 0
    z = ranges.standardised(x)
    assert (z[0, 0], z[7, 0]) == (6, 0)
    assert (z[:, [1, 3]] == 0).all()
    assert z[0, 2] == 6
    assert z[10, 2] == 0


def test_both_views_vary_equally_and_can_be_had_alone():
    graphs = load_graphs(LIQUIDS)
    both = RDKitDescriptors().fit(graphs)
    vectors = both.transform(graphs)
    described, counted = np.split(vectors, [len(descriptor_names())], axis=1)
    assert counted.shape[1] == 2048
    varying = (described.std(axis=0) > 0).sum()
    assert counted.var(axis=0).sum() == pytest.approx(varying, rel=0.05)
    alone = RDKitDescriptors(counts=False).fit(graphs).transform(graphs)
    np.testing.assert_array_equal(alone, described)
    np.testing.assert_array_equal(both.transform(graphs[3]), vectors[3:4])


def test_a_linear_model_takes_them_by_name(tmp_path):
    graphs = load_graphs(LIQUIDS)
    model = RidgeRegressor(vectors="descriptors").fit(graphs, graphs.target("boiling_point"))
    model.save(tmp_path / "run")
    again = RidgeRegressor.load(tmp_path / "run")
    np.testing.assert_allclose(again.predict(SMILES), model.predict(SMILES))


def test_a_run_of_another_rdkit_says_so(tmp_path, monkeypatch):
    RDKitDescriptors(bits=64).fit(SMILES).save(tmp_path / "run")
    monkeypatch.setattr("partwhole.methods.descriptors.descriptor_names", lambda: ("MolWt",))
    with pytest.raises(PartwholeError, match=r"214 descriptors.*has 1; fit again"):
        RDKitDescriptors.load(tmp_path / "run")


def test_other_graphs_are_refused():
    with pytest.raises(PartwholeError, match="has no molecules with bonds, which descriptors are made of"):
        RDKitDescriptors().fit(make_motif_graphs(3))
    assert DescriptorConfig().counts
