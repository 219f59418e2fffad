"""Random walk kernel: the walks that two graphs have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh
from torch import Tensor

from partwhole.config import option
from partwhole.estimators.graph_kernels.base import KernelConfig
from partwhole.estimators.graph_kernels.histogram import HistogramKernel, PatternCounter, Patterns
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.structure.base import adjacency

BELOW = 0.9  # of the weight at which the sum over walks would diverge
REST = 1e-9  # share of the sum that is left out


@dataclass(eq=False)
class WalkConfig(KernelConfig):
    """Options of `rw`."""

    decay: float = option(0.1, "Weight of a further step; less where the sum would diverge.", above=0)


@dataclass(frozen=True)
class WalkCounter(PatternCounter):
    """How many walks of each length a graph has, weighted."""

    weight: float  # of a further step
    lengths: int  # that count: the rest of the sum is less than `REST`

    @classmethod
    def learned(cls, decay: float, store: GraphStore) -> WalkCounter:
        """With a weight at which the sum over walks converges in all graphs."""
        radius = spectral_radius(adjacency(store))
        weight = min(decay, BELOW / radius**2) if radius else decay
        shrink = weight * radius**2  # of the share of each further length, at most
        return cls(weight, 1 + (math.ceil(math.log(REST) / math.log(shrink)) if shrink else 0))

    def candidates(self, store: GraphStore) -> list[Patterns]:
        """Lengths of walks."""
        matrix, graph = adjacency(store), np.repeat(np.arange(len(store)), store.num_nodes)
        ends = np.ones(matrix.shape[0])  # walks that end in each node, weighted, over e^size of their graph
        size = np.zeros(len(store))
        logs = np.full((len(store), self.lengths), -np.inf)
        for length in range(self.lengths):
            total = np.bincount(graph, ends, len(store))
            alive = total > 0
            size[alive] += np.log(total[alive])
            logs[alive, length] = size[alive]
            scale = np.divide(math.sqrt(self.weight), total, out=np.zeros_like(total), where=alive)
            ends = matrix @ ends * scale[graph]
        largest = logs.max(axis=1, initial=-np.inf, keepdims=True)  # lengths are compared within a graph
        values = np.exp(logs - np.where(np.isfinite(largest), largest, 0.0))
        found, length_of = np.nonzero(values)
        return [Patterns(found, length_of.astype(np.uint64), values[found, length_of])]

    def tensors(self) -> dict[str, Tensor]:
        """The weight and the lengths."""
        weight = torch.tensor(self.weight, dtype=torch.float64)
        return {"weight": weight, "lengths": torch.tensor(self.lengths)}


@METHODS.register
class RandomWalk(HistogramKernel[WalkConfig]):
    """k = sum over lengths l of decay^l times the number of walks in the one graph times those in the other.

    A walk of the product graph is a walk in each, so the geometric kernel of the product graph,
    1ᵀ (I - decay A ⊗ B)⁻¹ 1, is a product of walk counts, and no pair of graphs has to be looked at.
    """

    method = "rw"
    idea = "numbers of walks of each length"
    paper = "Gärtner et al., On Graph Kernels: Hardness Results and Efficient Alternatives, COLT 2003"
    config_class = WalkConfig

    def look(self, config: WalkConfig, store: GraphStore) -> Mapping[str, Tensor]:
        """The weight of a step at which the sum over walks converges, and how many lengths matter."""
        return WalkCounter.learned(config.decay, store).tensors()

    def counter(self, config: WalkConfig, learned: Mapping[str, Tensor]) -> WalkCounter:
        """Walks of each length."""
        return WalkCounter(float(learned["weight"]), int(learned["lengths"]))


def spectral_radius(matrix: csr_array) -> float:
    """The largest eigenvalue of a symmetric matrix; of all graphs, when it holds several."""
    if matrix.nnz == 0 or matrix.shape[0] < 3:
        return float(matrix.sum(axis=1).max(initial=0.0)) if matrix.nnz else 0.0  # two nodes and their edge
    start = np.asarray(matrix.sum(axis=1)).ravel() + 1.0
    return float(np.abs(eigsh(matrix, k=1, v0=start, return_eigenvectors=False))[0])
