"""Array work behind the store: edge lists to CSR, and rows of several graphs at once."""

from __future__ import annotations

import numpy as np

from partwhole.errors import PartwholeError


def concatenated_ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """`[s, s + 1, …, s + n - 1]` for every pair (s, n), one after the other."""
    total = int(lengths.sum())
    ends = np.cumsum(lengths)
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)


def require_nodes(edges: np.ndarray, nodes: int, graph: object) -> None:
    """Raise unless the edges of one graph join nodes that it has."""
    if len(edges) and (edges.min() < 0 or edges.max() >= nodes):
        wrong = edges.max() if edges.min() >= 0 else edges.min()
        raise PartwholeError(
            f"Graph {graph!r} has an edge to node {wrong} but only nodes 0 to {nodes - 1}; correct the "
            "edge list."
        )


def pack_edges(node_ptr: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges [M, 2] over nodes numbered throughout -> symmetric CSR without repeats.

    Returns `edge_ptr` [N + 1], `neighbor` [E] counted within the graph, and for each entry the
    row of `edges` whose attributes it takes: the entry's own direction where it was listed
    (the first time it was), else the opposite one.
    """
    edges = np.asarray(edges).reshape(-1, 2)
    nodes = int(node_ptr[-1])
    if not np.issubdtype(edges.dtype, np.integer):
        raise PartwholeError("Edges must be pairs of integer node numbers.")
    if len(edges) and (edges.min() < 0 or edges.max() >= nodes):
        row = int(np.flatnonzero(((edges < 0) | (edges >= nodes)).any(axis=1))[0])
        raise PartwholeError(
            f"Edge {row} joins nodes {edges[row, 0]} and {edges[row, 1]}, but there are only nodes "
            f"0 to {nodes - 1}; correct the edge list."
        )
    graph_of_node = np.repeat(np.arange(len(node_ptr) - 1), np.diff(node_ptr))
    across = graph_of_node[edges[:, 0]] != graph_of_node[edges[:, 1]]
    if across.any():
        row = int(np.flatnonzero(across)[0])
        a, b = graph_of_node[edges[row]]
        raise PartwholeError(
            f"Edge {row} joins a node of graph {a} to a node of graph {b}; an edge must stay within "
            "one graph."
        )
    source, target = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    listed = source * nodes + target
    mirrored = target * nodes + source
    keys, first = np.unique(np.concatenate([listed, mirrored]), return_index=True)
    row_of_entry, column = keys // max(nodes, 1), keys % max(nodes, 1)
    edge_ptr = np.concatenate([[0], np.cumsum(np.bincount(row_of_entry, minlength=nodes))])
    neighbor = (column - node_ptr[graph_of_node[row_of_entry]]).astype(np.int32)
    return edge_ptr.astype(np.int64), neighbor, first % max(len(edges), 1)


def undirected_edges(node_ptr: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray) -> np.ndarray:
    """[G] edges of each graph, from entries in both directions; a self-loop has one entry."""
    entries = np.diff(edge_ptr[node_ptr])
    rows = np.repeat(np.arange(len(edge_ptr) - 1), np.diff(edge_ptr))
    graph = np.searchsorted(node_ptr, rows, side="right") - 1
    loops = np.bincount(graph[rows - node_ptr[graph] == neighbor], minlength=len(node_ptr) - 1)
    return (entries + loops) // 2
