"""One process against two: seconds an epoch, each way in turn on an idle machine; results to scaling.json.

    python benchmarks/scaling.py

The figures of docs/scaling.md come from here, with the bytes that a store takes for each node, edge and graph.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from partwhole import GraphStore, load_graphs
from partwhole.training.checkpoint import RunFolder

RESULTS = Path(__file__).with_name("scaling.json")
WAYS = {"1 process, 1 thread": (1, 1), "1 process, 2 threads": (1, 2), "2 processes": (2, 1)}
CASES: dict[str, tuple[str, int, list[str]]] = {  # name -> data set, epochs, options
    "NCI1, batch 128": ("NCI1", 6, []),
    "NCI1, batch 512": ("NCI1", 6, ["--batch-size", "512"]),
    "NCI1, batch 512, hidden 512": ("NCI1", 4, ["--batch-size", "512", "--hidden", "512"]),
    "REDDIT-BINARY, batch 128": ("REDDIT-BINARY", 4, []),
    "PROTEINS, batch 128": ("PROTEINS", 6, []),
}


def seconds_an_epoch(data: str, epochs: int, options: list[str], devices: int, threads: int) -> float:
    """The median without the first epoch, which starts everything up."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "partwhole", "fit", data, "--out", f"{folder}/run"]
        command += ["--epochs", str(epochs), "--devices", str(devices), *options]
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        rows = RunFolder(f"{folder}/run").read_metrics()
    return float(np.median([row["seconds"] for row in rows[1:]]))


def bytes_of(store: GraphStore) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        store.save(Path(folder) / "store")
        total = sum(file.stat().st_size for file in (Path(folder) / "store").iterdir())
    entries = len(store.neighbor)
    return {
        "graphs": len(store),
        "nodes a graph": float(store.num_nodes.mean()),
        "entries a graph": entries / len(store),
        "bytes a graph": total / len(store),
        "bytes an entry": total / entries,
    }


def main() -> None:
    figures: dict[str, Any] = {}
    for name, (data, epochs, options) in CASES.items():
        taken = {way: seconds_an_epoch(data, epochs, options, *how) for way, how in WAYS.items()}
        figures[name] = taken
        print(f"| {name} | {' | '.join(f'{seconds:.2f}' for seconds in taken.values())} |", flush=True)
    stores = {name: bytes_of(load_graphs(name)) for name in ("NCI1", "REDDIT-BINARY")}
    machine = {"cores": os.cpu_count(), "torch": version("torch")}
    content = {"seconds an epoch": figures, "stores": stores, "machine": machine}
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")
    print(json.dumps(stores, indent=1))


if __name__ == "__main__":
    main()
