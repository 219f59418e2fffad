"""Epochs with the threads that are chosen by default against one thread, idle and beside two busy processes.

    python benchmarks/threads.py [--sets MUTAG NCI1] [--epochs 10] [--repeats 3] [--without-all-cores]

The conditions take turns, so that a machine that slows down slows all of them. Prints a table and one JSON
object. The machine must have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SCRIPT = """
import json, sys
from partwhole import SubgraphInfoMax
name, epochs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = SubgraphInfoMax(epochs=epochs, threads=threads).fit(name)
print(json.dumps([row["seconds"] for row in model.history_][1:]))  # the first one compiles and warms up
"""
CHOSEN = {"default": 0, "one thread": 1, "all cores": os.cpu_count() or 1}


@contextmanager
def busy(processes: int) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def epoch_seconds(name: str, epochs: int, threads: int) -> list[float]:
    command = [sys.executable, "-c", SCRIPT, name, str(epochs), str(threads)]
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=["MUTAG", "NCI1", "IMDB-BINARY"])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--without-all-cores", action="store_true", help="compare the default alone")
    given = parser.parse_args()
    rows = []
    for name in given.sets:
        for others in (0, 2):
            compared = dict(list(CHOSEN.items())[: 2 if given.without_all_cores else 3])
            seconds: dict[str, list[float]] = {chosen: [] for chosen in compared}
            with busy(others):
                for _ in range(given.repeats):
                    for chosen, threads in compared.items():
                        seconds[chosen] += epoch_seconds(name, given.epochs, threads)
            medians = {chosen: statistics.median(values) for chosen, values in seconds.items()}
            ratios = {c: m / medians["one thread"] for c, m in medians.items()}
            rows.append({"set": name, "busy": others, "seconds": medians, "ratios": ratios})
            told = ", ".join(f"{c} {m:.3f} s ({ratios[c]:.2f})" for c, m in medians.items())
            print(f"{name}, {others} busy processes: {told}", file=sys.stderr)
    print(
        json.dumps({"epochs": given.epochs, "repeats": given.repeats, "cores": os.cpu_count(), "rows": rows})
    )


if __name__ == "__main__":
    main()
