"""Kernels that count patterns: k(G, G') is the cosine of two histograms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.estimators.graph_kernels.base import Kernel, places, unit_diagonal
from partwhole.graphs.store import GraphStore
from partwhole.numerics.directions import main_directions


@dataclass(frozen=True)
class Patterns:
    """How often each graph holds each pattern; (graph, pattern) pairs may repeat and add up."""

    graph: np.ndarray  # [m] int64
    key: np.ndarray  # [m] uint64: equal patterns have equal keys, in every store
    count: np.ndarray  # [m] float64


class HistogramKernel(Kernel):
    """A kernel defines `candidates`, the patterns of a store, for each setting to choose from.

    The last candidate is the richest; it makes the vectors.
    """

    def candidates(self, store: GraphStore) -> list[Patterns]:
        raise TypeError("a kernel that counts defines its patterns")

    def _gram(self, store: GraphStore) -> np.ndarray:
        grams = np.empty((self.num_candidates, len(store), len(store)))
        for gram, patterns in zip(grams, self.candidates(store), strict=True):
            counts = histogram(patterns, np.unique(patterns.key), len(store))
            gram[:] = unit_diagonal((counts @ counts.T).toarray())
        return grams

    @property
    def width(self) -> int:
        return self.directions_.shape[1]

    def _learn(self, store: GraphStore) -> None:
        patterns = self.candidates(store)[-1]
        self.vocabulary_ = np.unique(patterns.key)
        if len(self.vocabulary_) == 0:
            raise PartwholeError(
                f"{self.method} finds nothing to count in these graphs; give some with edges, or use counts."
            )
        counts = histogram(patterns, self.vocabulary_, len(store))
        self.directions_ = main_directions(scaled(counts, lengths(patterns, len(store))), self.dimensions)

    def _embed(self, store: GraphStore) -> np.ndarray:
        """Patterns that were not there in the fit have no direction, but count in the length."""
        patterns = self.candidates(store)[-1]
        counts = histogram(patterns, self.vocabulary_, len(store))
        cosine = scaled(counts, lengths(patterns, len(store)))
        return (cosine @ self.directions_).astype(np.float32)

    def _tensors(self) -> dict[str, Tensor]:
        return {
            "vocabulary": torch.from_numpy(self.vocabulary_.view(np.int64)),
            "directions": torch.from_numpy(self.directions_),
        }

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self.vocabulary_ = tensors["vocabulary"].numpy().view(np.uint64)
        self.directions_ = tensors["directions"].numpy()


def histogram(patterns: Patterns, vocabulary: np.ndarray, graphs: int) -> csr_array:
    """[graphs, vocabulary] counts; patterns outside the vocabulary are left out."""
    place = places(patterns.key, vocabulary)
    known = place >= 0
    entries = patterns.count[known], (patterns.graph[known], place[known])
    counts = csr_array(entries, shape=(graphs, len(vocabulary)))
    counts.sum_duplicates()
    return counts


def lengths(patterns: Patterns, graphs: int) -> np.ndarray:
    """[graphs] Euclidean length of the whole histogram."""
    counts = histogram(patterns, np.unique(patterns.key), graphs)
    return np.sqrt(np.asarray((counts * counts).sum(axis=1)).ravel())


def scaled(counts: csr_array, length: np.ndarray) -> csr_array:
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return csr_array(counts * scale[:, None])
