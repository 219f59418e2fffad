"""How much of the gain of training is scale? The encoder before its first step and after its last,
each as it is and after a signed logarithm, x -> sign(x) log(1 + |x|), under the RBF SVM.

Before training, BatchNorm passes its input on as it is, and sums over the nodes of dense graphs grow
with every layer; an RBF kernel of one width cannot see small graphs beside vectors of size 1e7. The
logarithm brings them together and learns nothing. Prints a Markdown table: mean ± standard
deviation over the seeds.

    python benchmarks/untrained_scale.py MUTAG PTC_MR IMDB-BINARY IMDB-MULTI --seeds 3
"""

from __future__ import annotations

import numpy as np
from over_seeds import print_over_seeds

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import fold_accuracies

WAYS = ("largest entry untrained", "untrained", "untrained, log", "trained", "trained, log")


def one_run(name: str, seed: int) -> list[float]:
    store = load_graphs(name)

    def scores(vectors: np.ndarray) -> list[float]:
        small = np.sign(vectors) * np.log1p(np.abs(vectors))
        return [float(fold_accuracies(x, store.labels, seed=seed).mean()) for x in (vectors, small)]

    before = SubgraphInfoMax(recipe="paper", epochs=0, random_state=seed).fit_transform(store)
    after = SubgraphInfoMax(recipe="paper", random_state=seed).fit_transform(store)
    return [float(np.abs(before).max()), *scores(before), *scores(after)]


if __name__ == "__main__":
    print_over_seeds(__doc__.splitlines()[0], WAYS, one_run, magnitudes=1)
