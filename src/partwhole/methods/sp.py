"""Shortest-path kernel: how often two labels lie at each distance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from partwhole.estimators.graph_kernels.base import KernelConfig, node_labels
from partwhole.estimators.graph_kernels.counting import path_lengths
from partwhole.estimators.graph_kernels.histogram import HistogramKernel, PatternCounter, Patterns
from partwhole.graphs.refinement import hash_rows
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


class PathCounter(PatternCounter):
    """How often two labels lie at each distance, over ordered pairs of nodes."""

    def candidates(self, store: GraphStore) -> list[Patterns]:
        """Triples of label, label and distance."""
        labels, kind = np.unique(node_labels(store, "sp"), return_inverse=True)
        found = path_lengths(store.node_ptr, store.edge_ptr, store.neighbor, kind, len(labels))
        graph, distance, first, second, count = found
        key = hash_rows(np.stack([distance.astype(np.uint64), labels[first], labels[second]], axis=1))
        return [Patterns(graph, key, count.astype(np.float64))]


@METHODS.register
class ShortestPath(HistogramKernel[KernelConfig]):
    """k = sum over (label, label, distance) of the products of counts, over ordered pairs of nodes."""

    method = "sp"
    idea = "counts of pairs of labels at each distance"
    paper = "Borgwardt & Kriegel, Shortest-Path Kernels on Graphs, ICDM 2005"
    config_class = KernelConfig

    def counter(self, config: KernelConfig, learned: Mapping[str, Tensor]) -> PathCounter:
        """Pairs of labels at each distance."""
        return PathCounter()
