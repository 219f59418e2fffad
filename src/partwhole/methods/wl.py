"""Weisfeiler-Lehman subtree kernel: how often each colour of refinement occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwhole.config import option
from partwhole.estimators.graph_kernels.base import KernelConfig
from partwhole.estimators.graph_kernels.colors_of_nodes import colors_of
from partwhole.estimators.graph_kernels.histogram import HistogramKernel, Patterns
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


@dataclass(eq=False)
class WLConfig(KernelConfig):
    rounds: int = option(4, "Rounds of refinement; an SVM may choose fewer.", least=0)


@METHODS.register
class WeisfeilerLehman(HistogramKernel, WLConfig):
    """k = sum over rounds 0 … h of the products of colour counts; h up to `rounds` is chosen by the SVM."""

    method = "wl"
    about = "counts of the colours of Weisfeiler-Lehman refinement"
    paper = "Shervashidze et al., Weisfeiler-Lehman Graph Kernels, JMLR 2011"
    config_class = WLConfig

    @property
    def num_candidates(self) -> int:
        return self.rounds + 1

    def candidates(self, store: GraphStore) -> list[Patterns]:
        graph = np.repeat(np.arange(len(store)), store.num_nodes)
        rounds = colors_of(store, self.rounds, self.method)  # [rounds + 1][N]
        return [
            Patterns(np.tile(graph, h + 1), np.concatenate(rounds[: h + 1]), np.ones(len(graph) * (h + 1)))
            for h in range(self.rounds + 1)
        ]
