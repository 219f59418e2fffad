"""Which way to tell unusual graphs finds those that were planted, and how many molecules of known sets are
far from what the pretrained encoder was trained on.

Ten graphs of another kind are put among at most 1,000 (five draws); the figures are the area under the ROC
curve and the share of planted graphs among the ten most unusual.

    OMP_NUM_THREADS=1 PARTWHOLE_DATA=… python benchmarks/unusual.py
"""

from __future__ import annotations

import csv
import gzip
import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from partwhole import GraphStore, SubgraphInfoMax, load_graphs, load_pretrained, outlier_scores
from partwhole.runs.landmarks import read_landmarks
from partwhole.runs.pretrained import pretrained_folder

USUAL, PLANTED, DRAWS = 1000, 10, 5
SETS = ("ESOL", "FreeSolv", "Lipophilicity", "BBBP", "Tox21")
ORGANIC = {"C", "N", "O", "S", "F", "Cl", "Br", "I", "P", "B", "H"}
Pair = tuple[np.ndarray, np.ndarray]  # vectors of the usual graphs, and of those to plant


def standardised(vectors: np.ndarray) -> np.ndarray:
    spread = vectors.std(axis=0)
    return (vectors - vectors.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)


WAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "nearest": lambda x: outlier_scores(x).scores,
    "LOF": lambda x: -LocalOutlierFactor(20).fit(standardised(x)).negative_outlier_factor_,
    "isolation forest": lambda x: -IsolationForest(random_state=0).fit(x).score_samples(x),
}


def drawn(store: GraphStore, count: int) -> GraphStore:
    rows = np.random.default_rng(0).permutation(len(store))[:count]
    bare = replace(store.schema, targets=())
    return replace(store, schema=bare, targets=np.zeros((len(store), 0)))[np.sort(rows)]


def of_other_set(usual: str, other: str) -> Pair:
    here, there = drawn(load_graphs(usual), 500), drawn(load_graphs(other), 200)
    model = SubgraphInfoMax(epochs=3).fit(here)
    return model.transform(here), model.transform(there)


def of_other_class(name: str) -> Pair:
    store = load_graphs(name)
    vectors = SubgraphInfoMax(epochs=2).fit_transform(drawn(store, len(store)))
    classes = np.unique(store.labels)
    return vectors[store.labels == classes[0]], vectors[store.labels == classes[-1]]


def metals() -> Pair:
    """Molecules of Tox21 with other than organic elements, among drugs."""
    encoder, store = load_pretrained(), load_graphs("Tox21")
    column = next(column for column in store.schema.node if column.name == "atom")
    has = [bool({column.values[c] for c in graph.node_codes[:, 0]} - ORGANIC) for graph in store]
    return encoder.transform("Lipophilicity"), encoder.transform(store[np.flatnonzero(has)])


def compare(name: str, pair: Pair) -> None:
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for seed in range(DRAWS):
        draw = np.random.default_rng(seed)
        usual, planted = (x[draw.permutation(len(x))[:n]] for x, n in zip(pair, (USUAL, PLANTED)))
        vectors = np.concatenate([usual, planted]).astype(np.float64)
        wanted = np.arange(len(vectors)) >= len(usual)
        for way, scores in ((way, score(vectors)) for way, score in WAYS.items()):
            first = np.argsort(-scores)[:PLANTED]
            found[way].append((roc_auc_score(wanted, scores), wanted[first].mean()))
    for way, figures in found.items():
        area, share = np.mean(figures, axis=0)
        print(f"{name}, {way}: {area:.2f}, {share:.0%}")


def far_shares() -> None:
    encoder, landmarks = (
        load_pretrained("molecules-small"),
        read_landmarks(pretrained_folder("molecules-small")),
    )
    if landmarks is None:
        raise SystemExit("make the encoder again: it has no landmarks")
    graphs = {name: load_graphs(name) for name in SETS}
    moses = Path(os.environ["PARTWHOLE_DATA"], "moses", "test_scaffolds.csv.gz")
    if moses.exists():
        with gzip.open(moses, "rt") as file:
            smiles = [row["SMILES"] for row in csv.DictReader(file)]
        graphs["MOSES, test scaffolds"] = load_graphs(smiles[:: len(smiles) // 3000])
    for name, store in graphs.items():
        far = landmarks.far(encoder.transform(store), store.num_nodes)
        print(f"{name}: {len(store)} molecules, {far.mean():.1%} far")


def main() -> None:
    warnings.simplefilter("ignore")
    far_shares()
    compare("other elements among Lipophilicity", metals())
    compare("REDDIT-BINARY among IMDB-BINARY", of_other_set("IMDB-BINARY", "REDDIT-BINARY"))
    compare("IMDB-MULTI among IMDB-BINARY", of_other_set("IMDB-BINARY", "IMDB-MULTI"))
    compare("PROTEINS, one class among the other", of_other_class("PROTEINS"))
    compare("NCI1, one class among the other", of_other_class("NCI1"))


if __name__ == "__main__":
    main()
