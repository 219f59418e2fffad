"""One thread for small graphs, all where they pay, as many as asked for where somebody asks."""

from __future__ import annotations

import numba
import numpy as np
import pytest
import torch

from partwhole import SubgraphInfoMax
from partwhole.estimators import networks
from partwhole.training import trainer
from partwhole.training.threads import ENOUGH, threads_for, using_threads


@pytest.fixture
def two_threads():
    """As on a machine with two cores, whatever the tests are given."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def seen(monkeypatch):
    """The threads that PyTorch has during the steps of a fit."""
    found = []

    class Listening(trainer.Listener):
        def step(self, epoch, step, steps):
            found.append((torch.get_num_threads(), numba.get_num_threads()))

    monkeypatch.setattr(networks, "shown_progress", lambda bound: Listening())
    return found


def test_small_steps_have_one_thread_and_large_ones_all(two_threads):
    assert threads_for(2_300, 128) == 1  # MUTAG
    assert threads_for(5_000, 128) == 1  # PROTEINS
    assert threads_for(55_000, 128) == 2  # REDDIT-BINARY
    assert threads_for(2_300, 512) == 2  # MUTAG with wide layers
    assert threads_for(ENOUGH / 128**2, 128) == 2
    assert threads_for(10, 128, forced=3) == 3


def test_a_fit_of_small_graphs_uses_one_thread_and_gives_the_others_back(two_threads, seen, mutag):
    model = SubgraphInfoMax(epochs=1, hidden=8, layers=2, verbose=True).fit(mutag)
    assert {threads for threads, _ in seen} == {1}
    assert {threads for _, threads in seen} == {1}  # compiled loops too
    assert torch.get_num_threads() == 2
    vectors = model.transform(mutag)
    assert torch.get_num_threads() == 2
    seen.clear()
    forced = SubgraphInfoMax(epochs=1, hidden=8, layers=2, threads=2, verbose=True).fit(mutag)
    assert {threads for threads, _ in seen} == {2}
    np.testing.assert_allclose(forced.transform(mutag), vectors, rtol=1e-3, atol=1e-4)


def test_threads_come_back_after_an_error(two_threads):
    with pytest.raises(RuntimeError), using_threads(1):
        raise RuntimeError
    assert torch.get_num_threads() == 2


def test_threads_do_not_stand_in_the_way_of_resuming(mutag, tmp_path):
    options = {"hidden": 8, "layers": 2}
    SubgraphInfoMax(epochs=1, **options).fit_run(mutag, tmp_path / "run")
    model = SubgraphInfoMax(epochs=2, threads=1, **options).fit_run(mutag, tmp_path / "run", resume=True)
    assert [row["epoch"] for row in model.history_] == [1, 2]
