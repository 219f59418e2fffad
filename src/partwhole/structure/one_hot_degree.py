"""Every degree a category of its own."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.registry import STRUCTURE

DEGREES = 64  # told apart; higher ones count as the last


@STRUCTURE.register
def one_hot_degree(store: GraphStore) -> np.ndarray:
    """[N, 64] a column for each degree: what supervised networks usually get where nodes have nothing."""
    degrees = np.minimum(np.diff(store.edge_ptr), DEGREES - 1)
    out = np.zeros((len(degrees), DEGREES), dtype=bool)
    out[np.arange(len(degrees)), degrees] = True
    return out
