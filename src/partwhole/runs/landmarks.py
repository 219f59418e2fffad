"""Which graphs are far from those of a fit, so that their vectors may mean little.

A run keeps the vectors of some graphs of its fit, the landmarks. A graph is far if its vector is further from
every landmark than those of 99 % of other graphs of the fit, or if it has less than half or more than twice
as many nodes as 99 % of them: small graphs have short vectors, which are close to much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save
from scipy.linalg import solve_triangular
from sklearn.covariance import ledoit_wolf
from sklearn.metrics import pairwise_distances_argmin_min

from partwhole.errors import PartwholeError
from partwhole.files.whole import atomic_file
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder

MOST = 1000  # landmarks
MOST_VALUES = 1 << 18  # of all landmarks together: of wide vectors there are fewer
FEWEST = 100  # graphs of a fit; fewer do not tell what is usual
WIDEST = 2048  # vectors wider than this have no landmarks: their covariance takes too long
WITHIN = 0.99  # share of the graphs of the fit that are not far by their vectors, nor by their size


@dataclass(frozen=True)
class Landmarks:
    """Distances are those of Mahalanobis: columns that vary together, or much, count less."""

    scaled: np.ndarray  # [landmarks, width] float16, standardised columns
    mean: np.ndarray  # [width] of the vectors
    spread: np.ndarray  # [width]
    furthest: float  # a vector that is further from its nearest landmark is far
    nodes: tuple[float, float]  # fewest and most of a graph that is not far

    @classmethod
    def of(cls, vectors: np.ndarray, num_nodes: np.ndarray) -> Landmarks:
        """Every second of these vectors is a landmark; the others tell how far from them is usual."""
        landmarks = vectors[::2].astype(np.float64)
        mean, spread = landmarks.mean(axis=0), landmarks.std(axis=0)
        spread = np.where(spread > 1e-6 * np.maximum(np.abs(mean), 1e-6), spread, 1.0)
        scaled = ((landmarks - mean) / spread).astype(np.float16)
        fewest, most = np.quantile(num_nodes, [(1 - WITHIN) / 2, (1 + WITHIN) / 2])
        found = cls(scaled, mean, spread, np.inf, (fewest / 2, most * 2))
        usual = found.distances(vectors[1::2])
        return cls(scaled, mean, spread, float(np.quantile(usual, WITHIN)), found.nodes)

    def far(self, vectors: np.ndarray, num_nodes: np.ndarray) -> np.ndarray:
        """[n] of vectors [n, width] and the numbers of nodes of their graphs."""
        fewest, most = self.nodes
        far: np.ndarray = (
            (num_nodes < fewest) | (num_nodes > most) | (self.distances(vectors) > self.furthest)
        )
        return far

    def distances(self, vectors: np.ndarray) -> np.ndarray:
        """[n] to the nearest landmark."""
        if vectors.shape[1] != len(self.mean):
            raise PartwholeError(
                f"Vectors of width {vectors.shape[1]} cannot be compared with landmarks of width "
                f"{len(self.mean)}, which are of another fit; fit again."
            )
        own = self._whitened((vectors.astype(np.float64) - self.mean) / self.spread)
        nearest: np.ndarray = pairwise_distances_argmin_min(own, self._places)[1]
        return nearest

    @cached_property
    def _root(self) -> np.ndarray:
        """A triangle whose product with itself is the covariance of the landmarks."""
        covariance, _ = ledoit_wolf(self.scaled.astype(np.float64))
        root: np.ndarray = np.linalg.cholesky(covariance + 1e-6 * np.eye(len(covariance)))
        return root

    @cached_property
    def _places(self) -> np.ndarray:
        return self._whitened(self.scaled.astype(np.float64))

    def _whitened(self, scaled: np.ndarray) -> np.ndarray:
        places: np.ndarray = solve_triangular(self._root, scaled.T, lower=True).T
        return np.ascontiguousarray(places)

    # ---------------------------------------------------------------- in a run folder

    def to_bytes(self) -> bytes:
        """The landmarks as a safetensors file."""
        columns = {"mean": self.mean.astype(np.float32), "spread": self.spread.astype(np.float32)}
        limits = np.array([self.furthest, *self.nodes])
        kept: bytes = save({"scaled": self.scaled, "limits": limits, **columns})
        return kept

    @classmethod
    def from_bytes(cls, content: bytes) -> Landmarks:
        """What `to_bytes` gave."""
        kept = load(content)
        furthest, fewest, most = kept["limits"].tolist()
        return cls(kept["scaled"], kept["mean"], kept["spread"], furthest, (fewest, most))

    def write(self, run: str | Path) -> None:
        """Keep the landmarks in a run folder."""
        with atomic_file(RunFolder(run).landmarks_file) as temporary:
            temporary.write_bytes(self.to_bytes())


def read_landmarks(run: str | Path) -> Landmarks | None:
    """The landmarks of a run folder; None if its fit kept none."""
    file = RunFolder(run).landmarks_file
    if not file.exists():
        return None
    try:
        return Landmarks.from_bytes(file.read_bytes())
    except (SafetensorError, KeyError, ValueError, OSError) as error:
        raise PartwholeError(f"{file} is damaged or cut short ({error}); restore it or fit again.") from None


def landmarks_of(
    transform: Callable[[GraphStore], np.ndarray], store: GraphStore, width: int
) -> Landmarks | None:
    """The landmarks of the graphs of a fit; None for too few graphs, or too wide vectors."""
    if len(store) < FEWEST or width > WIDEST:
        return None
    most = min(MOST, MOST_VALUES // width)
    chosen = store[np.linspace(0, len(store) - 1, min(len(store), 2 * most)).astype(int)]
    return Landmarks.of(transform(chosen), chosen.num_nodes)
