"""Where to draw the nodes of a network."""

from __future__ import annotations

import networkx as nx
import numpy as np

from partwhole.graphs.graph import Graph


def layout(graph: Graph) -> np.ndarray:
    """Coordinates [n, 2] in the unit square, the same for the same graph."""
    if graph.num_nodes == 0:
        return np.zeros((0, 2))
    network = nx.Graph()
    network.add_nodes_from(range(graph.num_nodes))
    network.add_edges_from(graph.edges.tolist())
    small = graph.num_nodes <= 150 and nx.is_connected(network)
    placed = nx.kamada_kawai_layout(network) if small else nx.spring_layout(network, seed=0)
    points = np.array([placed[v] for v in range(graph.num_nodes)])
    span = float(np.ptp(points, axis=0).max()) or 1.0
    return 0.5 + (points - (points.min(axis=0) + points.max(axis=0)) / 2) / span
