"""Random walk kernel: the walks that two graphs have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh
from torch import Tensor

from partwhole.config import option
from partwhole.kernels.base import KernelConfig
from partwhole.kernels.histogram import HistogramKernel, Patterns
from partwhole.registry import METHODS
from partwhole.store import GraphStore
from partwhole.structure.base import adjacency
from partwhole.training.checkpoint import RunFolder

BELOW = 0.9  # of the weight at which the sum over walks would diverge
REST = 1e-9  # share of the sum that is left out


@dataclass(eq=False)
class WalkConfig(KernelConfig):
    decay: float = option(0.1, "Weight of a further step; less where the sum would diverge.", above=0)


@METHODS.register
class RandomWalk(HistogramKernel, WalkConfig):
    """k = sum over lengths l of decay^l times the number of walks in the one graph times those in the other.

    A walk of the product graph is a walk in each, so the geometric kernel of the product graph,
    1ᵀ (I - decay A ⊗ B)⁻¹ 1, is a product of walk counts, and no pair of graphs has to be looked at.
    """

    method = "rw"
    about = "numbers of walks of each length"
    paper = "Gärtner et al., On Graph Kernels: Hardness Results and Efficient Alternatives, COLT 2003"
    config_class = WalkConfig

    def candidates(self, store: GraphStore) -> list[Patterns]:
        matrix, start = adjacency(store), store.node_ptr[:-1]
        ends = np.ones(matrix.shape[0])  # walks that end in each node, weighted
        counts = []
        for _ in range(self.lengths_):
            sums = np.concatenate([[0.0], np.cumsum(ends)])
            counts.append(sums[store.node_ptr[1:]] - sums[start])
            ends = math.sqrt(self.weight_) * (matrix @ ends)
        values = np.stack(counts, axis=1)  # [graphs, lengths]
        graph, length = np.nonzero(values)
        return [Patterns(graph, length.astype(np.uint64), values[graph, length])]

    def _learn(self, run: RunFolder | None = None, stop_requested: object = None) -> None:
        radius = spectral_radius(adjacency(self.store_))
        self.weight_ = min(self.decay, BELOW / radius**2) if radius else self.decay
        shrink = self.weight_ * radius**2  # of the share of each further length, at most
        self.lengths_ = 1 + (math.ceil(math.log(REST) / math.log(shrink)) if shrink else 0)
        super()._learn(run, stop_requested)

    def _tensors(self) -> dict[str, Tensor]:
        return {
            **super()._tensors(),
            "weight": torch.tensor(self.weight_, dtype=torch.float64),
            "lengths": torch.tensor(self.lengths_),
        }

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        super()._restore(tensors, path)
        self.weight_, self.lengths_ = float(tensors["weight"]), int(tensors["lengths"])


def spectral_radius(matrix: csr_array) -> float:
    """Of a symmetric matrix; the largest of all graphs, when it holds several."""
    if matrix.shape[0] < 3:
        return float(np.abs(np.linalg.eigvalsh(matrix.toarray())).max(initial=0.0))
    start = np.asarray(matrix.sum(axis=1)).ravel() + 1.0
    return float(np.abs(eigsh(matrix, k=1, v0=start, return_eigenvectors=False))[0])
