"""Kernels that count patterns: k(G, G') is the cosine of two histograms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.graph_kernels.base import (
    GraphKernel,
    KernelConfig,
    KernelEncoder,
    places,
    unit_diagonal,
)
from partwhole.graphs.store import GraphStore
from partwhole.numerics.directions import main_directions


@dataclass(frozen=True)
class Patterns:
    """How often each graph holds each pattern; (graph, pattern) pairs may repeat and add up."""

    graph: np.ndarray  # [m] int64
    key: np.ndarray  # [m] uint64: equal patterns have equal keys, in every store
    count: np.ndarray  # [m] float64


class PatternCounter(ABC):
    """What counts the patterns of a store."""

    num_candidates: int = 1  # settings that an SVM may choose from

    @abstractmethod
    def candidates(self, store: GraphStore) -> list[Patterns]:
        """The patterns for each setting to choose from. The last is the richest; it makes the vectors."""

    def tensors(self) -> dict[str, Tensor]:
        """What it had to learn from the graphs of a fit before it could count."""
        return {}


@dataclass(frozen=True)
class PatternVectors(KernelEncoder):
    """Histograms of patterns in the main directions of those of the fit."""

    counter: PatternCounter
    vocabulary: np.ndarray  # [patterns] uint64, sorted
    directions: np.ndarray  # [patterns, width]

    @classmethod
    def learned(cls, counter: PatternCounter, store: GraphStore, width: int, method: str) -> PatternVectors:
        """From the graphs of a fit."""
        patterns = counter.candidates(store)[-1]
        vocabulary = np.unique(patterns.key)
        if len(vocabulary) == 0:
            raise PartwholeError(
                f"{method} finds nothing to count in these graphs; give some with edges, or use counts."
            )
        counts = histogram(patterns, vocabulary, len(store))
        rows = scaled(counts, lengths(patterns, len(store)))
        return cls(counter, vocabulary, main_directions(rows, width))

    @property
    def num_candidates(self) -> int:
        """How many settings there are for an SVM to choose from."""
        return self.counter.num_candidates

    def gram(self, store: GraphStore) -> np.ndarray:
        """[candidates, graphs, graphs] cosines of histograms."""
        grams = np.empty((self.num_candidates, len(store), len(store)))
        for gram, patterns in zip(grams, self.counter.candidates(store), strict=True):
            counts = histogram(patterns, np.unique(patterns.key), len(store))
            gram[:] = unit_diagonal((counts @ counts.T).toarray())
        return grams

    @property
    def width(self) -> int:
        """Main directions that the graphs of the fit have."""
        return self.directions.shape[1]

    def embed(self, store: GraphStore) -> np.ndarray:
        """Patterns that were not there in the fit have no direction, but count in the length."""
        patterns = self.counter.candidates(store)[-1]
        counts = histogram(patterns, self.vocabulary, len(store))
        cosine = scaled(counts, lengths(patterns, len(store)))
        return (cosine @ self.directions).astype(np.float32)

    def tensors(self) -> dict[str, Tensor]:
        """Patterns and directions, and what the counter learned."""
        return {
            "vocabulary": torch.from_numpy(self.vocabulary.view(np.int64)),
            "directions": torch.from_numpy(self.directions),
            **self.counter.tensors(),
        }


K = TypeVar("K", bound=KernelConfig)


class HistogramKernel(GraphKernel[K]):
    """A kernel says which `counter` counts its patterns."""

    @abstractmethod
    def counter(self, config: K, learned: Mapping[str, Tensor]) -> PatternCounter:
        """What counts, with what `look` learned."""

    def look(self, config: K, store: GraphStore) -> Mapping[str, Tensor]:
        """What has to be known of the graphs of a fit before anything is counted."""
        return {}

    def learn(self, fit: Fit[K]) -> PatternVectors:
        """Find the patterns of the graphs, and their main directions."""
        counter = self.counter(fit.config, self.look(fit.config, fit.store))
        return PatternVectors.learned(counter, fit.store, fit.config.dimensions, self.method)

    def restore(self, kept: Kept[K]) -> PatternVectors:
        """The patterns and directions that were found."""
        vocabulary = kept.tensors["vocabulary"].numpy().view(np.uint64)
        counter = self.counter(kept.config, kept.tensors)
        return PatternVectors(counter, vocabulary, kept.tensors["directions"].numpy())


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
    """Rows divided by their lengths; a row of length 0 stays."""
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return csr_array(counts * scale[:, None])
