"""The figures of docs/scaling.md, on an idle machine.

python benchmarks/scaling.py processes    seconds an epoch of one process and of two, each way in turn
python benchmarks/scaling.py stores       bytes that graphs take on disk
python benchmarks/scaling.py molecules    a million SMILES to vectors: molecules a second, and memory
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
from partwhole.runs.folder import RunFolder

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


def moses(molecules: int, path: str) -> None:
    """A table of SMILES of MOSES."""
    with gzip.open(Path(os.environ["PARTWHOLE_DATA"]) / "moses" / "train.csv.gz", "rt") as lines:
        Path(path).write_text("".join(itertools.islice(lines, molecules + 1)))


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds, and the most memory in MiB that the command and its processes had at a time, by their shares
    of common pages, looked at twice a second."""
    began, most = time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, sum(_share(pid) for pid in _family(process.pid)) / 1024)
            time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - began, most


def _family(pid: int) -> list[int]:
    """A process and all that come from it."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def _share(pid: int) -> int:
    """KiB of a process, pages that several have counted in parts."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def molecules_of(count: int) -> dict[str, float]:
    """From a table of SMILES to vectors, reading, starting and writing included; and in training."""
    with tempfile.TemporaryDirectory() as folder:
        few, run = f"{folder}/few.csv", f"{folder}/run"
        moses(20_000, few)
        partwhole = [sys.executable, "-m", "partwhole"]
        found = {}
        for way, many, options in (("embed", count, []), ("embed --ray", count // 10, ["--ray"])):
            table, out = f"{folder}/{many}.csv", f"{folder}/{many}.parquet"
            moses(many, table)
            command = [*partwhole, "embed", "--pretrained", "molecules-small", table, "--out", out, *options]
            seconds, mib = timed(command)
            found |= {f"{way} {many:,}, molecules a second": many / seconds, f"{way} {many:,}, MiB": mib}
        found["bytes a vector"] = Path(f"{folder}/{count}.parquet").stat().st_size / count
        timed([*partwhole, "fit", few, "--out", run, "--epochs", "3", "--generator", "multi-head"])
        epochs = [row["seconds"] for row in RunFolder(run).read_metrics()]
        found["training, molecules a second"] = 20_000 / float(np.median(epochs[1:]))
        return found | {f"store, {k}": v for k, v in bytes_of(load_graphs(few)).items()}


def processes() -> None:
    for name, (data, epochs, options) in CASES.items():
        taken = [seconds_an_epoch(data, epochs, options, *how) for how in WAYS.values()]
        print(f"| {name} | {' | '.join(f'{seconds:.2f}' for seconds in taken)} |", flush=True)


def stores() -> None:
    for name in ("NCI1", "REDDIT-BINARY"):
        print(name, json.dumps(bytes_of(load_graphs(name))))


def molecules() -> None:
    for name, value in molecules_of(int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000).items():
        print(f"{name}: {value:,.1f}")


if __name__ == "__main__":
    {"processes": processes, "stores": stores, "molecules": molecules}[sys.argv[1]]()
