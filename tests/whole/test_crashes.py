"""Killed at any moment: the same command goes on, nothing is half written, and the result is the same.

The moments are drawn by a seed. Processes come from a server that has everything imported, so that most of
their time is work.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import time
from pathlib import Path

import pytest
from pyarrow import parquet
from safetensors.torch import load_file

from commands import SERVER, run_here, start_unmeasured
from partwhole import SubgraphInfoMax
from partwhole.files.toml import read_toml

FIT = ["--epochs", "8", "--hidden", "16", "--layers", "2", "--batch-size", "16", "--seed", "3"]


MARK = f"PARTWHOLE_KILLED_BY={os.getpid()}"  # in the environment of what these tests start


def command(arguments, mark):
    """The command line in this process, keeping its state at every step and embedding in small shards."""
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.update([mark.split("=")])
    start_unmeasured()
    sys.settrace(None)  # what is killed could not be counted
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    from partwhole.sources.readers import molecule_table
    from partwhole.training import trainer

    trainer.STATE_SECONDS = 0.2
    molecule_table.CHUNK = 40
    run_here([str(argument) for argument in arguments])


def killed(arguments, seconds=None):
    """Start the command and kill it after so long, or let it end. Returns whether it had ended by itself."""
    process = SERVER.Process(target=command, args=(arguments, MARK))
    process.start()
    process.join(seconds)
    over = process.exitcode is not None
    process.kill()
    process.join()
    assert not over or process.exitcode == 0, process.exitcode
    return over


def undisturbed(arguments):
    """How long the command takes when it is left alone."""
    started = time.perf_counter()
    assert killed(arguments)
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


def kill_often(arguments, check, seconds, kills, seed, folder):
    """Kill the command at `kills` random moments, each time going on from what is there. `arguments()` are
    those for now; when it ends by itself, `check()` looks at the result and takes it away."""
    moments = random.Random(seed)
    while kills:
        over = killed(arguments(), moments.uniform(0, seconds))
        whole_files(folder)
        kills -= not over
        if over:
            check()
    assert killed(arguments())
    check()


def test_a_fit_that_is_killed(tmp_path):
    seconds = undisturbed(["fit", "MUTAG", "--out", tmp_path / "whole", *FIT])
    out = tmp_path / "killed"

    def arguments():
        resume = ["--resume"] if (out / "config.toml").exists() else []
        return ["fit", "MUTAG", "--out", out, *FIT, *resume]

    def check():
        assert same_tensors(tmp_path / "whole" / "model.safetensors", out / "model.safetensors")
        metrics = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        assert [row["epoch"] for row in metrics] == list(range(1, 9))
        shutil.rmtree(out)

    kill_often(arguments, check, seconds, 24, 1, tmp_path)


def test_an_embedding_that_is_killed(tmp_path):
    pytest.importorskip("rdkit")
    rows = "".join(f"{'C' * (1 + k % 40)}{'O' if k % 3 else 'N'},{k}\n" for k in range(400))
    (tmp_path / "many.csv").write_text(f"smiles,number\n{rows}")
    model = SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4)
    model.fit_run(["CCO", "CCN", "CO"], tmp_path / "run")
    whole, out = tmp_path / "whole.parquet", tmp_path / "killed.parquet"
    embed = ["embed", tmp_path / "run", tmp_path / "many.csv", "--out"]
    seconds = undisturbed([*embed, whole])

    def check():
        assert parquet.read_table(out).equals(parquet.read_table(whole))
        assert not (tmp_path / ".killed.parquet.parts").exists()
        out.unlink()

    kill_often(lambda: [*embed, out], check, seconds, 16, 2, tmp_path)
    while readers_of_molecules():  # they end with the command: they look once a second
        time.sleep(0.5)


def readers_of_molecules():
    """Processes of joblib that a command of these tests started, and no other on this machine."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            started_here = MARK.encode() in (process / "environ").read_bytes().split(b"\0")
            if started_here and b"joblib.externals.loky" in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue
    return found


def test_a_table_that_is_killed(tmp_path):
    table = ["reproduce", "table2", "--datasets", "MUTAG", "--methods", "counts", "sp", "wl"]
    table += ["--runs", "2", "--out", tmp_path, "--jobs", "1"]
    seen: list[str] = []

    def arguments():
        """No cell that was finished is lost or measured again."""
        file = tmp_path / "cells.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        cells = [json.loads(line)["cell"] for line in lines[1:]]
        assert cells[: len(seen)] == seen
        seen[:] = cells
        return table

    def check():
        arguments()
        rows = ("counts", "sp", "wl")
        assert sorted(seen) == sorted(f"MUTAG/{row}/0/{run}" for row in rows for run in (0, 1))
        (tmp_path / "cells.jsonl").unlink()
        seen.clear()

    kill_often(arguments, check, 9, 10, 3, tmp_path)
