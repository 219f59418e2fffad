"""What labels could add: `python benchmarks/recipe_ceiling.py MUTAG PTC_MR`

The weights of the views of `best` are chosen by the labels of each training part, together with C, and
compared with the shipped ones on the same folds. Whatever learns without labels how to weigh the views, or
whether to listen to the network, knows less than this. Folds of seeds from 100 on.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import KERNEL, fold_accuracies
from partwhole.recipes.graph_vectors import GraphVectors
from partwhole.recipes.weights import BEST, LAYERS
from partwhole.reproduce.statistics import corrected_paired_test

FIRST_SEED = 100
NONE = 1e-9
CHOICES = {
    "colors": (NONE, 1.0, 2.0),
    "structure": (NONE, 0.4, 1.0),
    "walks": (NONE, 0.3),
    LAYERS: (NONE, 0.3, 1.0),
}


def similarities(store: GraphStore, epochs: int) -> np.ndarray:
    """[K, n, n] of the RBF kernel, the shipped weights first, then all choices."""
    model = SubgraphInfoMax(epochs=epochs, random_state=FIRST_SEED, snapshot_every=0).fit(store)
    blocks = model.learned_.vectors.blocks(
        model.learned_.network.inputs.prepared(store), model.learned_.network.layer_sums
    )
    grams = []
    for weights in [BEST, *(BEST | dict(zip(CHOICES, w)) for w in itertools.product(*CHOICES.values()))]:
        summary = GraphVectors(weights, blocks[-1].shape[1], 128).directions
        summary.learn(summary.measured(blocks))
        x = summary(blocks).astype(np.float64)
        squares = (x * x).sum(axis=1)
        distances = squares[:, None] + squares - 2 * x @ x.T
        grams.append(np.exp(-distances / (x.shape[1] * x.var())))
    return np.stack(grams)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--folds", type=int, default=2, help="seeds of folds")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    print("data set: shipped weights, weights chosen by labels, difference and its p-value")
    for name in given.datasets:
        store = load_graphs(name)
        grams = similarities(store, given.epochs)
        shipped, chosen = (
            np.stack(
                [
                    fold_accuracies(some, store.labels, classifier=KERNEL, seed=FIRST_SEED + k)
                    for k in range(given.folds)
                ]
            )
            for some in (grams[:1], grams[1:])
        )
        test = corrected_paired_test(chosen, shipped)
        print(
            f"{name}: {shipped.mean():.1f}, {chosen.mean():.1f}, {test.gain:+.1f}, p = {test.p:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
