"""Synthetic graphs with planted motifs, where the truth about every node is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import Column, Schema
from partwhole.graphs.store import GraphStore

Edges = list[tuple[int, int]]

# Five nodes each; the house is the cycle with one chord.
MOTIFS: dict[str, Edges] = {
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
    return _cycles_and_houses(num_graphs, base_nodes, base_nodes // 4, random_state, "MOTIFS")


def make_ba2motif_graphs(num_graphs: int = 1000, random_state: int = 0) -> GraphStore:
    """Make BA-2Motifs (Luo et al., 2020): Barabási-Albert trees of 20 nodes with a cycle or a house tied on.

    Every graph has 25 nodes. The published set is one draw of these graphs.

    Parameters
    ----------
    num_graphs : int
        How many graphs to make, cycles and houses in turn.
    random_state : int
        The same number gives the same graphs.

    Returns
    -------
    GraphStore
        As of `make_motif_graphs`.

    Examples
    --------
    >>> from partwhole import make_ba2motif_graphs
    >>> set(make_ba2motif_graphs(num_graphs=10).num_nodes.tolist())
    {25}
    """
    return _cycles_and_houses(num_graphs, 20, 0, random_state, "BA-2MOTIFS")


def make_planted_graphs(
    num_graphs: int = 200,
    motifs: Sequence[str] = ("cycle", "house", "clique", "grid"),
    *,
    planted: int = 3,
    sizes: tuple[int, int] = (5, 7),
    base_nodes: int = 20,
    extra_edges: float = 0.0,
    random_state: int = 0,
) -> GraphStore:
    """Make random trees by preferential attachment, each with several motifs tied on, each by one edge.

    Parameters
    ----------
    num_graphs : int
        How many graphs to make.
    motifs : sequence of str
        From which the motifs of a graph are drawn: "cycle", "house" (a cycle with a chord that cuts off a
        triangle), "clique", "grid" (three rows) and "star". In a tree, nothing tells a star from the rest.
    planted : int
        Motifs of a graph, drawn with repetition.
    sizes : (int, int)
        The fewest and the most nodes of a motif, at least 5; a grid has three rows of half as many columns.
    base_nodes : int
        Nodes of a tree, give or take a quarter.
    extra_edges : float
        Noise: so many edges for each node of a graph are added between random nodes.
    random_state : int
        The same number gives the same graphs.

    Returns
    -------
    GraphStore
        Graphs without attributes and targets; `store.marks` is 0 on the nodes of the tree, and the place of
        a motif in `motifs`, from 1, on the nodes of that motif.

    Examples
    --------
    >>> from partwhole import make_planted_graphs
    >>> sorted(set(make_planted_graphs(num_graphs=20, motifs=("cycle", "clique")).marks.tolist()))
    [0, 1, 2]
    """
    for name in motifs:
        if name not in SHAPES:
            raise PartwholeError(f"There is no motif {name!r}.{near_miss(name, list(SHAPES))}")
    if not motifs or not 5 <= sizes[0] <= sizes[1]:
        raise PartwholeError("Give at least one motif, and sizes from 5 nodes on, the fewest first.")
    random = np.random.default_rng(random_state)
    spread = base_nodes // 4
    graphs = []
    for i in range(num_graphs):
        tree = _preferential_tree(base_nodes + int(random.integers(-spread, spread + 1)), random)
        drawn = random.integers(len(motifs), size=planted).tolist()
        tied = [SHAPES[motifs[k]](int(random.integers(sizes[0], sizes[1] + 1))) for k in drawn]
        graphs.append(_tied(tree, tied, [k + 1 for k in drawn], random, i, extra_edges=extra_edges))
    return GraphStore.from_graphs(graphs, name="PLANTED")


def _cycle(nodes: int) -> Edges:
    return [(i, (i + 1) % nodes) for i in range(nodes)]


def _house(nodes: int) -> Edges:
    return [*_cycle(nodes), (1, nodes - 1)]


def _clique(nodes: int) -> Edges:
    return [(i, j) for j in range(nodes) for i in range(j)]


def _grid(nodes: int) -> Edges:
    columns = nodes // 2
    along = [(i, i + 1) for i in range(3 * columns) if (i + 1) % columns and i + 1 < 3 * columns]
    return along + [(i, i + columns) for i in range(2 * columns)]


def _star(nodes: int) -> Edges:
    return [(0, i) for i in range(1, nodes)]


SHAPES: dict[str, Callable[[int], Edges]] = {
    "cycle": _cycle,
    "house": _house,
    "clique": _clique,
    "grid": _grid,
    "star": _star,
}


def _cycles_and_houses(number: int, base_nodes: int, spread: int, random_state: int, name: str) -> GraphStore:
    """Trees of so many nodes, give or take the spread, with a cycle or a house in turn."""
    random = np.random.default_rng(random_state)
    names = tuple(MOTIFS)
    schema = Schema(targets=(Column.categorical("motif", names),))
    graphs = []
    for i in range(number):
        label = i % len(names)
        tree = _preferential_tree(base_nodes + int(random.integers(-spread, spread + 1)), random)
        graphs.append(_tied(tree, [MOTIFS[names[label]]], [1], random, i, float(label), schema))
    return GraphStore.from_graphs(graphs, name=name)


def _tied(
    tree: Edges,
    motifs: Sequence[Edges],
    marks: Sequence[int],
    random: np.random.Generator,
    number: int,
    target: float | None = None,
    schema: Schema = Schema(),
    extra_edges: float = 0.0,
) -> Graph:
    """A tree with each motif tied on by one edge and marked, its nodes in random order."""
    base = nodes = len(tree) + 1
    edges, marked = [np.array(tree).reshape(-1, 2)], [np.zeros(base, np.int8)]
    for motif, mark in zip(motifs, marks):
        size = 1 + max(map(max, motif))
        bridge = [(int(random.integers(base)), nodes + int(random.integers(size)))]
        edges += [np.array(motif) + nodes, np.array(bridge)]
        marked.append(np.full(size, mark, np.int8))
        nodes += size
    if extra_edges:
        edges.append(_random_edges(round(extra_edges * nodes), nodes, random))
    order = random.permutation(nodes)
    mark_of = np.zeros(nodes, np.int8)
    mark_of[order] = np.concatenate(marked)
    targets = {} if target is None else {"targets": np.array([target])}
    all_edges = order[np.concatenate(edges)]
    return Graph(num_nodes=nodes, edges=all_edges, marks=mark_of, id=number, schema=schema, **targets)


def _random_edges(number: int, nodes: int, random: np.random.Generator) -> np.ndarray:
    """[number, 2] ends of edges between different nodes"""
    ends = random.integers(nodes, size=number)
    return np.stack([ends, (ends + random.integers(1, nodes, size=number)) % nodes], axis=1)


def _preferential_tree(nodes: int, random: np.random.Generator) -> Edges:
    """Every new node joins an old one, chosen in proportion to its degree."""
    edges = [(0, 1)]
    ends = [0, 1]
    for new in range(2, nodes):
        old = ends[int(random.integers(len(ends)))]
        edges.append((old, new))
        ends += [old, new]
    return edges
