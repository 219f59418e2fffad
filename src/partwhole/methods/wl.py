"""Weisfeiler-Lehman subtree kernel: how often each colour of refinement occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from partwhole.config import option
from partwhole.estimators.graph_kernels.base import KernelConfig
from partwhole.estimators.graph_kernels.colors_of_nodes import colors_of
from partwhole.estimators.graph_kernels.histogram import HistogramKernel, PatternCounter, Patterns
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


@dataclass(eq=False)
class WLConfig(KernelConfig):
    """Options of `wl`."""

    rounds: int = option(4, "Rounds of refinement; an SVM may choose fewer.", least=0)


@dataclass(frozen=True)
class ColorCounter(PatternCounter):
    """How often each colour occurs, up to each round."""

    rounds: int

    @property
    def num_candidates(self) -> int:  # type: ignore[override]
        """A number of rounds for the SVM to choose."""
        return self.rounds + 1

    def candidates(self, store: GraphStore) -> list[Patterns]:
        """The colours of rounds 0 … h, for every h."""
        graph = np.repeat(np.arange(len(store)), store.num_nodes)
        rounds = colors_of(store, self.rounds, "wl")  # [rounds + 1][N]
        return [
            Patterns(np.tile(graph, h + 1), np.concatenate(rounds[: h + 1]), np.ones(len(graph) * (h + 1)))
            for h in range(self.rounds + 1)
        ]


@METHODS.register
class WeisfeilerLehman(HistogramKernel[WLConfig]):
    """k = sum over rounds 0 … h of the products of colour counts; h up to `rounds` is chosen by the SVM."""

    method = "wl"
    idea = "counts of the colours of Weisfeiler-Lehman refinement"
    paper = "Shervashidze et al., Weisfeiler-Lehman Graph Kernels, JMLR 2011"
    config_class = WLConfig

    def counter(self, config: WLConfig, learned: Mapping[str, Tensor]) -> ColorCounter:
        """Colours of so many rounds."""
        return ColorCounter(config.rounds)
