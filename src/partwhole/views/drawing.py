"""A graph as an SVG drawing, each node a pie of the subgraphs that hold it."""

from __future__ import annotations

import math
from html import escape

import numpy as np

from partwhole.graph import Graph
from partwhole.schema import NO_CATEGORY
from partwhole.views.layout import layout

# Okabe & Ito's palette, which colour-blind readers can tell apart.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
SIZE, MARGIN = 260, 22


def draw_subgraphs(graph: Graph, membership: np.ndarray) -> str:
    """SVG of the graph; a node's slices are its memberships [S, n], an outline alone is none."""
    points = MARGIN + layout(graph) * (SIZE - 2 * MARGIN)
    radius = float(np.clip(46 / math.sqrt(max(graph.num_nodes, 1)), 3.0, 11.0))
    atoms = graph.schema.node[0].values if graph.schema.chemistry else None
    shapes = [_edge(points, graph, k, radius) for k in range(len(graph.edges))]
    for v, (x, y) in enumerate(points):
        shapes.append(_node(x, y, radius, membership[:, v]))
        if atoms is not None and radius > 7:
            code = graph.node_codes[v, 0]
            symbol = "?" if code == NO_CATEGORY else escape(str(atoms[code]))
            shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{radius:.1f}">{symbol}</text>')
    body = "".join(shapes)
    return f'<svg viewBox="0 0 {SIZE} {SIZE}" class="graph" role="img">{body}</svg>'


def _edge(points: np.ndarray, graph: Graph, k: int, radius: float) -> str:
    a, b = graph.edges[k]
    if a >= b:  # the other direction of an edge drawn already; a self-loop would be a point
        return ""
    code = graph.edge_codes[k, 0] if graph.schema.chemistry else NO_CATEGORY
    kind = "" if code == NO_CATEGORY else str(graph.schema.edge[0].values[code])
    along = points[b] - points[a]
    across = np.array([-along[1], along[0]]) / (np.hypot(*along) or 1.0) * radius * 0.28
    offsets = {"double": (-1, 1), "triple": (-2, 0, 2), "aromatic": (-1, 1)}.get(kind, (0,))
    lines = []
    for i, offset in enumerate(offsets):
        (x1, y1), (x2, y2) = points[a] + offset * across, points[b] + offset * across
        dash = ' stroke-dasharray="3 2"' if kind == "aromatic" and i == 1 else ""
        lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"{dash}/>')
    return "".join(lines)


def _node(x: float, y: float, radius: float, shares: np.ndarray) -> str:
    """A disc cut into one slice per subgraph, as wide as its membership and as strong."""
    parts = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="outline"/>']
    total = float(shares.sum())
    angle = -math.pi / 2
    for s, share in enumerate(shares):
        if share < 0.02:
            continue
        color, strength = COLORS[s % len(COLORS)], min(1.0, 0.25 + 0.75 * float(share))
        style = f'fill="{color}" fill-opacity="{strength:.2f}"'
        sweep = 2 * math.pi * float(share) / total
        if sweep > 2 * math.pi - 1e-3:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {style}/>')
            break
        x1, y1 = x + radius * math.cos(angle), y + radius * math.sin(angle)
        angle += sweep
        x2, y2 = x + radius * math.cos(angle), y + radius * math.sin(angle)
        large = int(sweep > math.pi)
        parts.append(
            f'<path d="M{x:.1f},{y:.1f} L{x1:.1f},{y1:.1f} A{radius:.1f},{radius:.1f} 0 {large} 1 '
            f'{x2:.1f},{y2:.1f} Z" {style}/>'
        )
    return "".join(parts)
