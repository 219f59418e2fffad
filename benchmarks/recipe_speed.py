"""What the recipe costs: `python benchmarks/recipe_speed.py MUTAG IMDB-BINARY NCI1`

Seconds of a whole `fit_run`, with all that is kept on the way, and of `transform`: the recipe `best` over
`paper`, medians of alternating runs in one process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from partwhole import GraphStore, SubgraphInfoMax, load_graphs


def seconds(store: GraphStore, recipe: str, epochs: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        model = SubgraphInfoMax(recipe=recipe, epochs=epochs)
        started = time.perf_counter()
        model.fit_run(store, Path(folder) / "run")
        fitted = time.perf_counter()
        model.transform(store)
        return fitted - started, time.perf_counter() - fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    print("| data set | fit, paper | fit, best | ratio | transform, paper | transform, best |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in given.datasets:
        store = load_graphs(name)
        for recipe in ("paper", "best"):  # compile, and fill caches
            seconds(store, recipe, 1)
        taken = [[seconds(store, r, given.epochs) for r in ("paper", "best")] for _ in range(given.repeats)]
        (paper, of_paper), (best, of_best) = np.median(taken, axis=0)
        shown = f"{paper:.2f} s | {best:.2f} s | {best / paper:.2f} | {of_paper:.2f} s | {of_best:.2f} s"
        print(f"| {name} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
