"""What vectors tell about a set of graphs as a whole: which are alike, and which are like no other."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partwhole.errors import PartwholeError

MOST_CLUSTERS = 20  # that are looked for where no number is given
LOOKED_AT = 1000  # vectors that decide the number, and that the silhouette is measured on
WHOLE = 20_000  # vectors that k-means takes at once; of more it takes a few thousand at a time
COMPARED = 10_000  # vectors that each is compared with, for how unusual it is
NEAREST = 20  # of these that count: several unusual graphs of one kind do not hide each other
WEAK, CLEAR = 0.1, 0.25  # silhouettes from which clusters are weakly and clearly apart


@dataclass(frozen=True)
class Clusters:
    """The cluster of each vector; 0 is the largest."""

    labels: np.ndarray  # [n]
    distances: np.ndarray  # [n] to the centre of its cluster
    silhouette: float  # from -1 to 1: how much closer vectors are to their own cluster than to the next

    @property
    def sizes(self) -> list[int]:
        return [int(size) for size in np.bincount(self.labels)]

    @property
    def verdict(self) -> str:
        """In words, how far the clusters are apart."""
        if len(self.sizes) == 1:
            return "all graphs together"
        how = "clearly" if self.silhouette >= CLEAR else "weakly"
        if self.silhouette < WEAK:
            return f"none is clear, the graphs pass into each other (silhouette {self.silhouette:.2f})"
        return f"{how} apart (silhouette {self.silhouette:.2f})"

    def closest(self, count: int) -> list[np.ndarray]:
        """Of each cluster, the places of the vectors next to its centre."""
        members = (np.flatnonzero(self.labels == label) for label in range(len(self.sizes)))
        return [rows[np.argsort(self.distances[rows], kind="stable")[:count]] for rows in members]


class Outliers(NamedTuple):
    scores: np.ndarray  # [n] 1: as usual in this set, 2: twice as far from its neighbours
    ranks: np.ndarray  # [n] 1: the most unusual


def cluster_graphs(
    vectors: np.ndarray, number: int | None = None, seed: int = 0, most: int = MOST_CLUSTERS
) -> Clusters:
    """Groups of vectors [n, d] that point the same way from the mean, by k-means.

    Without a `number`, the one from 2 to `most` with the best silhouette is taken. Directions are compared,
    not lengths: the length of a vector is mostly the size of its graph.
    """
    if number is not None and not 1 <= number <= len(vectors):
        raise PartwholeError(f"{len(vectors)} graphs cannot be in {number} clusters; ask for fewer.")
    x = _directions(vectors)
    part = x[_evenly(len(x), LOOKED_AT)]
    apart = _distances(part)
    number = number or _best_number(part, apart, seed, most)
    fitted = _k_means(x, number, seed)
    order = np.argsort(-np.bincount(fitted.labels_, minlength=number), kind="stable")
    labels = np.argsort(order)[fitted.labels_]
    if len(np.unique(labels)) < number:
        raise PartwholeError(
            f"There are fewer than {number} different vectors among these graphs; ask for fewer clusters."
        )
    distances = np.linalg.norm(x - fitted.cluster_centers_[fitted.labels_], axis=1)
    return Clusters(labels, distances, _silhouette(apart, labels[_evenly(len(x), LOOKED_AT)]))


def outlier_scores(vectors: np.ndarray) -> Outliers:
    """How unusual each of the vectors [n, d] is in its set: the mean distance to the 20 nearest others, in
    standardised columns, over the median of it."""
    x = _standardised(vectors)
    if len(x) < 2:
        return Outliers(np.ones(len(x)), np.arange(1, len(x) + 1))
    from sklearn.neighbors import NearestNeighbors

    others = x[_evenly(len(x), COMPARED)]
    nearest = min(NEAREST, len(others) - 1)
    found = NearestNeighbors(n_neighbors=nearest + 1, algorithm="brute").fit(others)
    to_nearest = np.concatenate(
        [found.kneighbors(x[start : start + COMPARED])[0] for start in range(0, len(x), COMPARED)]
    )
    among_others = np.zeros(len(x), dtype=bool)
    among_others[_evenly(len(x), COMPARED)] = True  # these find themselves first
    away = np.where(among_others, to_nearest[:, 1:].mean(axis=1), to_nearest[:, :-1].mean(axis=1))
    usual = np.median(away) or away.mean() or 1.0  # most graphs may be alike to the letter
    ranks = np.empty(len(x), dtype=np.int64)
    ranks[np.argsort(-away, kind="stable")] = np.arange(1, len(x) + 1)
    return Outliers(away / usual, ranks)


def _standardised(vectors: np.ndarray) -> np.ndarray:
    x = np.array(vectors, dtype=np.float32)
    mean, spread = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    x -= mean.astype(np.float32)
    x /= np.where(spread > 1e-6 * np.maximum(np.abs(mean), 1e-6), spread, np.inf).astype(np.float32)
    return x


def _directions(vectors: np.ndarray) -> np.ndarray:
    x = _standardised(vectors)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
    return x


def _evenly(count: int, most: int) -> np.ndarray:
    return np.linspace(0, count - 1, min(count, most)).astype(int)


def _distances(x: np.ndarray) -> np.ndarray:
    from sklearn.metrics import pairwise_distances

    apart: np.ndarray = pairwise_distances(x.astype(np.float64))
    return apart


def _best_number(x: np.ndarray, apart: np.ndarray, seed: int, most: int) -> int:
    different = len(np.unique(x.round(5), axis=0))
    numbers = range(2, min(most, different - 1) + 1)
    found = {number: _silhouette(apart, _k_means(x, number, seed, starts=2).labels_) for number in numbers}
    return max(found, key=lambda number: found[number], default=min(different, 2))


def _k_means(x: np.ndarray, number: int, seed: int, starts: int = 4) -> Any:
    from sklearn.cluster import KMeans, MiniBatchKMeans

    kind, options = (KMeans, {}) if len(x) <= WHOLE else (MiniBatchKMeans, {"batch_size": 4096})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about vectors that are alike, which is told in a sentence
        return kind(number, n_init=starts, random_state=seed, **options).fit(x)


def _silhouette(apart: np.ndarray, labels: np.ndarray) -> float:
    from sklearn.metrics import silhouette_score

    if not 2 <= len(np.unique(labels)) < len(labels):
        return 0.0
    return float(silhouette_score(apart, labels, metric="precomputed"))
