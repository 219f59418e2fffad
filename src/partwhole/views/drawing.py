"""A graph as an SVG drawing: the structure of a molecule, or a network, over the halos of its parts."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.views.halos import halos
from partwhole.views.layout import layout
from partwhole.views.structure import LINE, SIZE, Picture, draw_molecule

MARGIN = 70
LOOK = (
    f'fill="none" stroke="currentColor" stroke-width="{LINE}" stroke-linecap="round" stroke-linejoin="round"'
)


def draw_subgraphs(graph: Graph, membership: np.ndarray) -> str:
    """SVG of the graph with a halo for each part [S, n] that holds a node; it takes the text's colour."""
    picture = draw_molecule(graph) if graph.schema.chemistry else None
    picture = picture or _draw_network(graph)
    below = halos(picture.points, picture.pairs, membership, picture.unit)
    return f'<svg viewBox="0 0 {SIZE} {SIZE}" class="graph" role="img" {LOOK}>{below}{picture.shapes}</svg>'


def _draw_network(graph: Graph) -> Picture:
    """Dots and lines; the more nodes, the smaller."""
    points = np.round(MARGIN + layout(graph) * (SIZE - 2 * MARGIN))
    unit = float(np.clip(500 / np.sqrt(max(graph.num_nodes, 1)), 44, 130))
    pairs = graph.edges[graph.edges[:, 0] < graph.edges[:, 1]]  # once; a self-loop would be a point
    places = points.astype(int).tolist()
    lines = "".join("M{},{}L{},{}".format(*places[a], *places[b]) for a, b in pairs.tolist())
    dots = "".join(f"M{x},{y}h0" for x, y in places)
    shapes = f'<path opacity=".45" stroke-width="{LINE / 2:g}" d="{lines}"/>' if lines else ""
    shapes += f'<path stroke-width="{0.3 * unit:.0f}" d="{dots}"/>' if dots else ""
    return Picture(points, pairs, unit, shapes)
