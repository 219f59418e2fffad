"""Degree, the paper's attribute for nodes that have none."""

from __future__ import annotations

import numpy as np

from partwhole.registry import STRUCTURE
from partwhole.store import GraphStore


@STRUCTURE.register
def degree(store: GraphStore) -> np.ndarray:
    """Number of neighbours."""
    return np.diff(store.edge_ptr)
