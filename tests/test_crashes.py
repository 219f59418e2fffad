"""Killed at any moment: the same command goes on, nothing is half written, and the result is the same.

The moments are drawn by a seed. Processes come from a server that has everything imported, so that most of their
time is work.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time

import pytest
from pyarrow import parquet
from safetensors.torch import load_file

from partwhole import SubgraphInfoMax
from partwhole.config import read_toml

FIT = ["--epochs", "14", "--hidden", "16", "--layers", "2", "--batch-size", "16", "--seed", "3"]


def command(arguments):
    """The command line in this process, keeping its state at every step and embedding in small shards."""
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.stdout = sys.stderr = open(os.devnull, "w")
    from partwhole.cli.main import main
    from partwhole.sources import molecule_table
    from partwhole.training import trainer

    trainer.STATE_SECONDS = 0.0
    molecule_table.CHUNK = 40
    sys.argv = ["partwhole", *map(str, arguments)]
    main()


@pytest.fixture(scope="module")
def server():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["torch", "numba", "pyarrow.parquet", "partwhole.cli.main", "tests.test_crashes"]
    )
    return context


def killed(server, arguments, seconds):
    """Start the command and kill it after so long. Returns whether it had ended by itself."""
    process = server.Process(target=command, args=(arguments,))
    process.start()
    process.join(seconds)
    over = process.exitcode is not None
    process.kill()
    process.join()
    assert not over or process.exitcode == 0, process.exitcode
    return over


def undisturbed(server, arguments):
    """How long the command takes when it is left alone."""
    started = time.perf_counter()
    assert killed(server, arguments, 200)
    return time.perf_counter() - started


def same_tensors(a, b):
    left, right = load_file(a), load_file(b)
    return left.keys() == right.keys() and all(left[k].equal(right[k]) for k in left)


def whole_files(folder):
    """Every file that is there can be read to its end; parts that a kill left behind have their own names."""
    for path in (p for p in folder.rglob("*") if p.is_file() and not p.name.endswith(".part")):
        if path.suffix == ".safetensors":
            load_file(path)
        elif path.suffix == ".parquet":
            parquet.read_table(path)
        elif path.suffix == ".toml":
            read_toml(path)
        elif path.suffix == ".json":
            json.loads(path.read_text())


def killed_until_done(server, arguments, again, seconds, kills, seed, folder):
    """Kill it `kills` times at random moments, then leave it alone. Returns how often it was cut short."""
    moments = random.Random(seed)
    cut, now = 0, arguments
    for _ in range(kills):
        over = killed(server, now, moments.uniform(0, seconds))
        whole_files(folder)
        cut += not over
        now = again()
    assert killed(server, again(), 200)
    return cut


def test_a_fit_that_is_killed(server, tmp_path):
    seconds = undisturbed(server, ["fit", "MUTAG", "--out", tmp_path / "whole", *FIT])
    out = tmp_path / "killed"
    first = ["fit", "MUTAG", "--out", out, *FIT]

    def again():
        return [*first, "--resume"] if (out / "config.toml").exists() else first

    cut = killed_until_done(server, first, again, seconds, 20, 1, tmp_path)
    assert cut >= 5
    assert same_tensors(tmp_path / "whole" / "model.safetensors", out / "model.safetensors")
    metrics = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in metrics] == list(range(1, 15))


def test_an_embedding_that_is_killed(server, tmp_path):
    pytest.importorskip("rdkit")
    rows = "".join(f"{'C' * (1 + k % 40)}{'O' if k % 3 else 'N'},{k}\n" for k in range(800))
    (tmp_path / "many.csv").write_text(f"smiles,number\n{rows}")
    SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4).fit_run(
        ["CCO", "CCN", "CO"], tmp_path / "run"
    )
    whole, out = tmp_path / "whole.parquet", tmp_path / "killed.parquet"
    arguments = ["embed", tmp_path / "run", tmp_path / "many.csv", "--out"]
    seconds = undisturbed(server, [*arguments, whole])
    cut = killed_until_done(server, [*arguments, out], lambda: [*arguments, out], seconds, 20, 2, tmp_path)
    assert cut >= 5
    assert parquet.read_table(out).equals(parquet.read_table(whole))
    assert not (tmp_path / ".killed.parquet.parts").exists()


def test_a_table_that_is_killed(server, tmp_path):
    arguments = [
        "reproduce",
        "table2",
        "--datasets",
        "MUTAG",
        "--methods",
        "counts",
        "sp",
        "wl",
        "--runs",
        "2",
    ]
    arguments += ["--out", tmp_path, "--jobs", "1"]
    seen: list[str] = []

    def again():
        """No cell that was finished is lost or measured again."""
        file = tmp_path / "cells.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        cells = [json.loads(line)["cell"] for line in lines[1:]]
        assert cells[: len(seen)] == seen
        seen[:] = cells
        return arguments

    killed_until_done(server, arguments, again, 12, 10, 3, tmp_path)
    again()
    assert sorted(seen) == sorted(f"MUTAG/{row}/0/{run}" for row in ("counts", "sp", "wl") for run in (0, 1))
