"""A graph as an SVG drawing: the structure of a molecule, or a network, over the halos of its parts."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.views.halos import halos
from partwhole.views.layout import layout
from partwhole.views.structure import LINE, SIZE, Picture, draw_molecule

MARGIN = 70
NEAR = 2.2  # lengths of a bond around nodes in focus
LOOK = (
    f'fill="none" stroke="currentColor" stroke-width="{LINE}" stroke-linecap="round" stroke-linejoin="round"'
)


def draw_subgraphs(graph: Graph, membership: np.ndarray, focus: np.ndarray | None = None) -> str:
    """SVG of the graph with a halo for each part [S, n] that holds a node; it takes the text's colour. With a
    `focus`, flags of nodes [n], only these and what is near them are seen."""
    picture = draw_molecule(graph) if graph.schema.chemistry else None
    picture = picture or _draw_network(graph)
    below = halos(picture.points, picture.pairs, membership, picture.unit)
    box = f"0 0 {SIZE} {SIZE}" if focus is None else _around(picture, focus)
    return f'<svg viewBox="{box}" class="graph" role="img" {LOOK}>{below}{picture.shapes}</svg>'


def _around(picture: Picture, focus: np.ndarray) -> str:
    """The view box: a square around some nodes, with room for their surroundings."""
    low, high = picture.points[focus].min(axis=0), picture.points[focus].max(axis=0)
    side = min(SIZE, float((high - low).max()) + 2 * NEAR * picture.unit)
    x, y = np.clip((low + high - side) / 2, 0, SIZE - side)
    return f"{x:.0f} {y:.0f} {side:.0f} {side:.0f}"


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
