"""How the numbers that nodes and edges carry are distributed."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.graphs.schema import one_hot
from partwhole.graphs.store import GraphStore
from partwhole.numerics.hashing import STEP, share
from partwhole.registry import DESCRIPTIONS

WAVES = 128  # of a block: a cosine and a sine each
FINENESS = (0.5, 1.0, 2.0, 4.0)  # of the waves, a fourth each; standardised numbers have a spread of one


@DESCRIPTIONS.register
def numbers(store: GraphStore) -> list[np.ndarray]:
    """Three blocks: of the numeric attributes of nodes, of the same averaged with those of the neighbours,
    and of the numeric attributes of edges.

    A block holds the means over nodes or edges of cosines and sines of random projections. Their products
    tell how alike two distributions are (means of random Fourier features, Rahimi and Recht 2007): near
    numbers are alike, and no number needs to occur twice. Large numbers count by their logarithm."""
    own, around, of_edges = (np.zeros((len(store), 2 * WAVES)) for _ in range(3))
    node_ptr, edge_ptr, neighbor = map(np.asarray, (store.node_ptr, store.edge_ptr, store.neighbor))
    nodes, edges = _standardised(store, "node"), _standardised(store, "edge")  # [N, D], [E, D']
    if nodes.shape[1]:
        _of_nodes(nodes, _frequencies(nodes.shape[1]), node_ptr, edge_ptr, neighbor, own, around)
    if edges.shape[1]:
        _of_edges(edges, _frequencies(edges.shape[1]), edge_ptr[node_ptr], of_edges)
    return [block.astype(np.float32) for block in (own, around, of_edges)]


def _standardised(store: GraphStore, part: str) -> np.ndarray:
    """[rows, D] float32: the numbers of nodes or edges on the scale of the fit."""
    columns = tuple(column for column in getattr(store.schema, part) if not column.is_categorical)
    return one_hot(getattr(store, f"{part}_codes")[:, :0], getattr(store, f"{part}_values"), columns)


def _frequencies(columns: int) -> np.ndarray:
    """[columns, waves] normal, and a function of their place (Box and Muller): the same in every numpy."""
    shares = _shares(2 * columns * WAVES).reshape(columns, WAVES, 2)
    normal = np.sqrt(-2 * np.log(1 - shares[:, :, 0])) * np.cos(2 * np.pi * shares[:, :, 1])
    return normal * np.repeat(FINENESS, WAVES // len(FINENESS)) / np.sqrt(columns)


@njit(cache=True)
def _shares(count: int) -> np.ndarray:
    """Numbers from 0 up to 1, always the same."""
    out = np.empty(count)
    for i in range(count):
        out[i] = share(STEP * np.uint64(i + 1))
    return out


@njit(cache=True, nogil=True)
def _of_nodes(
    x: np.ndarray,
    frequency: np.ndarray,
    node_ptr: np.ndarray,
    edge_ptr: np.ndarray,
    neighbor: np.ndarray,
    own: np.ndarray,
    around: np.ndarray,
) -> None:
    """Graph by graph. An average of numbers has the average phase, so that numbers are projected once."""
    for g in range(len(node_ptr) - 1):
        first, count = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        phase = np.empty((count, frequency.shape[1]))
        for i in range(count):
            _project(x[first + i], frequency, phase[i])
            _add_waves(phase[i], 1 / count, own[g])
        for i in range(count):
            total, others = np.zeros(frequency.shape[1]), 0
            for e in range(edge_ptr[first + i], edge_ptr[first + i + 1]):
                if neighbor[e] != i:
                    total += phase[neighbor[e]]
                    others += 1
            average = (phase[i] + total / others) / 2 if others else phase[i]
            _add_waves(average, 1 / count, around[g])


@njit(cache=True, nogil=True)
def _of_edges(x: np.ndarray, frequency: np.ndarray, ptr: np.ndarray, out: np.ndarray) -> None:
    """Graph g has the rows ptr[g] : ptr[g + 1], each edge twice."""
    phase = np.empty(frequency.shape[1])
    for g in range(len(ptr) - 1):
        for row in range(ptr[g], ptr[g + 1]):
            _project(x[row], frequency, phase)
            _add_waves(phase, 1 / (ptr[g + 1] - ptr[g]), out[g])


@njit(cache=True, nogil=True)
def _project(numbers: np.ndarray, frequency: np.ndarray, phase: np.ndarray) -> None:
    phase[:] = 0.0
    for column in range(len(numbers)):
        number = np.arcsinh(np.float64(numbers[column]))
        if number != 0.0:
            for j in range(len(phase)):
                phase[j] += number * frequency[column, j]


@njit(cache=True, nogil=True)
def _add_waves(phase: np.ndarray, weight: float, out: np.ndarray) -> None:
    for j in range(len(phase)):
        out[j] += weight * np.cos(phase[j])
        out[len(phase) + j] += weight * np.sin(phase[j])
