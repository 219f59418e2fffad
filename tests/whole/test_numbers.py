"""Numbers stay numbers: every option trains on graphs of every data set without one that is not finite."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_contract import choices, name

from partwhole import SubgraphInfoMax
from partwhole.registry import BOUNDS, GENERATORS, METHODS

pytestmark = pytest.mark.slow

SETS = (
    "MUTAG",
    "PTC_MR",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "REDDIT-BINARY",
    "REDDIT-MULTI-5K",
    "NCI1",
    "PROTEINS",
)
LOSSES = [
    {"generator": generator, "estimator": estimator, "pair_score": score}
    for generator, estimator, score in itertools.product(GENERATORS, BOUNDS, ("dot", "cosine"))
]
EXTREMES = [{"lr": 1.0}, {"hidden": 1}, {"layers": 1}, {"num_subgraphs": 64}, {"batch_size": 2}]
SMALL = {"hidden": 8, "layers": 2, "batch_size": 7, "epochs": 2}


def of_all_sizes(store):
    """The largest and the smallest graphs of a set, and some in between."""
    order = np.argsort(store.num_nodes, kind="stable")
    return store[np.concatenate([order[:4], order[:: len(order) // 8][:8], order[-2:]])]


def finite(model, store):
    """Losses of both epochs, weights and vectors, after a fit."""
    losses = [np.isfinite(row["loss"]) for row in model.history_]
    weights = [bool(weights.isfinite().all()) for weights in model.model_.state_dict().values()]
    return losses == [True, True] and all(weights) and bool(np.isfinite(model.transform(store)).all())


@pytest.mark.parametrize("dataset_name", SETS)
def test_no_option_gives_anything_that_is_not_finite(dataset, dataset_name):
    store = of_all_sizes(dataset(dataset_name))
    for options in [*choices(), *LOSSES, *EXTREMES]:
        model = SubgraphInfoMax(**SMALL | options).fit(store)
        assert finite(model, store), f"{dataset_name}: {name(options)}"


@pytest.mark.parametrize("dataset_name", SETS)
def test_no_other_method_does(dataset, dataset_name):
    store = of_all_sizes(dataset(dataset_name))
    store = store[store.num_nodes < 1000]  # MVGRL has a dense matrix for each
    for method in ("infograph", "mvgrl", "graphcl", "graphmae"):
        assert finite(METHODS.get(method)(**SMALL).fit(store), store), f"{dataset_name}: {method}"
