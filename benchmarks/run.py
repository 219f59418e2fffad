"""`make bench`: every figure is a ratio taken in one run, or a bound; results go to results.json.

    python benchmarks/run.py                 all figures
    python benchmarks/run.py --only NAME     one of them

The rival of the training and embedding figures is `ordinary.py`; the floor is the time that the plain
model's matrix products would take at the sgemm rate measured beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import qm9
import torch
from ordinary import floor_flops, ordinary_for, to_data
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from torch_geometric.loader import DataLoader

from partwhole import GraphStore, PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import outer_folds
from partwhole.evaluation.nested import C_GRID
from partwhole.evaluation.svm import nested_svm
from partwhole.training.feeds import batch_indices

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
THREADS, BATCH = 2, 128
MOSES = Path(os.environ.get("PARTWHOLE_DATA", "data")) / "moses" / "train.csv.gz"

# name -> (bound, which side of it is right)
BOUNDS: dict[str, tuple[float | None, str]] = {
    "reddit-binary-epoch": (10.0, "at least"),
    "reddit-binary-floor": (1.0, "at most"),
    "reddit-multi-5k-epoch": (7.0, "at least"),
    "mutag-epoch": (4.0, "at least"),
    "ptc-mr-epoch": (4.0, "at least"),
    "imdb-binary-epoch": (4.0, "at least"),
    "imdb-multi-epoch": (4.0, "at least"),
    "reddit-binary-embed": (8.0, "at least"),
    "svm": (4.0, "at least"),
    "reddit-multi-5k-peak": (2.0, "at most"),
    "moses-rate": (0.9, "at least"),
    "moses-peak": (1.5, "at most"),
    "start": (5.0, "at most"),
    "qm9-step": (8.0, "at least"),
    "qm9-epoch": (None, "stated"),
}


def timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def sgemm_rate() -> float:
    """Floating-point operations a second of a large matrix product."""
    a, b = torch.randn(4096, 4096), torch.randn(4096, 4096)
    return 2 * 4096**3 / float(np.median([timed(lambda: a @ b) for _ in range(7)]))


# ---------------------------------------------------------------- training and embedding


def ordinary_steps(store: GraphStore, steps: int | None) -> list[float]:
    """Seconds of steps of the ordinary model, loading included; one whole epoch when `steps` is None."""
    model = ordinary_for(store)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    seconds: list[float] = []
    started = time.perf_counter()
    for batch in DataLoader(to_data(store), batch_size=BATCH, shuffle=True):
        optimizer.zero_grad()
        model.loss(batch).backward()
        optimizer.step()
        now = time.perf_counter()
        seconds.append(now - started)
        started = now
        if steps is not None and len(seconds) == steps:
            break
    return seconds


def our_epochs(store: GraphStore, epochs: int) -> list[float]:
    """Seconds of each epoch after the first two, which also load compiled code."""
    model = SubgraphInfoMax(recipe="paper", epochs=epochs + 2, batch_size=BATCH, snapshot_every=0).fit(store)
    return [row["seconds"] for row in model.history_[2:]]


def epoch(name: str) -> dict[str, Any]:
    """Ordinary / ours for an epoch, alternating; steps of the large sets stand for their epoch."""
    store = load_graphs(name)
    large = "REDDIT" in name
    per_epoch = len(batch_indices(len(store), BATCH, 0, 0))
    ordinary: list[float] = []
    ours: list[float] = []
    floor: list[float] = []
    ordinary_steps(store, 1)  # warm up
    flops = floor_flops(int(store.num_nodes.sum()))
    for _ in range(2 if large else 5):
        steps = ordinary_steps(store, 3) if large else ordinary_steps(store, None)
        ordinary.append(float(np.mean(steps)) * per_epoch)
        floor.append(flops / sgemm_rate())
        ours.append(float(np.median(our_epochs(store, 2 if large else 12))))
    a, b, c = (float(np.median(v)) for v in (ordinary, ours, floor))
    print(f"  {name}: ordinary {a:.3f} s, ours {b:.3f} s, floor {c:.3f} s an epoch")
    return {"ratio": a / b, "floor": b / c, "ordinary": a, "ours": b, "dense_floor": c}


def embed() -> dict[str, Any]:
    store = load_graphs("REDDIT-BINARY")
    theirs = ordinary_for(store).eval()
    loader = DataLoader(to_data(store), batch_size=BATCH)
    model = SubgraphInfoMax(recipe="paper", epochs=0).fit(store)
    model.transform(store[:64])

    @torch.inference_mode()
    def ordinary() -> None:
        for batch in loader:
            theirs.embed(batch)

    a = [timed(ordinary) for _ in range(2)]
    b = [timed(lambda: model.transform(store)) for _ in range(5)]
    return {
        "ratio": float(np.median(a) / np.median(b)),
        "ordinary": float(np.median(a)),
        "ours": float(np.median(b)),
    }


# ---------------------------------------------------------------- evaluation


def svm() -> dict[str, Any]:
    """The nested SVM on 2,000 vectors of width 128; the predictions must be the same."""
    store = load_graphs("REDDIT-BINARY")
    vectors, labels = SubgraphInfoMax(recipe="paper", epochs=1).fit_transform(store), store.labels
    folds = outer_folds(labels, 10, seed=0)
    predictions: dict[str, list[np.ndarray]] = {"theirs": [], "ours": []}

    def theirs() -> None:
        for train, test in folds:
            search = GridSearchCV(SVC(), {"C": C_GRID}, cv=5, n_jobs=2).fit(vectors[train], labels[train])
            predictions["theirs"].append(search.predict(vectors[test]))

    def ours() -> None:
        predictions["ours"] = [result.predictions for result in nested_svm(vectors, labels, folds)]

    a, b = timed(theirs), float(np.median([timed(ours) for _ in range(3)]))
    same = all(np.array_equal(p, q) for p, q in zip(predictions["theirs"], predictions["ours"], strict=True))
    return {"ratio": a / b, "grid_search": a, "ours": b, "identical_predictions": same}


# ---------------------------------------------------------------- memory and rate, in processes of their own

CHILD = """
import json, resource, sys
from partwhole import SubgraphInfoMax, load_graphs
import torch
torch.set_num_threads({threads})
model = SubgraphInfoMax(recipe="paper", epochs={epochs}, snapshot_every=0)
store = load_graphs({data!r})
model.fit(store)
print(json.dumps({{
    "graphs": len(store),
    "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    "seconds": [row["seconds"] for row in model.history_],
}}))
"""


def child(data: str, epochs: int) -> dict[str, Any]:
    code = CHILD.format(threads=THREADS, epochs=epochs, data=data)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def peak() -> dict[str, Any]:
    result = child("REDDIT-MULTI-5K", 1)
    return {"gib": result["peak_gib"], "seconds": result["seconds"]}


def moses_store(size: int) -> str:
    """The first `size` molecules of MOSES as a store, made once."""
    import gzip
    import itertools

    from partwhole.sources.readers.molecules import stream_molecules

    folder = HERE / ".cache" / f"moses-{size}"
    if not folder.exists():
        if not MOSES.exists():
            raise PartwholeError("MOSES is not on this machine")
        print(f"  writing {size} molecules to {folder}")
        with gzip.open(MOSES, "rt") as lines:
            stream_molecules((line.strip() for line in itertools.islice(lines, 1, size + 1)), folder)
    return str(folder)


def moses() -> dict[str, Any]:
    """One whole epoch at each size, from the memory map; the small sizes for as many steps or more."""
    runs = {
        size: child(moses_store(size), epochs) for size, epochs in ((10_000, 6), (100_000, 1), (1_000_000, 1))
    }
    rates = {size: size / float(np.median(run["seconds"][-5:])) for size, run in runs.items()}
    peaks = {size: run["peak_gib"] for size, run in runs.items()}
    return {
        "rate_ratio": rates[1_000_000] / rates[10_000],
        "peak_ratio": peaks[1_000_000] / peaks[100_000],
        "graphs_per_second": rates,
        "peak_gib": peaks,
    }


def start() -> dict[str, Any]:
    """Seconds from the command to the end of the first epoch of MUTAG (two steps), not the first time."""
    seconds = []
    for _ in range(4):
        with tempfile.TemporaryDirectory() as folder:
            metrics = Path(folder) / "run" / "metrics.jsonl"
            command = [
                sys.executable,
                "-m",
                "partwhole",
                "fit",
                "MUTAG",
                "--out",
                f"{folder}/run",
                "--epochs",
                "1",
            ]
            began = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not (metrics.exists() and metrics.stat().st_size) and process.poll() is None:
                time.sleep(0.005)
            seconds.append(time.perf_counter() - began)
            process.wait()
    return {"seconds": float(np.median(seconds[1:])), "all": seconds}


# ---------------------------------------------------------------- the table

JOBS: dict[tuple[str, ...], tuple[Callable[[], dict[str, Any]], tuple[str, ...]]] = {
    ("mutag-epoch",): (lambda: epoch("MUTAG"), ("ratio",)),
    ("ptc-mr-epoch",): (lambda: epoch("PTC_MR"), ("ratio",)),
    ("imdb-binary-epoch",): (lambda: epoch("IMDB-BINARY"), ("ratio",)),
    ("imdb-multi-epoch",): (lambda: epoch("IMDB-MULTI"), ("ratio",)),
    ("reddit-binary-epoch", "reddit-binary-floor"): (lambda: epoch("REDDIT-BINARY"), ("ratio", "floor")),
    ("reddit-multi-5k-epoch",): (lambda: epoch("REDDIT-MULTI-5K"), ("ratio",)),
    ("reddit-binary-embed",): (embed, ("ratio",)),
    ("svm",): (svm, ("ratio",)),
    ("reddit-multi-5k-peak",): (peak, ("gib",)),
    ("moses-rate", "moses-peak"): (moses, ("rate_ratio", "peak_ratio")),
    ("start",): (start, ("seconds",)),
    ("qm9-step",): (qm9.step, ("ratio",)),
    ("qm9-epoch",): (lambda: qm9.epoch(sgemm_rate()), ("share",)),
}


def machine() -> dict[str, Any]:
    names = ("torch", "numpy", "numba", "scikit-learn", "torch_geometric")
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "threads": THREADS,
        "load": os.getloadavg()[0],
        "versions": {name: version(name) for name in names},
    }


def _verdict(value: float, bound: float, side: str) -> str:
    return "met" if (value >= bound if side == "at least" else value <= bound) else "NOT MET"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=list(BOUNDS), help="one figure")
    only = parser.parse_args().only
    torch.set_num_threads(THREADS)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"figures": {}, "details": {}}
    for names, (job, keys) in JOBS.items():
        if only and only not in names:
            continue
        about = machine()
        print(f"{', '.join(names)} (load {about['load']:.2f})", flush=True)
        try:
            details = job()
        except PartwholeError as error:
            print(f"  skipped: {error}")
            continue
        for name, key in zip(names, keys, strict=True):
            bound, side = BOUNDS[name]
            value = details[key]
            verdict = side if bound is None else f"{side} {bound}: {_verdict(value, bound, side)}"
            print(f"  {name} = {value:.3f} ({verdict})", flush=True)
            kept["figures"][name] = round(value, 4)
            kept["details"][name] = details | {"load_before": about["load"]}
        kept["machine"] = about
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
