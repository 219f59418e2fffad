"""Several processes train as one: same loss, same gradients, same run folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import distributed

from commands import forked, partwhole
from partwhole import PartwholeError, SubgraphInfoMax, SubgraphInfoMaxRegressor, load_graphs
from partwhole.estimators import subgraph_infomax
from partwhole.estimators.predictors import SubgraphInfoMaxClassifier
from partwhole.estimators.semi_supervised import learning
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.parallel import ranks
from partwhole.parallel.launch import launch
from partwhole.runs.folder import RunFolder

pytest.importorskip("lightning_fabric")

pytestmark = pytest.mark.slow

SMALL = {"hidden": 16, "layers": 3, "batch_size": 21, "epochs": 1, "device": "cpu", "lift": False}
FITS = {
    "default": (SubgraphInfoMax, {}),
    "paper": (SubgraphInfoMax, {"recipe": "paper"}),
    "lifted": (SubgraphInfoMax, {"lift": True}),
    "autoregressive": (SubgraphInfoMax, {"generator": "autoregressive", "lift": True}),
    "base": (SubgraphInfoMax, {"recipe": "paper", "head_negatives": False, "subgraph_conv": False}),
    "cosine, dv, mean": (SubgraphInfoMax, {"pair_score": "cosine", "estimator": "dv", "readout": "mean"}),
    "multi-head, set2set": (SubgraphInfoMax, {"generator": "multi-head", "readout": "set2set"}),
    "classes": (SubgraphInfoMaxClassifier, {"validation": 0.0}),
    "numbers": (SubgraphInfoMaxRegressor, {"backbone": "edge-network", "validation": 0.0}),
}


def started(kind, options):
    """The plan of a fit, its network with the first weights in double precision, and its feed."""
    store = load_graphs("MUTAG")[:43]  # three steps of 21, 21 and, with the last graph, 22
    model = kind(**SMALL | options)
    labels = {} if kind is SubgraphInfoMax else {"y": np.where(np.arange(43) % 3, store.labels, np.nan)}
    plans = []
    with pytest.MonkeyPatch.context() as patched:
        for module in (subgraph_infomax, learning):
            patched.setattr(module, "carry_out", lambda plan, fit, **_: plans.append(plan))
        model.fit(store, **labels)
    (plan,) = plans
    return plan, plan.network.double().train(), plan.feed


def step(kind, options):
    """The loss and the gradients of the first step, as the trainer computes them."""
    plan, network, feed = started(kind, options)
    loss, _ = plan.objective(network, feed.batch(0, 0).double())
    loss.backward()
    ranks.average_gradients(network.parameters())
    gradients = {n: p.grad for n, p in network.named_parameters() if p.grad is not None}
    running = {n: b for n, b in network.named_buffers() if "running" in n}
    return {"loss": loss.detach(), **gradients, **running}


def one_of(rank, number, folder, fits):
    distributed.init_process_group("gloo", f"file://{folder}/meet", rank=rank, world_size=number)
    torch.set_num_threads(1)
    found = {name: step(kind, options) for name, (kind, options) in fits.items()}
    torch.save(found, f"{folder}/{rank}.pt")
    distributed.destroy_process_group()


@pytest.fixture(scope="module")
def steps_alone():
    return {name: step(*fitted) for name, fitted in FITS.items()}


@pytest.mark.parametrize("number", [2, 3])
def test_loss_and_gradients_are_those_of_one_process(number, tmp_path, steps_alone):
    processes = [forked(one_of, rank, number, tmp_path, FITS) for rank in range(number)]
    for process in processes:
        process.join()
        assert process.exitcode == 0
    ranked = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(number)]
    for name, alone in steps_alone.items():
        for found in ranked:
            zero = {n: torch.zeros_like(g) for n, g in found[name].items()}  # of what the loss does not reach
            for key, value in found[name].items():
                wanted = (zero | alone)[key]
                torch.testing.assert_close(value, wanted, rtol=1e-5, atol=1e-9, msg=f"{name}: {key}")


def fit(out, *arguments, launcher=("-m",), wait=True):
    """`partwhole fit MUTAG` in a process of its own, with one thread for each rank."""
    command = [
        sys.executable,
        *launcher,
        "partwhole",
        "fit",
        "MUTAG",
        "--out",
        str(out),
        "--batch-size",
        "47",
    ]
    command += ["--hidden", "16", "--layers", "2", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, **pipes)
    if not wait:
        return process
    said, told = process.communicate()
    return process.returncode, said, told


def weights(folder):
    return RunFolder(folder).read_weights()


def test_a_fit_by_two_processes_is_that_of_one(tmp_path):
    undisturbed = tmp_path / "two"
    code, said, _ = fit(undisturbed, "--epochs", "6", "--devices", "2")
    assert code == 0
    assert said.count("Fitted") == 1  # the first process speaks for both
    alone = ["--batch-size", 47, "--hidden", 16, "--layers", 2, "--epochs", 6]
    assert partwhole("fit", "MUTAG", "--out", tmp_path / "one", *alone).returncode == 0
    one, two = (RunFolder(folder).read_metrics() for folder in (tmp_path / "one", undisturbed))
    assert [row["epoch"] for row in two] == [1, 2, 3, 4, 5, 6]
    assert two[0]["loss"] == pytest.approx(one[0]["loss"], rel=0.01)  # a split that rounding turns moves it
    mutag = load_graphs("MUTAG")
    accuracies = [
        fold_accuracies(SubgraphInfoMax.load(folder).transform(mutag), mutag.labels).mean()
        for folder in (tmp_path / "one", undisturbed)
    ]
    assert abs(accuracies[0] - accuracies[1]) < 3
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m")
    code, said, _ = fit(tmp_path / "run", "--epochs", "6", launcher=torchrun)
    assert (code, said.count("Fitted")) == (0, 1)
    for name, value in weights(undisturbed).items():
        assert torch.equal(value, weights(tmp_path / "run")[name]), name


def test_stopped_by_a_signal_both_go_on_later(tmp_path):
    out = tmp_path / "run"
    process = fit(out, "--epochs", "2000", "--devices", "2", wait=False)
    while len(RunFolder(out).read_metrics()) < 2 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)  # to the first only, as a job scheduler may
    _, told = process.communicate()
    assert process.returncode == 130
    assert told.count("continue with:") == 1
    done = len(RunFolder(out).read_metrics())
    code, _, told = fit(out, "--epochs", str(done + 2), "--devices", "2", "--resume")
    assert code == 0, told
    assert [row["epoch"] for row in RunFolder(out).read_metrics()] == list(range(1, done + 3))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the second process in /proc")
def test_one_process_killed_ends_the_other_with_a_sentence(tmp_path):
    out = tmp_path / "run"
    process = fit(out, "--epochs", "5000", "--devices", "2", wait=False)
    while len(RunFolder(out).read_metrics()) < 2 and process.poll() is None:
        time.sleep(0.05)
    (second,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(second), signal.SIGKILL)
    _, told = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in told
    code, _, told = fit(out, "--epochs", "3", "--devices", "2", "--resume")
    assert code == 0, told


def test_what_cannot_be_shared_out_is_refused(tmp_path):
    code, said, told = fit(tmp_path / "run", "--backbone", "pyg:GCN", "--devices", "2")
    assert (code, said) == (2, "")
    assert "is trained by one process; leave out --devices" in told
    assert "Traceback" not in told
    command = [sys.executable, "-m", "partwhole", "fit", "MUTAG", "--method", "wl", "--devices", "2"]
    ended = subprocess.run([*command, "--out", tmp_path / "run"], capture_output=True, text=True)
    assert "wl learns in one process; leave out --devices" in ended.stderr
    with pytest.raises(PartwholeError, match="at least one process"):
        launch(0, None, "cpu")
    assert not (tmp_path / "run").exists()
