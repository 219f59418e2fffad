"""The programs in `examples/`: each runs from a clone, and says what its first lines promise."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
SAID = {
    "molecules_few_labels.py": ["boiling_point: ", "on 23 molecules held out"],
    "folder_of_networks.py": [
        "91 networks, vectors (91, 128)",
        "3 clusters, clearly apart",
        "unusual, rank 1: two-camps",
    ],
    "own_training_loop.py": ["epoch 5: loss", "200 vectors of 32 numbers"],
    "sklearn_pipeline.py": ["over 3 folds", "best of 4"],
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """`run(name, …)`: the program, in a folder of its own; gives what it printed."""
    monkeypatch.chdir(tmp_path)

    def program(name: str, *arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return program


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_runs_and_says_what_it_found(path, run):
    printed = run(path.name)
    assert printed
    for line in SAID.get(path.name, []):
        assert line in printed


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_is_named_where_one_looks(path):
    assert f"`{path.name}`" in (EXAMPLES / "README.md").read_text()


@pytest.mark.slow
def test_predictions_stand_beside_every_molecule(run):
    run("molecules_few_labels.py")
    table = csv.read_csv("predicted.csv").to_pydict()
    assert len(table["id"]) == 26
    assert [name for name, value in zip(table["id"], table["boiling_point"]) if value is None] == [
        "butanone",
        "dimethylformamide",
        "phenol",
    ]
    for column in ("mean", "morgan_counts", "best", "best_low", "best_high"):
        assert np.isfinite(table[column]).all()
    assert len(set(table["mean"])) == 1


@pytest.mark.slow
def test_a_folder_of_ones_own(run):
    assert "4 networks, vectors (4, 128)" in run("folder_of_networks.py", EXAMPLES / "networks")
