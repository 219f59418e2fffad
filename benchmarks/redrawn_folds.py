"""How much of a published accuracy is the choice? One training run, scored in four ways:

last epoch; best epoch; best epoch and classifier; and the same when every evaluation draws folds of
its own, as scripts do that call `StratifiedKFold(shuffle=True)` without a seed. Nothing else
differs. Prints a Markdown table: mean ± standard deviation over the seeds.

    python benchmarks/redrawn_folds.py PTC_MR MUTAG --seeds 3
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from over_seeds import print_over_seeds

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.estimators.loading import load_run
from partwhole.evaluation.classifiers import CLASSIFIERS, RBF, fold_accuracies
from partwhole.runs.folder import RunFolder

WAYS = ("last epoch", "best epoch", "best epoch and classifier", "the same, folds drawn each time")


def one_run(name: str, seed: int) -> list[float]:
    store = load_graphs(name)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        SubgraphInfoMax(recipe="paper", random_state=seed).fit_run(store, run)
        fixed, drawn = {}, []
        for epoch in [e for e in RunFolder(run).snapshot_epochs() if e > 0]:
            vectors = load_run(run, epoch).transform(store)
            for k, classifier in enumerate(CLASSIFIERS):
                of_folds = fold_accuracies(vectors, store.labels, classifier=classifier, seed=seed)
                fixed[epoch, classifier] = of_folds.mean()
                fresh = 1000 * (seed + 1) + 10 * epoch + k
                drawn.append(fold_accuracies(vectors, store.labels, classifier=classifier, seed=fresh).mean())
    rbf = {epoch: score for (epoch, classifier), score in fixed.items() if classifier == RBF}
    return [rbf[max(rbf)], max(rbf.values()), max(fixed.values()), max(drawn)]


if __name__ == "__main__":
    print_over_seeds(__doc__.splitlines()[0], WAYS, one_run)
