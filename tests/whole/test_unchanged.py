"""A change of the house changes no number, and runs of an earlier version are still runs."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch

from partwhole import SubgraphInfoMax, load_run, make_motif_graphs
from places import TESTS
from stored_figures import CASES, FILE, SETS, arithmetic, figures

STORED = json.loads(FILE.read_text())
OLD_RUNS = TESTS / "old_runs"  # written by version 0.1.0 of November 2026
EXPECTED = json.loads((OLD_RUNS / "expected.json").read_text())


@pytest.fixture(scope="module")
def rounding():
    torch.set_num_threads(1)
    return arithmetic()


@pytest.mark.parametrize(
    "data", ["MUTAG", *(pytest.param(data, marks=pytest.mark.slow) for data in SETS if data != "MUTAG")]
)
@pytest.mark.parametrize("case", CASES)
def test_losses_weights_and_vectors_are_as_they_were(data, case, dataset, rounding):
    """To the last bit on machines that round as one did that stored them. On others closely, until training
    makes differences of rounding large: between two kinds of machine, the losses of the first epoch differ
    by up to 0.5 % and those of the second by up to 11 %."""
    store, name = dataset(data), f"{data}: {case}"
    now = figures(store, case)
    if rounding in STORED:
        assert now == STORED[rounding][name]
    before = next(iter(STORED.values()))[name]
    assert (now["tensors"], now["width"]) == (before["tensors"], before["width"])
    assert now["losses"][:1] == pytest.approx(before["losses"][:1], rel=0.02)
    if not before["losses"]:
        assert now["length"] == pytest.approx(before["length"], rel=0.02)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_old_run_gives_the_same_vectors_and_predictions(name):
    graphs, model = make_motif_graphs(12, random_state=0), load_run(OLD_RUNS / name)
    assert model.transform(graphs)[:3] == pytest.approx(np.array(EXPECTED[name]["vectors"]), abs=1e-5)
    if "predicted" in EXPECTED[name]:
        predicted = np.asarray(model.predict(graphs)[:6], float)
        assert predicted == pytest.approx(np.array(EXPECTED[name]["predicted"]), abs=1e-5)


def test_an_old_run_that_was_stopped_goes_on(tmp_path):
    """`described` is the same fit, undisturbed."""
    graphs = make_motif_graphs(12, random_state=0)
    shutil.copytree(OLD_RUNS / "stopped", tmp_path / "run")
    options = {"hidden": 2, "layers": 1, "epochs": 3, "batch_size": 6, "random_state": 1}
    model = SubgraphInfoMax(recipe="structure-only", **options, snapshot_every=0)
    model.fit_run(graphs, tmp_path / "run", resume=True)
    assert model.transform(graphs)[:3] == pytest.approx(np.array(EXPECTED["described"]["vectors"]), abs=1e-5)
    assert load_run(OLD_RUNS / "paper", epoch=2).transform(graphs).shape == (12, 2)
