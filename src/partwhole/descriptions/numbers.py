"""How the numbers that nodes and edges carry are distributed."""

from __future__ import annotations

import numpy as np
from numba import njit

from partwhole.hashing import STEP, share
from partwhole.registry import DESCRIPTIONS
from partwhole.schema import one_hot
from partwhole.store import GraphStore
from partwhole.structure.base import adjacency

WAVES = 128  # of a block: a cosine and a sine each
FINENESS = (0.5, 1.0, 2.0, 4.0)  # of the waves, a fourth each; numbers are standardised, their spread is one


@DESCRIPTIONS.register
def numbers(store: GraphStore) -> list[np.ndarray]:
    """Three blocks: of the numeric attributes of nodes, of the same averaged with those of the neighbours,
    and of the numeric attributes of edges.

    A block holds the means over nodes or edges of cosines and sines of random projections. Their products
    tell how alike two distributions are (means of random Fourier features, Rahimi and Recht 2007): near
    numbers are alike, and no number needs to occur twice. Large numbers count by their logarithm."""
    own, edges = (_logarithms(store, part) for part in ("node", "edge"))
    a = adjacency(store)
    degree = np.diff(a.indptr)[:, None]
    around = np.where(degree > 0, (own + a @ own / np.maximum(degree, 1)) / 2, own)
    first_node = np.asarray(store.node_ptr)
    first_edge = np.asarray(store.edge_ptr)[first_node]
    return [_mean_waves(x, ptr) for x, ptr in ((own, first_node), (around, first_node), (edges, first_edge))]


def _logarithms(store: GraphStore, part: str) -> np.ndarray:
    """[nodes or edges, D] float64: the inverse hyperbolic sines of the numbers, on the scale of the fit."""
    columns = tuple(column for column in getattr(store.schema, part) if not column.is_categorical)
    codes, values = getattr(store, f"{part}_codes"), getattr(store, f"{part}_values")
    return np.arcsinh(one_hot(codes[:, :0], values, columns).astype(np.float64))


def _mean_waves(x: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """[graphs, 2 waves] float32, of rows x [rows, D], of which graph g has ptr[g] : ptr[g + 1]; empty where
    there are no columns."""
    if not x.shape[1]:
        return np.zeros((len(ptr) - 1, 2 * WAVES), np.float32)
    return _means(x, _frequencies(x.shape[1]), ptr).astype(np.float32)


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
def _means(x: np.ndarray, frequency: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Row by row, so that a graph does not depend on those beside it."""
    graphs, (columns, waves) = len(ptr) - 1, frequency.shape
    out, phase = np.zeros((graphs, 2 * waves)), np.empty(waves)
    for g in range(graphs):
        for row in range(ptr[g], ptr[g + 1]):
            phase[:] = 0.0
            for column in range(columns):
                if x[row, column] != 0.0:
                    phase += x[row, column] * frequency[column]
            out[g, :waves] += np.cos(phase)
            out[g, waves:] += np.sin(phase)
        out[g] /= max(ptr[g + 1] - ptr[g], 1)
    return out
