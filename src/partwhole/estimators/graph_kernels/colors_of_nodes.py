"""Colours of Weisfeiler-Lehman refinement that are the same in every store."""

from __future__ import annotations

import numpy as np

from partwhole.estimators.graph_kernels.base import node_labels
from partwhole.graphs.refinement import refine
from partwhole.graphs.store import GraphStore


def colors_of(store: GraphStore, rounds: int, method: str) -> list[np.ndarray]:
    """[rounds + 1][N] uint64: the colour of each node, from its labels on."""
    _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
    out = [node_labels(store, method)]
    for _ in range(rounds):
        out.append(refine(out[-1], edge_ptr, neighbor))
    return out
