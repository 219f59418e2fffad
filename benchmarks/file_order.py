"""What the order of a file does to the choice of C.

C is chosen as in the tables and in many published scripts, by `GridSearchCV(…, cv=5)`, whose folds are pieces
of the training part in the order of the file. Where neighbours in the file are alike, each piece is unlike
the others, and a C is chosen that is right for graphs of another kind. Here the same vectors and similarities
are scored in the order of the file, and with all graphs shuffled before. Folds of seeds from 100 on.

    OMP_NUM_THREADS=2 python benchmarks/file_order.py NCI1 --seeds 2
"""

from __future__ import annotations

import numpy as np
from over_seeds import print_over_seeds

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import KERNEL, RBF, fold_accuracies
from partwhole.registry import METHODS

FIRST_SEED = 100
WAYS = ("best, as in the file", "best, shuffled", "WL kernel, as in the file", "WL kernel, shuffled")


def one_run(name: str, seed: int) -> list[float]:
    store, seed = load_graphs(name), FIRST_SEED + seed
    vectors = SubgraphInfoMax(epochs=20, random_state=seed, snapshot_every=0).fit(store).transform(store)
    grams = METHODS.get("wl")().fit(store).gram(store)  # [rounds + 1, n, n]
    found = []
    for classifier, seen in (RBF, vectors), (KERNEL, grams):
        for order in np.arange(len(store)), np.random.default_rng(seed).permutation(len(store)):
            rows = seen[order] if classifier == RBF else seen[:, order][:, :, order]
            of_folds = fold_accuracies(rows, store.labels[order], classifier=classifier, seed=seed)
            found.append(float(of_folds.mean()))
    return found


if __name__ == "__main__":
    print_over_seeds(__doc__.splitlines()[0], WAYS, one_run)
