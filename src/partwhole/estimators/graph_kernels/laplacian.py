"""Graphs as Gaussians over the features of their vertices (Kondor & Pan 2016).

A graph with Laplacian L and vertex features U has S = Uᵀ (L + eta I)⁻¹ U + gamma I, and two graphs
are as alike as the Gaussians with these covariances overlap (their Eq. 2):
k = |(S₁⁻¹ + S₂⁻¹) / 2|^(-1/2) / (|S₁|^(1/4) |S₂|^(1/4)), which is 1 of a graph with itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from partwhole.estimators.graph_kernels.base import node_labels
from partwhole.graphs.store import GraphStore

ETA = GAMMA = 0.01  # as in the authors' experiments
PAIRS = 200_000  # compared at a time
WHOLE = -1  # as a radius: the whole graph


@dataclass(frozen=True)
class Shapes:
    """S⁻¹ and log |S| of each of n (sub)graphs."""

    inverse: np.ndarray  # [n, p, p]
    logdet: np.ndarray  # [n]

    @classmethod
    def of(cls, covariance: np.ndarray) -> Shapes:
        """From covariances S [n, p, p]."""
        return cls(np.linalg.inv(covariance), np.linalg.slogdet(covariance)[1])

    def __getitem__(self, index: np.ndarray) -> Shapes:
        return Shapes(self.inverse[index], self.logdet[index])


def similarities(first: Shapes, second: Shapes) -> np.ndarray:
    """[n, m] k of every pair."""
    out = np.empty((len(first.logdet), len(second.logdet)))
    rows = max(1, PAIRS // max(1, len(second.logdet)))
    for start in range(0, len(out), rows):
        part = slice(start, start + rows)
        middle = (first.inverse[part, None] + second.inverse[None]) / 2  # [rows, m, p, p]
        logdet = np.linalg.slogdet(middle)[1]
        out[part] = np.exp(-logdet / 2 - (first.logdet[part, None] + second.logdet[None]) / 4)
    return out


def labels_or_degrees(store: GraphStore, method: str) -> np.ndarray:
    """[N] uint64: the label of each node, or its degree where nodes have no attributes."""
    if store.schema.node:
        return node_labels(store, method)
    return np.diff(store.edge_ptr).astype(np.uint64)


def graph_shapes(store: GraphStore, x: np.ndarray) -> Shapes:
    """Gaussians of whole graphs; x [N, p] are the features of the vertices."""
    graphs = np.arange(len(store))
    return _shapes(store, x, np.zeros_like(graphs), graphs, WHOLE)


def vertex_shapes(store: GraphStore, x: np.ndarray, radius: int, vertices: np.ndarray) -> Shapes:
    """Gaussians of the neighbourhoods of vertices (numbered throughout): all nodes within the radius."""
    graphs = np.searchsorted(store.node_ptr, vertices, side="right") - 1
    return _shapes(store, x, vertices, graphs, radius)


def _shapes(
    store: GraphStore, x: np.ndarray, vertices: np.ndarray, graphs: np.ndarray, radius: int
) -> Shapes:
    arrays = store.node_ptr, store.edge_ptr, store.neighbor
    return Shapes.of(_covariances(*arrays, np.ascontiguousarray(x), vertices, graphs, radius))


@njit(cache=True, nogil=True)
def _ball(
    edge_ptr: np.ndarray,
    neighbor: np.ndarray,
    first: int,
    nodes: int,
    centre: int,
    radius: int,
    place: np.ndarray,
    ball: np.ndarray,
    depth: np.ndarray,
) -> int:
    """Fill `ball` with the nodes of a neighbourhood (all of the graph, if the radius is below 0) and `place`
    with the place of each in it, -1 outside. Returns how many there are."""
    place[:nodes] = -1
    if radius < 0:
        for v in range(nodes):
            ball[v] = v
            place[v] = v
        return nodes
    ball[0] = centre
    depth[0] = 0
    place[centre] = 0
    size, head = 1, 0
    while head < size:
        v = first + ball[head]
        if depth[head] < radius:
            for e in range(edge_ptr[v], edge_ptr[v + 1]):
                u = neighbor[e]
                if place[u] < 0:
                    place[u] = size
                    ball[size] = u
                    depth[size] = depth[head] + 1
                    size += 1
        head += 1
    return size


@njit(cache=True, nogil=True)
def _covariances(
    node_ptr: np.ndarray,
    edge_ptr: np.ndarray,
    neighbor: np.ndarray,
    x: np.ndarray,
    vertices: np.ndarray,
    graphs: np.ndarray,
    radius: int,
) -> np.ndarray:
    """[vertices, p, p] S of each neighbourhood; radius -1: of the whole graph."""
    width = x.shape[1]
    out = np.empty((len(vertices), width, width))
    most = 0
    for g in range(len(node_ptr) - 1):
        most = max(most, node_ptr[g + 1] - node_ptr[g])
    place, ball, depth = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    whole_graph, whole = -1, np.empty((width, width))  # the last graph that was a ball as a whole
    for t in range(len(vertices)):
        g = graphs[t]
        first, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        size = _ball(edge_ptr, neighbor, first, n, vertices[t] - first, radius, place, ball, depth)
        if size == n and whole_graph == g:
            out[t] = whole
            continue
        laplacian = np.zeros((size, size))
        inside = np.empty((size, width))
        for a in range(size):
            v = first + ball[a]
            inside[a] = x[v]
            laplacian[a, a] += ETA
            for e in range(edge_ptr[v], edge_ptr[v + 1]):
                b = place[neighbor[e]]
                if b >= 0 and b != a:
                    laplacian[a, b] -= 1.0
                    laplacian[a, a] += 1.0
        out[t] = inside.T @ np.linalg.solve(laplacian, inside)
        for k in range(width):
            out[t, k, k] += GAMMA
        if size == n:
            whole_graph = g
            whole[:] = out[t]
    return out
