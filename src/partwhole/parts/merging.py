"""Cells of alike nodes, merged into types along the edges of the graphs."""

from __future__ import annotations

import numpy as np

JOINED = 9.0  # what a unit of modularity is worth in nats of evenness; docs/notes/parts.md
EVEN = 0.75  # of the groups are in use where an exact number is asked for
LEAST_WEIGHT = 0.1


def merges(
    joined: np.ndarray, sizes: np.ndarray, weight: float = JOINED
) -> tuple[list[tuple[int, int]], int]:
    """Merge the two groups that gain most, again and again until one is left.

    What grows is 9 Q + H, or with another weight. Q = sum_t (e_tt - a_t^2) is the modularity of the types:
    the share of edges inside a type beyond that of edges tied at random. H is the entropy of their sizes,
    which a merger lowers. So cells that are often neighbours (an aromatic carbon and the next) are merged
    before cells that are not, and small ones before large ones.

    Parameters
    ----------
    joined : ndarray [M, M]
        How many edges join nodes of each pair of cells, in both directions.
    sizes : ndarray [M]
        Nodes of each cell.
    weight : float
        Of Q; the less, the more even are the groups.

    Returns
    -------
    steps : list of (i, j)
        The group of cell j joins that of cell i; both are the first cells of their groups.
    gaining : int
        So many groups are left by the last merger that gained; further ones cost.
    """
    edges = joined / max(joined.sum(), 1.0)
    nodes = sizes / max(sizes.sum(), 1.0)
    first = list(range(len(nodes)))
    steps, gaining = [], len(nodes)
    while len(first) > 1:
        gain = _gains(edges, nodes, weight)
        i, j = sorted(np.unravel_index(gain.argmax(), gain.shape))
        steps.append((first[i], first[j]))
        if gain[i, j] > 0:
            gaining = len(first) - 1
        edges[i] += edges[j]
        edges[:, i] += edges[:, j]
        edges = np.delete(np.delete(edges, j, 0), j, 1)
        nodes[i] += nodes[j]
        nodes = np.delete(nodes, j)
        del first[j]
    return steps, gaining


def even_merges(joined: np.ndarray, sizes: np.ndarray, number: int) -> list[tuple[int, int]]:
    """The steps of `merges`, with the weight of Q halved until so many groups are used evenly: two to the
    entropy of their sizes is at least three quarters of their number, or edges count for next to nothing."""
    weight = JOINED
    while True:
        steps = merges(joined, sizes, weight)[0]
        group = groups_after(steps, len(sizes), number)
        if in_use(np.bincount(group, sizes)) >= EVEN * number or weight < LEAST_WEIGHT:
            return steps
        weight /= 2


def in_use(sizes: np.ndarray) -> float:
    """Two to the entropy of the shares, in bits: K for K groups of equal size."""
    return float(np.exp(_nats(sizes / max(sizes.sum(), 1)).sum()))


def _gains(edges: np.ndarray, nodes: np.ndarray, weight: float) -> np.ndarray:
    """[K, K] what merging each pair adds to weight Q + H; a group is not merged with itself."""
    ends = edges.sum(1)
    modularity = 2 * (edges - np.outer(ends, ends))
    entropy = _nats(nodes[:, None] + nodes) - _nats(nodes)[:, None] - _nats(nodes)
    gain = weight * modularity + entropy
    empty = nodes == 0  # a cell that was divided is no type of its own
    gain[empty], gain[:, empty] = np.inf, np.inf
    np.fill_diagonal(gain, -np.inf)
    return gain


def _nats(share: np.ndarray) -> np.ndarray:
    return -share * np.log(np.maximum(share, 1e-300))


def groups_after(steps: list[tuple[int, int]], cells: int, number: int) -> np.ndarray:
    """[M] the group of each cell when at most `number` are left, numbered from 0 in the order of cells."""
    group = np.arange(cells)
    for i, j in steps[: max(cells - number, 0)]:
        group[group == j] = i
    return np.unique(group, return_inverse=True)[1]
