"""What vectors tell about a set of graphs as a whole: which are alike, and which are like no other."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

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
        """Vectors of each cluster, the largest first."""
        return [int(size) for size in np.bincount(self.labels)]

    @property
    def verdict(self) -> str:
        """Tell in words how far the clusters are apart, by the silhouette."""
        if len(self.sizes) == 1:
            return "all graphs together"
        how = "clearly" if self.silhouette >= CLEAR else "weakly"
        if self.silhouette < WEAK:
            return f"none is clear, the graphs pass into each other (silhouette {self.silhouette:.2f})"
        return f"{how} apart (silhouette {self.silhouette:.2f})"

    def closest(self, count: int) -> list[np.ndarray]:
        """Give for each cluster the rows of the `count` vectors next to its centre, the closest first."""
        members = (np.flatnonzero(self.labels == label) for label in range(len(self.sizes)))
        return [rows[np.argsort(self.distances[rows], kind="stable")[:count]] for rows in members]


class Outliers(NamedTuple):
    """How unusual each vector is among all."""

    scores: np.ndarray  # [n] 1: as usual in this set, 2: twice as far from its neighbours
    ranks: np.ndarray  # [n] 1: the most unusual


def cluster_graphs(
    vectors: np.ndarray, number: int | None = None, seed: int = 0, most: int = MOST_CLUSTERS
) -> Clusters:
    """Group graphs that are alike: vectors that point the same way from their mean, by k-means.

    Directions are compared, not lengths: the length of a vector is mostly the size of its graph.

    Parameters
    ----------
    vectors : ndarray of shape (n, d)
        One vector a graph, as `transform` gives them.
    number : int, optional
        How many clusters. By default the number from 2 to `most` with the best silhouette.
    seed : int, default 0
        Where k-means begins.
    most : int, default 20
        The largest number that is tried where none is given.

    Returns
    -------
    Clusters
        `labels`, the cluster of each graph, 0 the largest; `sizes`; `closest(count)`, the rows next to each
        centre; `silhouette` and `verdict`, how far the clusters are apart, as a number and in words.

    Raises
    ------
    PartwholeError
        If there are fewer graphs, or fewer different vectors, than clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import cluster_graphs
    >>> vectors = np.array([[1.0, 0.0], [2.0, 0.1], [3.0, 0.2], [0.0, 1.0], [0.1, 2.0]])
    >>> clusters = cluster_graphs(vectors, 2)
    >>> clusters.labels.tolist(), clusters.sizes
    ([0, 0, 0, 1, 1], [3, 2])
    """
    if number is not None and not 1 <= number <= len(vectors):
        raise PartwholeError(f"{len(vectors)} graphs cannot be in {number} clusters; ask for fewer.")
    x = _directions(vectors)
    sample = x[_evenly(len(x), LOOKED_AT)]
    apart = _distances(sample)
    number = number or _best_number(sample, apart, seed, most)
    found, centres = _k_means(x, number, seed)
    order = np.argsort(-np.bincount(found, minlength=number), kind="stable")
    labels = np.argsort(order)[found]
    if len(np.unique(labels)) < number:
        raise PartwholeError(
            f"There are fewer than {number} different vectors among these graphs; ask for fewer clusters."
        )
    distances = np.linalg.norm(x - centres[found], axis=1)
    return Clusters(labels, distances, _silhouette(apart, labels[_evenly(len(x), LOOKED_AT)]))


def outlier_scores(vectors: np.ndarray) -> Outliers:
    """Tell how unusual each graph is in its set.

    The score is the mean distance to the 20 nearest other vectors, in standardised columns, divided by the
    median of it over all graphs. Among more than 10,000 graphs, each is compared with 10,000 of them.

    Parameters
    ----------
    vectors : ndarray of shape (n, d)
        One vector a graph, as `transform` gives them.

    Returns
    -------
    Outliers
        `scores` of shape (n,), 1 is as usual in this set, 2 twice as far from its neighbours; `ranks` of
        shape (n,), 1 is the most unusual graph.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import outlier_scores
    >>> vectors = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [9.0, 9.0]])
    >>> int(outlier_scores(vectors).ranks.argmin())
    4
    """
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
    found = {number: _silhouette(apart, _k_means(x, number, seed, starts=2)[0]) for number in numbers}
    return max(found, key=lambda number: found[number], default=min(different, 2))


def _k_means(x: np.ndarray, number: int, seed: int, starts: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """The cluster of each row [n], and the centres [number, d]."""
    from sklearn.cluster import KMeans, MiniBatchKMeans

    algorithm, options = (KMeans, {}) if len(x) <= WHOLE else (MiniBatchKMeans, {"batch_size": 4096})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about vectors that are alike, which is told in a sentence
        fitted = algorithm(number, n_init=starts, random_state=seed, **options).fit(x)
    return fitted.labels_, fitted.cluster_centers_


def _silhouette(apart: np.ndarray, labels: np.ndarray) -> float:
    from sklearn.metrics import silhouette_score

    if not 2 <= len(np.unique(labels)) < len(labels):
        return 0.0
    return float(silhouette_score(apart, labels, metric="precomputed"))
