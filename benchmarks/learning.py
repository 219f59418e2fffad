"""Does the default learn? `python benchmarks/learning.py MUTAG PTC_MR --seeds 5`

For each data set: the estimate of mutual information after the third and the last epoch, parts in use (two
to the entropy of their sizes, of four), label-free accuracy of the default vectors and of the network's
layers alone, seconds of an epoch. `bound` trains by the estimate alone, `letter` with the paper's score and
selection besides; `untrained` has the weights it began with, and moments of BatchNorm from the data: a fit at
a learning rate of 1e-12. Folds have the seed of the run. A line of JSON for each run goes to standard output,
the table to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import numpy as np

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.recipes.graph_vectors import GraphVectors, signed_log
from partwhole.recipes.weights import LAYERS

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


def row(runs: list[dict[str, Any]]) -> str:
    """A line of the table: means over runs, the worst estimate."""
    first = runs[0]

    def mean(key: str) -> str:
        return f"{np.mean([np.mean(r[key]) for r in runs]):.2f}" if key in first else "-"

    last, third = ([r["estimates"][i] for r in runs] for i in (-1, min(2, first["epochs"] - 1)))
    figures = [f"{min(third):.2f}", f"{np.mean(last):.2f}", f"{min(last):.2f}"]
    figures += [f"{min(r['in_use'] for r in runs):.2f}", mean("vectors"), mean("layers"), mean("seconds")]
    return f"| {first['data']} | {first['way']} | {len(runs)} | {' | '.join(figures)} |"


def main() -> None:
    """Measure, print lines and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    asked = parser.parse_args()
    table = [
        "| graphs | training | runs | third epoch, worst | last, mean | last, worst | in use, least | "
        "vectors | layers alone | s an epoch |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in asked.data:
        store = load_graphs(name)
        for way in asked.ways:
            runs = []
            for seed in range(asked.seeds):
                runs.append(measured(store, way, asked.epochs, seed))
                print(json.dumps(runs[-1]), flush=True)
            table.append(row(runs))
    print(*table, sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
