"""How the weights of the recipe were chosen: `python benchmarks/recipe_weights.py MUTAG PTC_MR --seeds 2`

Label-free accuracy of the vectors of `best` with other weights of its views, before and after training, on
folds of seeds from 100 on, which no reported run has. Each line is one trial.
"""

from __future__ import annotations

import argparse

import numpy as np

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.recipes.graph_vectors import GraphVectors
from partwhole.recipes.weights import BEST, LAYERS

FIRST_SEED = 100
NONE = 1e-9
TRIALS = {  # what differs from the shipped weights
    "as shipped": {},
    "structure alone": {"colors": NONE, LAYERS: NONE},
    "half the colours": {"colors": 1.0},
    "more colours": {"colors": 5.0},
    "more structure": {"structure": 1.0, "sizes": 0.2, "walks": 0.6},
    "no colours": {"colors": NONE},
    "no walks": {"walks": NONE},
    "no depth": {"depth": NONE},
    "more layers": {LAYERS: 1.0},
    "no layers": {LAYERS: NONE},
}


def blocks_of(store: GraphStore, epochs: int) -> list[np.ndarray]:
    """All that `best` sums up, of a network after so many epochs."""
    model = SubgraphInfoMax(epochs=epochs, random_state=FIRST_SEED, snapshot_every=0).fit(store)
    return model.learned_.vectors.blocks(
        model.learned_.network.inputs.prepared(store), model.learned_.network.layer_sums
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    print(f"data set, weights of {', '.join(BEST)}: untrained, after {given.epochs} epochs")
    for name in given.datasets:
        store = load_graphs(name)
        trained = {epochs: blocks_of(store, epochs) for epochs in (0, given.epochs)}
        for label, other in TRIALS.items():
            means = []
            for blocks in trained.values():
                summary = GraphVectors(BEST | other, blocks[-1].shape[1], 128).directions
                summary.learn(summary.measured(blocks))
                vectors = summary(blocks)
                seeds = range(FIRST_SEED, FIRST_SEED + given.seeds)
                means.append(np.mean([fold_accuracies(vectors, store.labels, seed=s) for s in seeds]))
            print(f"{name}, {label} {other or BEST}: {means[0]:.1f}, {means[1]:.1f}", flush=True)


if __name__ == "__main__":
    main()
