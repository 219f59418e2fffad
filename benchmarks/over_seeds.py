"""A Markdown table of an experiment on data sets: mean ± standard deviation over seeds."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np


def print_over_seeds(
    about: str, columns: Sequence[str], one_run: Callable[[str, int], list[float]], magnitudes: int = 0
) -> None:
    """Columns of `one_run(data set, seed)`, for the data sets and seeds on the command line.

    The first `magnitudes` columns are orders of magnitude.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    print(f"| data set | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}", flush=True)
    for name in given.datasets:
        results = np.array([one_run(name, seed) for seed in range(given.seeds)])
        cells = [
            f"{mean:.0e}" if k < magnitudes else f"{mean:.1f} ± {std:.1f}"
            for k, (mean, std) in enumerate(zip(results.mean(0), results.std(0, ddof=1)))
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
