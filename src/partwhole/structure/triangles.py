"""Triangles."""

from __future__ import annotations

import numpy as np

from partwhole.registry import STRUCTURE
from partwhole.store import GraphStore
from partwhole.structure.base import adjacency


@STRUCTURE.register
def triangles(store: GraphStore) -> np.ndarray:
    """Triangles through each node: half the paths of length two that an edge closes."""
    a = adjacency(store)
    return np.asarray((a @ a).multiply(a).sum(axis=1)).ravel() / 2
