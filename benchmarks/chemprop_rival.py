"""Chemprop, with its own defaults, on the splits of `partwhole reproduce molecules`.

A tenth of the labelled molecules choose the epoch, as Chemprop has it. It is no dependency of this project:

    pip install chemprop
    PARTWHOLE_DATA=… python benchmarks/chemprop_rival.py --labels 300 --runs 5 --out chemprop

Finished runs are kept in the folder; the same command goes on.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from partwhole.files.whole import open_unpacked
from partwhole.graphs.store import GraphStore
from partwhole.reproduce.cells import load_once
from partwhole.reproduce.property_cells import scaffolds, split
from partwhole.reproduce.statistics import summarise
from partwhole.sources.datasets import catalogue
from partwhole.sources.datasets.moleculenet import SETS

VALIDATION = 0.1  # of the labelled molecules


def targets_of(store: GraphStore, name: str) -> np.ndarray:
    """[G, T] float64, NaN where there is no label."""
    columns = [np.asarray(store.target(target), dtype=object) for target in SETS[name].targets]
    return np.array([[np.nan if v is None else float(v) for v in column] for column in columns]).T


def smiles_of(store: GraphStore, name: str) -> list[str]:
    """Those of the file, which ids need not be."""
    path = catalogue.find(name)
    assert path is not None
    with open_unpacked(path) as file:
        lines = list(csv.DictReader(io.TextIOWrapper(file)))
    return [lines[row]["smiles"] for row in store.rows.tolist()]


def write(path: Path, smiles: list[str], y: np.ndarray, rows: np.ndarray) -> None:
    """A table as Chemprop reads it: SMILES, and a column for each target."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["smiles", *(f"y{t}" for t in range(y.shape[1]))])
        for row in rows:
            labels = ["" if np.isnan(value) else f"{value:g}" for value in y[row]]
            writer.writerow([smiles[row], *labels])


def score(said: np.ndarray, y: np.ndarray, numbers: bool) -> float:
    """RMSE, or the mean area under the ROC curve of targets with both classes, in percent."""
    if numbers:
        return float(np.sqrt(np.mean((said[:, 0] - y[:, 0]) ** 2)))
    areas = []
    for t in range(y.shape[1]):
        known = ~np.isnan(y[:, t])
        if len(np.unique(y[known, t])) == 2:
            areas.append(100 * roc_auc_score(y[known, t], said[known, t]))
    return float(np.mean(areas))


def run(name: str, labels: str, seed: int, folder: Path) -> dict[str, float]:
    """One split: train, predict, score."""
    store = load_once(name)
    y, numbers = targets_of(store, name), bool(SETS[name].unit)
    drawn = split(scaffolds(name), ~np.isnan(y).all(axis=1), labels, seed)
    learned = [
        t
        for t in range(y.shape[1])
        if len(np.unique(y[drawn.labelled, t][~np.isnan(y[drawn.labelled, t])])) > 1
    ]
    y = y[:, learned]
    order = np.random.default_rng(seed).permutation(drawn.labelled)
    held = max(1, round(VALIDATION * len(order)))
    parts = {"train": order[held:], "validation": order[:held], "test": drawn.test}
    folder.mkdir(parents=True, exist_ok=True)
    smiles = smiles_of(store, name)
    for part, rows in parts.items():
        write(folder / f"{part}.csv", smiles, y, rows)
    begun = time.perf_counter()
    command = ["chemprop", "train", "-i", *(str(folder / f"{part}.csv") for part in parts)]
    command += ["--task-type", "regression" if numbers else "classification", "-o", str(folder / "model")]
    command += ["--accelerator", "cpu", "--devices", "1", "--pytorch-seed", str(seed)]
    with (folder / "log.txt").open("w") as log:
        subprocess.run(command, check=True, stdout=log, stderr=subprocess.STDOUT)
    with (folder / "model" / "model_0" / "test_predictions.csv").open() as file:
        rows = list(csv.DictReader(file))
    said = np.array([[float(row[f"y{t}"]) for t in range(y.shape[1])] for row in rows])
    return {"score": score(said, y[drawn.test], numbers), "seconds": time.perf_counter() - begun}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=list(SETS))
    parser.add_argument("--labels", default="300")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    kept = given.out / "cells.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    for name in given.datasets:
        for seed in range(given.runs):
            cell = f"{name}:{given.labels}/{seed}"
            if cell not in found:
                found[cell] = run(name, given.labels, seed, given.out / name / given.labels / str(seed))
                kept.write_text(json.dumps(found, indent=1))
        cells = [found[f"{name}:{given.labels}/{seed}"] for seed in range(given.runs)]
        scores = summarise([cell["score"] for cell in cells])
        minutes = sum(cell["seconds"] for cell in cells) / 60
        print(
            f"{name}, {given.labels} labels: {scores.mean:.3f} ± {scores.std:.3f}, {minutes:.1f} minutes",
            flush=True,
        )


if __name__ == "__main__":
    main()
