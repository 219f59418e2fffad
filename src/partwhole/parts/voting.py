"""Types by vote: a node that has nothing of its own goes with its neighbours, if its type keeps together."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

OWN = 0.8  # what the present type of a node counts; a neighbour counts 1
COMMON = 0.4  # what a nat of the share of a type counts, so that of two types the more common is believed
TOGETHER = 0.5  # of the neighbours of a type have to be of that type, else they have no vote
ROUNDS = 6  # at most


def voted(types: np.ndarray, edges: csr_array, together: np.ndarray, share: np.ndarray) -> np.ndarray:
    """[N] types after each node has joined, all at once and again, the type with the most votes: the most
    likely one in a Potts model, by iterated conditional modes (Besag 1986).

    A random edge changes the degree and the core number of its ends, and so their cells; their neighbours
    still tell what they are part of. Where neighbours are usually of other types, as the hub and the leaves
    of a star, they tell nothing, and nobody changes sides.

    Parameters
    ----------
    types : ndarray [N]
        The type of each node by itself.
    edges : csr_array [N, N]
        Which nodes are neighbours.
    together, share : ndarray [K]
        Which share of the neighbours of each type, and of all nodes, is of that type.
    """
    votes = (together > TOGETHER).astype(np.float64)  # [K]
    common = COMMON * votes * np.log(np.maximum(share, 1e-9))
    everyone = np.eye(len(share))
    for _ in range(ROUNDS):
        now = everyone[types]  # [N, K]
        new = ((edges @ now) * votes + OWN * now + common).argmax(axis=1)
        if np.array_equal(new, types):
            break
        types = new
    return types
