"""Cells of alike nodes: the nearest of some centres in the space of what is said of a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin

from partwhole.graphs.store import GraphStore
from partwhole.structure.base import adjacency, with_structure

STRUCTURES = ("log-degree", "core-number", "triangles")  # of each node, beside its own attributes
MOST_CELLS = 64
MOST_SHARE = 0.5  # of all nodes; a larger cell is divided by what surrounds its nodes
INNER_CELLS = 8  # that it is divided into
STEPS_AROUND = 2


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
    """[N, D] float32: the attributes of each node, and logarithms of its degree, core number and triangles.
    Where nodes have no attributes, the shape of the net that a node is in stands for them."""
    structure = with_structure(store, STRUCTURES).structure
    shape = [np.log1p(structure[name]) for name in STRUCTURES]
    if store.schema.node:
        own = store.inputs(np.arange(len(store.marks))).attributes["node"].numpy()
    else:
        own = _net_around(store, structure["core-number"][:, 0] >= 2, structure["triangles"])
    return np.hstack([own, *shape]).astype(np.float32)


def _net_around(store: GraphStore, in_net: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """[N, 2] logarithms of degree and triangles in the 2-core, which is what is left of a graph without its
    trees, as a mean over the nodes up to two steps around. It tells a cycle from a grid; 0 in a tree."""
    inside = diags_array(in_net.astype(np.float64))
    edges = csr_array(inside @ adjacency(store) @ inside)
    edges.eliminate_zeros()
    degree = np.diff(edges.indptr)[:, None]
    around = np.log1p(np.hstack([degree, triangles]))
    for _ in range(STEPS_AROUND):
        around = (around + edges @ around) / (degree + 1)
    return around


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
