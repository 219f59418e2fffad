"""Killed at any moment: the same command goes on, nothing is half written, and the result is the same.

The moments are drawn by a seed. Processes come from a server that has everything imported, so that all of
their time is work.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from pyarrow import parquet
from safetensors.torch import load_file

from commands import exit_code, forked, start_unmeasured
from partwhole import SubgraphInfoMax
from partwhole.files.toml import read_toml

pytestmark = pytest.mark.slow

FIT = ["--epochs", "8", "--hidden", "16", "--layers", "2", "--batch-size", "16", "--seed", "3"]


MARK = f"PARTWHOLE_KILLED_BY={os.getpid()}"  # in the environment of what these tests start


def command(arguments, mark, readers, seconds, spent):
    """The command line in this process, keeping its state at every step and embedding in small shards, which
    so many processes read; one is this process.

    The kernel ends it after so many seconds of work, without a word, as by SIGKILL. How long it works when
    it is left alone goes to the file `spent`. Both are its own time, however busy the machine is.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["LOKY_MAX_CPU_COUNT"] = str(readers)
    os.environ.update([mark.split("=")])
    start_unmeasured()
    sys.settrace(None)  # what is killed could not be counted
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    from partwhole.sources.readers import molecule_table
    from partwhole.training import trainer

    trainer.STATE_SECONDS = 0.2
    molecule_table.CHUNK = 40
    signal.setitimer(signal.ITIMER_PROF, seconds)  # 0 is never
    code = exit_code([str(argument) for argument in arguments])
    signal.setitimer(signal.ITIMER_PROF, 0)
    spent.write_text(str(time.process_time()))
    os._exit(code)


def started(arguments, folder, readers=1, seconds=0.0):
    return forked(command, arguments, MARK, readers, seconds, folder / "spent")


def over(process):
    """Whether it has ended by itself, as it should, or was killed."""
    process.join()
    assert process.exitcode in (0, -signal.SIGPROF, -signal.SIGKILL), process.exitcode
    return process.exitcode == 0


def undisturbed(arguments, folder):
    """How many seconds the command works when it is left alone."""
    assert over(started(arguments, folder))
    return float((folder / "spent").read_text())


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


def kill_often(arguments, check, kill, kills, seed, folder):
    """Kill the command `kills` times, each time going on from what is there. `arguments()` are those for now,
    `kill(arguments, moments)` starts it and kills it at a moment that is drawn; when it ends by itself,
    `check()` looks at the result and takes it away."""
    moments = random.Random(seed)
    while kills:
        process = kill(arguments(), moments)
        if over(process):
            check()
        else:
            kills -= 1
        whole_files(folder)
    assert over(started(arguments(), folder))
    check()


def at_work(seconds, folder):
    """Kill it at a moment of its `seconds` of work."""
    return lambda arguments, moments: started(arguments, folder, seconds=moments.uniform(0, seconds))


def test_a_fit_that_is_killed(tmp_path):
    seconds = undisturbed(["fit", "MUTAG", "--out", tmp_path / "whole", *FIT], tmp_path)
    out = tmp_path / "killed"

    def arguments():
        resume = ["--resume"] if (out / "config.toml").exists() else []
        return ["fit", "MUTAG", "--out", out, *FIT, *resume]

    def check():
        assert same_tensors(tmp_path / "whole" / "model.safetensors", out / "model.safetensors")
        metrics = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        assert [row["epoch"] for row in metrics] == list(range(1, 9))
        shutil.rmtree(out)

    kill_often(arguments, check, at_work(seconds, tmp_path), 24, 1, tmp_path)


def test_an_embedding_that_is_killed(tmp_path):
    pytest.importorskip("rdkit")
    rows = "".join(f"{'C' * (1 + k % 40)}{'O' if k % 3 else 'N'},{k}\n" for k in range(400))
    (tmp_path / "many.csv").write_text(f"smiles,number\n{rows}")
    model = SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4)
    model.fit_run(["CCO", "CCN", "CO"], tmp_path / "run")
    whole, out = tmp_path / "whole.parquet", tmp_path / "killed.parquet"
    embed = ["embed", tmp_path / "run", tmp_path / "many.csv", "--out"]
    seconds = undisturbed([*embed, whole], tmp_path)

    def check():
        assert parquet.read_table(out).equals(parquet.read_table(whole))
        assert not (tmp_path / ".killed.parquet.parts").exists()
        out.unlink()

    kill_often(lambda: [*embed, out], check, at_work(seconds, tmp_path), 21, 2, tmp_path)
    process = started([*embed, out], tmp_path, readers=2)
    while not readers_of_molecules():
        assert process.exitcode is None
        time.sleep(0.05)
    process.kill()
    assert not over(process)
    while readers_of_molecules():  # they end with the command: they look once a second
        time.sleep(0.05)
    assert over(started([*embed, out], tmp_path))
    check()


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
    file = tmp_path / "cells.jsonl"
    seen: list[str] = []

    def lines():
        return file.read_bytes().count(b"\n") if file.exists() else 0

    def kill(arguments, moments):
        """Its processes work, so the moment is drawn by the cells that are finished."""
        before, cells = lines(), moments.randint(0, 2)
        process = started(arguments, tmp_path)
        while process.exitcode is None and lines() < before + cells:
            time.sleep(0.02)
        process.join(moments.uniform(0, 0.3))
        process.kill()
        return process

    def arguments():
        """No cell that was finished is lost or measured again."""
        cells = [json.loads(line)["cell"] for line in file.read_text().splitlines()[1:]] if lines() else []
        assert cells[: len(seen)] == seen
        seen[:] = cells
        return table

    def check():
        arguments()
        rows = ("counts", "sp", "wl")
        assert sorted(seen) == sorted(f"MUTAG/{row}/0/{run}" for row in rows for run in (0, 1))
        file.unlink()
        seen.clear()

    kill_often(arguments, check, kill, 10, 3, tmp_path)
