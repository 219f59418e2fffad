"""The figures of docs/scaling.md, on an idle machine.

python benchmarks/scaling.py processes    seconds an epoch of one process and of two, each way in turn
python benchmarks/scaling.py stores       bytes that graphs take on disk
python benchmarks/scaling.py molecules    SMILES to vectors: molecules a second
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from partwhole import GraphStore, load_graphs
from partwhole.training.checkpoint import RunFolder

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


def smiles_to_vectors(molecules: int) -> dict[str, float]:
    """Molecules a second from a table of SMILES to a Parquet file, reading, starting and writing included."""
    moses = Path(os.environ["PARTWHOLE_DATA"]) / "moses" / "train.csv.gz"
    with tempfile.TemporaryDirectory() as folder:
        table, few, run = f"{folder}/molecules.csv", f"{folder}/few.csv", f"{folder}/run"
        with gzip.open(moses, "rt") as lines:
            taken = list(itertools.islice(lines, molecules + 1))
        Path(table).write_text("".join(taken))
        Path(few).write_text("".join(taken[:5001]))
        partwhole = [sys.executable, "-m", "partwhole"]
        subprocess.run(
            [*partwhole, "fit", few, "--out", run, "--epochs", "1"], check=True, capture_output=True
        )
        rates = {}
        for way, options in (("embed", []), ("embed --ray", ["--ray"])):
            began = time.perf_counter()
            command = [*partwhole, "embed", run, table, "--out", f"{folder}/{way}.parquet", *options]
            subprocess.run(command, check=True, capture_output=True)
            rates[way] = molecules / (time.perf_counter() - began)
        rates["bytes a vector"] = Path(f"{folder}/embed.parquet").stat().st_size / molecules
        return rates | {f"store: {k}": v for k, v in bytes_of(load_graphs(few)).items()}


def processes() -> None:
    for name, (data, epochs, options) in CASES.items():
        taken = [seconds_an_epoch(data, epochs, options, *how) for how in WAYS.values()]
        print(f"| {name} | {' | '.join(f'{seconds:.2f}' for seconds in taken)} |", flush=True)


def stores() -> None:
    for name in ("NCI1", "REDDIT-BINARY"):
        print(name, json.dumps(bytes_of(load_graphs(name))))


def molecules() -> None:
    print(json.dumps(smiles_to_vectors(100_000)))


if __name__ == "__main__":
    {"processes": processes, "stores": stores, "molecules": molecules}[sys.argv[1]]()
