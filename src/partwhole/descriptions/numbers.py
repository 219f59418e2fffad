"""How the numbers that nodes carry are distributed."""

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
    """Two blocks: of the numeric attributes of nodes, and of the same averaged with those of the neighbours.

    A block holds the means over nodes of cosines and sines of random projections. Their products tell how
    alike two distributions are (means of random Fourier features, Rahimi and Recht 2007): near numbers are
    alike, and no number needs to occur twice. Large numbers count by their logarithm."""
    columns = tuple(column for column in store.schema.node if not column.is_categorical)
    given = one_hot(store.node_codes[:, :0], store.node_values, columns)  # on the scale of the fit
    own = np.arcsinh(given.astype(np.float64))  # [N, D]
    if not own.shape[1]:
        return [np.zeros((len(store), 2 * WAVES), np.float32)] * 2
    a = adjacency(store)
    degree = np.diff(a.indptr)[:, None]
    around = np.where(degree > 0, (own + a @ own / np.maximum(degree, 1)) / 2, own)
    frequency, node_ptr = _frequencies(own.shape[1]), np.asarray(store.node_ptr)
    return [_mean_waves(x, frequency, node_ptr).astype(np.float32) for x in (own, around)]


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
def _mean_waves(x: np.ndarray, frequency: np.ndarray, node_ptr: np.ndarray) -> np.ndarray:
    """[graphs, 2 waves]: x [N, D] node by node, so that a graph does not depend on those beside it."""
    graphs, (columns, waves) = len(node_ptr) - 1, frequency.shape
    out, phase = np.zeros((graphs, 2 * waves)), np.empty(waves)
    for g in range(graphs):
        for node in range(node_ptr[g], node_ptr[g + 1]):
            phase[:] = 0.0
            for column in range(columns):
                if x[node, column] != 0.0:
                    phase += x[node, column] * frequency[column]
            out[g, :waves] += np.cos(phase)
            out[g, waves:] += np.sin(phase)
        out[g] /= max(node_ptr[g + 1] - node_ptr[g], 1)
    return out
