"""Degree, the paper's attribute for nodes that have none."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.registry import STRUCTURE


@STRUCTURE.register
def degree(store: GraphStore) -> np.ndarray:
    """How many neighbours each node has, [N]; a self-loop counts once."""
    return np.diff(store.edge_ptr)
