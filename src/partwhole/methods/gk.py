"""Graphlet kernel: which small graphs random sets of nodes induce."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from partwhole.config import Seed, option, seed_option
from partwhole.estimators.graph_kernels.base import KernelConfig
from partwhole.estimators.graph_kernels.counting import graphlet_classes, sample_graphlets
from partwhole.estimators.graph_kernels.histogram import HistogramKernel, PatternCounter, Patterns
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS

SMALLEST, LARGEST = 3, 5


@dataclass(eq=False)
class GraphletConfig(KernelConfig):
    """Options of `gk`."""

    samples: int = option(2000, "Sets of nodes drawn of each size, 3 to 5.", least=1)
    random_state: Seed = seed_option("Seed of the draws.")


@dataclass(frozen=True)
class GraphletCounter(PatternCounter):
    """Which graphs random sets of nodes induce."""

    samples: int
    seed: int

    def candidates(self, store: GraphStore) -> list[Patterns]:
        """Graphs on 3 to 5 nodes."""
        found = []
        for size in range(SMALLEST, LARGEST + 1):
            classes = graphlet_classes(size)
            counts = sample_graphlets(
                store.node_ptr, store.edge_ptr, store.neighbor, size, self.samples, classes, self.seed
            )
            graph, kind = np.nonzero(counts)
            found.append((graph, kind + size * 1000, counts[graph, kind]))
        graph, key, count = (np.concatenate(columns) for columns in zip(*found))
        return [Patterns(graph, key.astype(np.uint64), count)]


@METHODS.register
class GraphletSampling(HistogramKernel[GraphletConfig]):
    """Labels play no part; a graph with fewer nodes than a graphlet has none of that size."""

    method = "gk"
    idea = "counts of graphs on 3 to 5 nodes, by sampling"
    paper = "Shervashidze et al., Efficient Graphlet Kernels for Large Graph Comparison, AISTATS 2009"
    config_class = GraphletConfig

    def counter(self, config: GraphletConfig, learned: Mapping[str, Tensor]) -> GraphletCounter:
        """Graphlets, drawn by the seed."""
        return GraphletCounter(config.samples, config.random_state)
