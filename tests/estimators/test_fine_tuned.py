"""A molecule encoder that goes on learning by labels."""

import numpy as np
import pytest
import torch

from partwhole import SubgraphInfoMax, load_graphs, load_pretrained, load_run
from partwhole.errors import PartwholeError
from partwhole.estimators.molecules.fine_tuned import BalancedClassification
from partwhole.methods.fine_tuned_classifier import FineTunedClassifier
from partwhole.methods.fine_tuned_regressor import FineTunedRegressor

CHAINS = [f"{'C' * k}{end}" for k in range(1, 9) for end in ("O", "N", "Cl")]
LENGTH = np.array([float(k) for k in range(1, 9) for _ in range(3)])
QUICK = {"epochs": 1, "snapshot_every": 0, "random_state": 0}


def weights(model):
    return {name: t for name, t in model.learned_.network.state_dict().items() if name.startswith("encoder.")}


def test_the_encoder_rests_while_the_heads_learn():
    start = load_pretrained("molecules").learned_.network.state_dict()
    rested = FineTunedRegressor(resting=20, **QUICK).fit(CHAINS, LENGTH)
    assert int(rested.learned_.network.passed) == 20
    assert all(torch.equal(t, start[name.removeprefix("encoder.")]) for name, t in weights(rested).items())
    moved = FineTunedRegressor(resting=10, **QUICK).fit(CHAINS, LENGTH)
    changed = {
        name.removeprefix("encoder.")
        for name, t in weights(moved).items()
        if not torch.equal(t, start[name.removeprefix("encoder.")])
    }
    assert any("backbone" in name for name in changed)
    assert not any("running" in name for name in changed)  # the moments are those of all molecules


def test_the_mean_of_the_heads_predicts_and_comes_back(tmp_path):
    model = FineTunedRegressor(heads=3, resting=0, lr=1e-3, **(QUICK | {"epochs": 3})).fit(CHAINS, LENGTH)
    network, store = model.learned_.network.eval(), load_graphs(CHAINS)
    with torch.no_grad():
        each = network.each(store.batch(np.arange(len(store))))
    assert each.shape == (3, len(CHAINS), 1)
    assert not torch.allclose(each[0], each[1])
    outputs = model.learned_.outputs(store)
    assert torch.allclose(each.mean(dim=0), outputs, atol=1e-5)
    assert model.score(CHAINS, LENGTH) > 0.8
    model.save(tmp_path / "run")
    assert np.array_equal(load_run(tmp_path / "run").predict(CHAINS), model.predict(CHAINS))


def test_each_class_counts_the_same_in_the_choice_of_the_epoch():
    task = BalancedClassification((2,))
    outputs = torch.log(torch.tensor([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.6, 0.4]]))
    targets = torch.tensor([[0.0], [0.0], [0.0], [1.0]])
    assert task.error(outputs, targets) == pytest.approx((0.1 + 0.6) / 2)
    both = BalancedClassification((2, 2))
    targets = torch.tensor([[0.0, 1.0], [0.0, torch.nan], [0.0, torch.nan], [1.0, torch.nan]])
    twice = torch.cat([outputs, outputs], dim=1)
    assert both.error(twice, targets) == pytest.approx((0.1 + 0.6 + 0.9) / 3)


def test_classes_are_learned():
    kinds = ["alcohol" if smiles.endswith("O") else "other" for smiles in CHAINS]
    model = FineTunedClassifier(**(QUICK | {"epochs": 4, "lr": 1e-3})).fit(CHAINS, kinds)
    assert model.predict_proba(["CCCO"]).shape == (1, 2)
    assert model.score(CHAINS, kinds) > 0.9


def test_what_cannot_be_begun_with_is_told(tmp_path, mutag):
    SubgraphInfoMax(epochs=0, hidden=8).fit(mutag).save(tmp_path / "run")
    with pytest.raises(PartwholeError, match="is a run of subgraph-infomax; give one of molecule-infomax"):
        FineTunedRegressor(start_from=str(tmp_path / "run"), **QUICK).fit(CHAINS, LENGTH)
    with pytest.raises(PartwholeError, match="knows molecules by other attributes"):
        FineTunedClassifier(**QUICK).fit(mutag, mutag.labels)
