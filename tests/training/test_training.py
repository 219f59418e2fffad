"""Training, its files, and what survives an interruption. Processes here are real ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from commands import Command, partwhole
from partwhole import PartwholeError, SubgraphInfoMax, load_graphs, make_motif_graphs
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.runs.folder import RunFolder
from partwhole.training import trainer as trainer_module
from partwhole.training.adam import Adam
from partwhole.training.feeds import batch_indices
from partwhole.training.plan import Schedule
from partwhole.training.trainer import Interrupted

SMALL = {"hidden": 16, "layers": 2, "batch_size": 32, "random_state": 5}


def same_weights(a: Path, b: Path) -> bool:
    left, right = load_file(a / "model.safetensors"), load_file(b / "model.safetensors")
    return left.keys() == right.keys() and all(torch.equal(left[k], right[k]) for k in left)


@pytest.mark.slow
def test_motifs_are_told_apart_without_labels():
    """The trained vectors separate the planted motifs; the untrained ones do not."""
    graphs = make_motif_graphs(200)
    # Rounding, which differs with the number of threads, moves single results after 100 epochs by
    # two points either way (95.0 to 97.5 with this seed); 200 epochs leave room.
    model = SubgraphInfoMax(recipe="paper", epochs=200, batch_size=32, random_state=0).fit(graphs)
    trained = fold_accuracies(model.transform(graphs), graphs.labels).mean()
    assert trained > 95.0
    start = SubgraphInfoMax(recipe="paper", epochs=0, random_state=0).fit(graphs).transform(graphs)
    assert fold_accuracies(start, graphs.labels).mean() < 90.0


# The letter begins with a loss of hundreds; the default with about 2, of which all but a few tenths can go.
@pytest.mark.parametrize(("recipe", "left"), [("paper", 0.5), ("best", 0.7)])
def test_metrics_tell_what_happened(mutag, recipe, left):
    model = SubgraphInfoMax(epochs=12, recipe=recipe, **SMALL).fit(mutag)
    history = model.history_
    assert [row["epoch"] for row in history] == list(range(1, 13))
    assert history[-1]["loss"] < left * history[0]["loss"]
    for row in history:
        assert 0 <= row["smallest"] <= row["largest"] <= 1
        assert row["overlap"] == 0.0  # Tree-split shares nodes out
        assert row["uncovered"] == 0.0
    soft = SubgraphInfoMax(epochs=1, selection="soft", **SMALL).fit(mutag).history_[0]
    assert 0.5 < soft["entropy"] <= 2.0  # bits; at most log2 of four subgraphs


def test_adam_is_pytorchs_adam():
    def network():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()

    ours, theirs = network(), network()
    adam, reference = Adam(ours.named_parameters(), lr=0.02), torch.optim.Adam(theirs.parameters(), lr=0.02)
    x = torch.randn(30, 5, dtype=torch.double)
    for _ in range(25):
        for model, optimizer in ((ours, adam), (theirs, reference)):
            optimizer.zero_grad()
            (model(x) - x[:, :1].square()).square().mean().backward()
            optimizer.step()
    for a, b in zip(ours.parameters(), theirs.parameters()):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)
    kept = {k: v.clone() for k, v in adam.state().items()}
    again = Adam(network().named_parameters(), lr=0.02)
    again.load_state(kept)
    assert again.steps == 25
    assert all(torch.equal(v, again.state()[k]) for k, v in kept.items())


def test_batches_cover_every_graph_once_and_leave_no_single_one():
    for graphs in (2, 31, 32, 33, 65):
        batches = batch_indices(graphs, 32, seed=1, epoch=0)
        assert sorted(np.concatenate(batches).tolist()) == list(range(graphs))
        assert min(len(b) for b in batches) >= 2
    assert [len(b) for b in batch_indices(65, 32, 0, 0)] == [32, 33]
    assert batch_indices(64, 32, 0, 0)[0].tolist() != batch_indices(64, 32, 0, 1)[0].tolist()


def test_same_seed_same_vectors_and_global_randomness_left_alone(mutag):
    torch.manual_seed(123)
    expected = torch.rand(3)
    torch.manual_seed(123)
    a = SubgraphInfoMax(epochs=3, **SMALL).fit_transform(mutag)
    assert torch.equal(torch.rand(3), expected)
    b = SubgraphInfoMax(epochs=3, **SMALL).fit_transform(mutag)
    np.testing.assert_array_equal(a, b)
    other = SubgraphInfoMax(epochs=3, **SMALL | {"random_state": 6}).fit_transform(mutag)
    assert not np.array_equal(a, other)


@pytest.mark.parametrize("stop_after", [1, 5, 6, 13])
def test_resuming_ends_with_the_weights_of_an_undisturbed_run(mutag, tmp_path, stop_after):
    """Steps are stopped in the middle of an epoch and at its end; six make an epoch."""
    whole = SubgraphInfoMax(epochs=4, snapshot_every=2, **SMALL).fit_run(mutag, tmp_path / "whole")
    asked = iter([False] * (stop_after - 1) + [True] * 99)
    half = SubgraphInfoMax(epochs=4, snapshot_every=2, **SMALL)
    with pytest.raises(Interrupted):
        half.fit_run(mutag, tmp_path / "half", stop_requested=lambda: next(asked))
    assert not (tmp_path / "half" / "model.safetensors").exists()
    resumed = SubgraphInfoMax(epochs=4, snapshot_every=2, **SMALL)
    resumed.fit_run(mutag, tmp_path / "half", resume=True)
    assert same_weights(tmp_path / "whole", tmp_path / "half")
    np.testing.assert_array_equal(resumed.transform(mutag), whole.transform(mutag))
    for ours, theirs in zip(RunFolder(tmp_path / "half").read_metrics(), whole.history_, strict=True):
        assert {k: v for k, v in ours.items() if k != "seconds"} == pytest.approx(
            {k: v for k, v in theirs.items() if k != "seconds"}
        )
    assert RunFolder(tmp_path / "half").snapshot_epochs() == [0, 2, 4]


def test_a_finished_run_can_be_trained_further(mutag, tmp_path):
    SubgraphInfoMax(epochs=4, **SMALL).fit_run(mutag, tmp_path / "four")
    SubgraphInfoMax(epochs=2, **SMALL).fit_run(mutag, tmp_path / "more")
    SubgraphInfoMax(epochs=4, **SMALL).fit_run(mutag, tmp_path / "more", resume=True)
    assert same_weights(tmp_path / "four", tmp_path / "more")


def test_resuming_something_else_is_refused(mutag, tmp_path):
    SubgraphInfoMax(epochs=1, **SMALL).fit_run(mutag, tmp_path / "run")
    with pytest.raises(PartwholeError, match="started on other graphs"):
        SubgraphInfoMax(epochs=2, **SMALL).fit_run(mutag[:100], tmp_path / "run", resume=True)
    with pytest.raises(PartwholeError, match=r"started with lr = 0\.001, not 0\.1"):
        SubgraphInfoMax(epochs=2, lr=0.1, **SMALL).fit_run(mutag, tmp_path / "run", resume=True)
    with pytest.raises(PartwholeError, match="already holds a run"):
        SubgraphInfoMax(epochs=2, **SMALL).fit_run(mutag, tmp_path / "run")


FIT = ["fit", "MUTAG", "--hidden", "16", "--epochs", "60", "--json"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "undisturbed"
    done = partwhole(*FIT, "--out", out)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["epochs"] == 60
    return out


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_process_resumes_to_the_same_weights(undisturbed, tmp_path, how):
    while True:
        process = Command(*FIT, "--out", tmp_path / "run")
        while process.runs and len(RunFolder(tmp_path / "run").read_metrics()) < 3:  # it is training
            time.sleep(0.02)
        stopped = process.stop(how)
        if stopped.returncode != 0:
            break
        shutil.rmtree(tmp_path / "run")  # it had ended before the signal came
    assert stopped.stdout == ""
    if how != signal.SIGKILL:
        assert stopped.returncode == 130
        assert "continue with: partwhole fit MUTAG" in stopped.stderr
        assert (tmp_path / "run" / "resume.safetensors").exists()
    again = partwhole("fit", "MUTAG", "--out", tmp_path / "run", "--resume", "--json")
    assert again.returncode == 0, again.stderr
    assert same_weights(undisturbed, tmp_path / "run")
    assert [r["epoch"] for r in RunFolder(tmp_path / "run").read_metrics()] == list(range(1, 61))
    assert not list((tmp_path / "run").rglob("*.part"))


def test_state_is_kept_now_and_then(mutag, tmp_path, monkeypatch):
    monkeypatch.setattr(trainer_module, "STATE_SECONDS", 0.0)
    asked = iter([False] * 8 + [True])
    model = SubgraphInfoMax(epochs=4, **SMALL)

    def crash():
        if next(asked):
            raise MemoryError  # as if killed: nothing is written on the way out
        return False

    with pytest.raises(MemoryError):
        model.fit_run(mutag, tmp_path / "run", stop_requested=crash)
    _, progress = RunFolder(tmp_path / "run").read_state()
    assert (progress["epoch"], progress["step"]) == (1, 2)  # eight steps of six an epoch


def test_a_loss_that_is_not_finite_stops_with_a_cure(mutag):
    with pytest.raises(PartwholeError, match="smaller learning rate"):
        SubgraphInfoMax(epochs=30, lr=1e30, estimator="dv", **SMALL).fit(mutag)


def test_one_graph_cannot_be_contrasted(mutag):
    with pytest.raises(PartwholeError, match="at least two graphs"):
        SubgraphInfoMax(epochs=1).fit(mutag[:1])
    assert SubgraphInfoMax(epochs=0, hidden=8).fit(mutag[:1]).transform(mutag[:1]).shape == (1, 8)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_gpu_gives_the_same_vectors(mutag):
    cpu = SubgraphInfoMax(epochs=1, device="cpu", **SMALL).fit_transform(mutag)
    np.testing.assert_allclose(
        SubgraphInfoMax(epochs=1, device="cuda", **SMALL).fit_transform(mutag), cpu, rtol=1e-3
    )


def test_asking_for_a_gpu_that_is_not_there(mutag):
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(PartwholeError, match="No CUDA device"):
        SubgraphInfoMax(device="cuda").fit(mutag)


def test_a_loss_that_is_no_number_keeps_the_graphs_of_its_step(mutag, tmp_path):
    wild = SubgraphInfoMax(epochs=9, lr=1e25, **SMALL)
    with pytest.raises(PartwholeError, match=r"The loss is .*failed_batch holds") as told:
        wild.fit_run(mutag, tmp_path / "run")
    epoch, step = (int(n) for n in re.findall(r"epoch (\d+), step (\d+)", str(told.value))[0])
    graphs = batch_indices(len(mutag), 32, 5, epoch - 1)[step - 1]
    kept = load_graphs(tmp_path / "run" / "failed_batch")
    assert kept.digest() == mutag.take(graphs).digest()
    calm = SubgraphInfoMax(epochs=1, **SMALL)
    calm.fit_run(mutag, tmp_path / "run", overwrite=True)
    assert not (tmp_path / "run" / "failed_batch").exists()


@pytest.mark.slow
def test_a_fit_has_as_many_threads_as_it_was_given():
    """Numba starts a thread for each core, and would set PyTorch to as many."""
    script = (
        "import torch, numba\n"
        "from partwhole import SubgraphInfoMax\n"
        "SubgraphInfoMax(epochs=1, hidden=4, layers=1).fit('MUTAG')\n"
        "print(torch.get_num_threads(), numba.get_num_threads())"
    )
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment, check=True)
    assert ended.stdout.split() == [b"1", b"1"]


def test_an_annealed_rate_rises_and_falls_to_nothing():
    schedule = Schedule(10, lr=0.5, anneal=True)
    rates = [schedule.rate(step, 1000) for step in range(1000)]
    assert rates[24] == pytest.approx(0.25)  # half way through the first twentieth
    assert max(rates) == pytest.approx(0.5, rel=1e-4)
    assert rates.index(max(rates)) == 49
    assert rates[524] == pytest.approx(0.25, rel=1e-2)  # half way down
    assert rates[-1] == pytest.approx(0, abs=1e-9)
