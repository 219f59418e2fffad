"""Draw docs/overview.svg, the picture of the README, from a run: `python docs/make_overview.py runs/demo`"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import COLORS
from partwhole.views.plots import plane
from partwhole.views.shown_types import ShownTypes

STYLE = """
text { font: 15px system-ui, sans-serif; fill: #1d2733; text-anchor: middle; }
text.small { font-size: 12.5px; fill: #52606d; }
svg.graph { color: #1d2733; }
svg.graph text { font: inherit; fill: inherit; text-anchor: start; }
"""
MOLECULES = (17, 79, 172)


def nested(svg: str, x: int, y: int, size: int) -> str:
    return svg.replace("<svg ", f'<svg x="{x}" y="{y}" width="{size}" height="{size}" ', 1)


def main(run: str) -> None:
    graphs, model = load_graphs("MUTAG"), SubgraphInfoMax.load(run)
    types = ShownTypes.of(model, graphs)
    assert types is not None
    parts = types.memberships(graphs)
    shapes = [f"<style>{STYLE}</style>", '<rect width="980" height="290" fill="#fff"/>']
    for k, i in enumerate(MOLECULES):
        drawing = draw_subgraphs(graphs[i], parts[i])
        shapes.append(nested(drawing, 5 + 190 * k, 35, 190))
    points = plane(model.transform(graphs))
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    places = [660, 45] + (points - low) / span * [290, 190]
    for (x, y), label in zip(places, graphs.labels):
        color = COLORS[0] if label == -1 else COLORS[5]
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{color}" fill-opacity="0.75"/>')
    arrow = "M590,130 h34 m-9,-7 l9,7 l-9,7"
    shapes += [
        '<text x="290" y="24">parts: a colour means the same in every graph</text>',
        '<text x="805" y="24">wholes: one vector per graph</text>',
        f'<path d="{arrow}" stroke="#52606d" stroke-width="2" fill="none"/>',
        '<text class="small" x="290" y="262">types of parts that were found without labels</text>',
        '<text class="small" x="805" y="262">188 molecules of MUTAG by t-SNE, coloured by a label</text>',
        '<text class="small" x="805" y="279">that the model never saw</text>',
    ]
    page = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 290">{"".join(shapes)}</svg>\n'
    (Path(__file__).parent / "overview.svg").write_text(page)


if __name__ == "__main__":
    main(sys.argv[1])
