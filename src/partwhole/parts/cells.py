"""Cells of alike nodes: the nearest of some centres in the space of what is said of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin

from partwhole.graphs.store import GraphStore
from partwhole.structure.base import adjacency, with_structure

STRUCTURES = ("log-degree", "core-number", "triangles")  # of each node, beside its own attributes
MOST_CELLS = 64
MOST_SHARE = 0.5  # of all nodes; a larger cell is divided by what surrounds its nodes
INNER_CELLS = 8  # that it is divided into


@dataclass(frozen=True)
class Cells:
    """M cells; the last ones are those of the divided cell, if there is one."""

    mean: np.ndarray  # [D] of what is said of a node
    spread: np.ndarray  # [D], 1 where a column is a flag
    centers: np.ndarray  # [outer, D]
    divided: int  # the outer cell that is divided; -1: none
    inner: np.ndarray  # [inner, D] centres of the means over neighbours

    @classmethod
    def of(cls, store: GraphStore, seed: int) -> Cells:
        """Learn the cells of a collection."""
        raw = described_nodes(store)
        flags = ((raw == 0) | (raw == 1)).all(axis=0)
        mean = np.where(flags, 0, raw.mean(axis=0)).astype(np.float32)
        spread = np.where(flags, 1, np.maximum(raw.std(axis=0), 1e-6)).astype(np.float32)
        nodes = (raw - mean) / spread
        centers = _centers(nodes, MOST_CELLS, seed)
        cell = pairwise_distances_argmin(nodes, centers)
        sizes = np.bincount(cell, minlength=len(centers))
        divided, inner = -1, np.zeros((0, raw.shape[1]), np.float32)
        if sizes.max() > MOST_SHARE * len(cell) and len(store.neighbor):
            divided = int(sizes.argmax())
            inner = _centers(_surroundings(store, nodes, cell == divided), INNER_CELLS, seed)
        return cls(mean, spread, centers, divided, inner)

    def __len__(self) -> int:
        return len(self.centers) + len(self.inner)

    def __call__(self, store: GraphStore) -> np.ndarray:
        """[N] the cell of each node"""
        nodes = (described_nodes(store) - self.mean) / self.spread
        cell = pairwise_distances_argmin(nodes, self.centers) if len(nodes) else np.zeros(0, np.int64)
        within = cell == self.divided
        if within.any():
            surroundings = _surroundings(store, nodes, within)
            cell[within] = len(self.centers) + pairwise_distances_argmin(surroundings, self.inner)
        return cell


def described_nodes(store: GraphStore) -> np.ndarray:
    """[N, D] float32: the attributes of each node, and logarithms of its degree, core number and triangles"""
    structure = with_structure(store, STRUCTURES).structure
    shape = [np.log1p(structure[name]) for name in STRUCTURES]
    own = store.inputs(np.arange(len(store.marks))).attributes
    attributes = [own["node"].numpy()] if store.schema.node else []
    return np.hstack([*attributes, *shape]).astype(np.float32)


def _surroundings(store: GraphStore, nodes: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """[chosen, D] the mean of the neighbours of each chosen node, 0 where it has none"""
    edges = adjacency(store)[np.flatnonzero(chosen)]
    degree = np.maximum(np.asarray(edges.sum(axis=1)).reshape(-1, 1), 1)
    return np.asarray((edges @ nodes) / degree, dtype=np.float32)


def _centers(rows: np.ndarray, most: int, seed: int) -> np.ndarray:
    """[at most `most`, D]: the different rows themselves, or the centres of k-means if they are more."""
    different, count = np.unique(rows.round(5), axis=0, return_counts=True)
    if len(different) <= most:
        return different
    means = KMeans(most, n_init=1, random_state=seed).fit(different, sample_weight=count)
    centers: np.ndarray = means.cluster_centers_.astype(np.float32)
    return centers
