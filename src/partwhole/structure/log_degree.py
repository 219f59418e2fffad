"""Logarithm of the degree."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.registry import STRUCTURE


@STRUCTURE.register
def log_degree(store: GraphStore) -> np.ndarray:
    """[N] log(1 + degree), for networks whose degrees span orders of magnitude."""
    return np.log1p(np.diff(store.edge_ptr))
