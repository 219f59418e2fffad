"""Core number."""

from __future__ import annotations

import numpy as np

from partwhole.registry import STRUCTURE
from partwhole.store import GraphStore
from partwhole.structure.base import adjacency


@STRUCTURE.register
def core_number(store: GraphStore) -> np.ndarray:
    """The largest k such that the node stays when nodes of degree below k are peeled off."""
    a = adjacency(store)
    left = np.asarray(a.sum(axis=1)).ravel()  # degree among the nodes not yet peeled
    core, alive, k = np.zeros(len(left)), np.ones(len(left), dtype=bool), 0
    while alive.any():
        peel = alive & (left <= k)
        if not peel.any():
            k = int(left[alive].min())
            continue
        core[peel] = k
        alive &= ~peel
        left = left - a @ peel.astype(np.float64)
    return core
