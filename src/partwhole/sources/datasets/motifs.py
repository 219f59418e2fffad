"""Synthetic graphs with a planted motif, where the truth about every node is known."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import Column, Schema
from partwhole.graphs.store import GraphStore

# Five nodes each; the house is the cycle with one chord.
MOTIFS = {
    "cycle": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)],
    "house": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 4)],
}


def make_motif_graphs(num_graphs: int = 200, base_nodes: int = 20, random_state: int = 0) -> GraphStore:
    """Make random trees by preferential attachment, each with a cycle or a house tied on by one edge.

    The motif, which has five nodes, is the class; the classes are balanced. Nodes are in random order.

    Parameters
    ----------
    num_graphs : int
        How many graphs to make, cycles and houses in turn.
    base_nodes : int
        Nodes of a tree, give or take a quarter, so that the size says nothing of the class.
    random_state : int
        The same number gives the same graphs.

    Returns
    -------
    GraphStore
        Graphs without attributes and with the target `motif`; `store.marks` is 1 on the nodes of the motif
        and 0 elsewhere.

    Examples
    --------
    >>> from partwhole import make_motif_graphs
    >>> store = make_motif_graphs(num_graphs=4)
    >>> store.labels.tolist()
    ['cycle', 'house', 'cycle', 'house']
    >>> int(store[0].marks.sum())
    5
    """
    random = np.random.default_rng(random_state)
    names = tuple(MOTIFS)
    schema = Schema(targets=(Column.categorical("motif", names),))
    graphs = []
    for i in range(num_graphs):
        label = i % len(names)
        spread = base_nodes // 4
        tree = _preferential_tree(base_nodes + int(random.integers(-spread, spread + 1)), random)
        nodes = len(tree) + 1
        motif = np.array(MOTIFS[names[label]]) + nodes
        bridge = [(int(random.integers(nodes)), nodes + int(random.integers(5)))]
        edges = np.concatenate([np.array(tree).reshape(-1, 2), motif, bridge])
        order = random.permutation(nodes + 5)
        marks = np.zeros(nodes + 5, dtype=np.int8)
        marks[order[nodes:]] = 1
        graphs.append(
            Graph(
                num_nodes=nodes + 5,
                edges=order[edges],
                targets=np.array([float(label)]),
                marks=marks,
                id=i,
                schema=schema,
            )
        )
    return GraphStore.from_graphs(graphs, name="MOTIFS")


def _preferential_tree(nodes: int, random: np.random.Generator) -> list[tuple[int, int]]:
    """Every new node joins an old one, chosen in proportion to its degree."""
    edges = [(0, 1)]
    ends = [0, 1]
    for new in range(2, nodes):
        old = ends[int(random.integers(len(ends)))]
        edges.append((old, new))
        ends += [old, new]
    return edges
