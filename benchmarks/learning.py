"""Does the default learn? `python benchmarks/learning.py MUTAG PTC_MR --seeds 5`

For each data set: the estimate of mutual information after the third and the last epoch, parts in use (two
to the entropy of their sizes, of four), label-free accuracy of the default vectors and of the network's
layers alone, seconds of an epoch. `bound` trains by the estimate alone, `letter` with the paper's score and
selection besides; `untrained` has the weights it began with, and moments of BatchNorm from the data: a fit at
a learning rate of 1e-12. Folds have the seed of the run. Each run is a line of results/learning.jsonl (JSON);
without data sets, the table of all that is there is printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.recipes.graph_vectors import GraphVectors, signed_log
from partwhole.recipes.weights import LAYERS
from partwhole.reproduce.statistics import corrected_paired_test

RESULTS = Path(__file__).parents[1] / "results" / "learning.jsonl"

WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "bound": {"objective": "bound"},
    "letter": {"pair_score": "dot", "selection": "straight-through", "objective": "bound"},
    "untrained": {"lr": 1e-12},
}
BATCH = 128
MOMENTS = 60  # steps after which the moments of BatchNorm are those of the data to 0.2 %


def layers_alone(model: SubgraphInfoMax, store: GraphStore) -> np.ndarray:
    """What the network says, projected like a default vector; no description beside it."""
    network = model.learned_.network
    sums = signed_log(network.layer_sums(network.inputs.prepared(store)))
    directions = GraphVectors({LAYERS: 1.0}, sums.shape[1], model.hidden).directions
    directions.learn(directions.measured([sums]))
    return directions([sums])


def in_use(model: SubgraphInfoMax, store: GraphStore) -> float:
    """Two to the entropy of the sizes of parts over the collection."""
    held = np.hstack(model.all_subgraphs(store)).sum(1)
    share = held[held > 0] / held.sum()
    return float(2 ** -(share * np.log2(share)).sum())


def measured(store: GraphStore, way: str, epochs: int, seed: int) -> dict[str, Any]:
    """One fit and what came of it."""
    if way == "untrained":
        epochs = max(3, -(-MOMENTS // -(-len(store) // BATCH)))
    options = {"epochs": epochs, "random_state": seed, "snapshot_every": 0, "threads": 1} | WAYS[way]
    model = SubgraphInfoMax(**options).fit(store)
    accuracies = {}
    if store.labels.dtype.kind != "f":
        for name, x in {"vectors": model.transform(store), "layers": layers_alone(model, store)}.items():
            accuracies[name] = fold_accuracies(x, store.labels, seed=seed).round(3).tolist()
    estimates = [round(epoch["mutual_information"], 4) for epoch in model.history_]
    seconds = float(np.median([epoch["seconds"] for epoch in model.history_]))
    facts = {"data": store.name, "way": way, "seed": seed, "epochs": epochs}
    return {**facts, "estimates": estimates, "in_use": in_use(model, store), "seconds": seconds, **accuracies}


def fold_scores(runs: list[dict[str, Any]], what: str) -> np.ndarray:
    """[runs, folds] in the order of their seeds."""
    return np.array([run[what] for run in sorted(runs, key=lambda run: run["seed"])])


def row(runs: list[dict[str, Any]], untrained: list[dict[str, Any]]) -> str:
    """A line of the table: the worst estimates, means over runs, and the gain over untrained layers."""
    first = runs[0]
    last = [r["estimates"][-1] for r in runs]
    since = min(min(r["estimates"][2:]) for r in runs)
    figures = [
        str(first["epochs"]),
        str(len(runs)),
        f"{since:.2f}",
        f"{np.mean(last):.2f}",
        f"{min(last):.2f}",
    ]
    figures.append(f"{min(r['in_use'] for r in runs):.2f}")
    for what in ("vectors", "layers"):
        scores = fold_scores(runs, what)
        figures.append(f"{scores.mean():.1f} ± {scores.mean(1).std(ddof=1) if len(runs) > 1 else 0:.1f}")
        if runs is untrained or len(untrained) != len(runs):
            figures.append("-")
            continue
        found = corrected_paired_test(scores, fold_scores(untrained, what))
        figures.append(f"{found.gain:+.1f} (p = {found.p:.2g})")
    return f"| {first['data']} | {first['way']} | {' | '.join(figures)} |"


TITLE = (
    "| graphs | training | epochs | runs | estimate after two epochs, worst | last, mean | last, worst "
    "| in use, least | vectors | gain | layers alone | gain |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


def table(kept: list[dict[str, Any]]) -> str:
    """All runs, a line for each data set and way of training."""
    lines = [TITLE]
    for name in dict.fromkeys(run["data"] for run in kept):
        ways = {way: [r for r in kept if (r["data"], r["way"]) == (name, way)] for way in WAYS}
        lines += [row(runs, ways["untrained"]) for runs in ways.values() if runs]
    return "\n".join(lines)


def main() -> None:
    """Measure what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--out", type=Path, default=RESULTS, help="a line for each run; those there are kept")
    asked = parser.parse_args()
    kept = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out.exists() else []
    there = {(run["data"], run["way"], run["seed"]) for run in kept}
    for name in asked.data:
        store = load_graphs(name)
        for way, seed in itertools.product(asked.ways, range(asked.seeds)):
            if (name, way, seed) in there:
                continue
            kept.append(measured(store, way, asked.epochs, seed))
            with asked.out.open("a") as file:
                file.write(json.dumps(kept[-1]) + "\n")
            print(name, way, seed, file=sys.stderr)
    print(table(kept))


if __name__ == "__main__":
    main()
