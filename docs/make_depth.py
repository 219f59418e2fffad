"""What `depth` sees: draw docs/depth.svg, two discussions of each class of REDDIT-BINARY, and all in bars.

Drawn are those of 60 to 110 nodes whose steps to the centre share out most like those of their class.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from make_overview import STYLE, nested

from partwhole import load_graphs
from partwhole.recipes.descriptions.depth import steps_to_center
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import COLORS

STEPS = ("centre", "1 step", "2", "3", "4 and more", "no path")
SIDE = 215


def main() -> None:
    store = load_graphs("REDDIT-BINARY")
    away = steps_to_center(store)
    kind = np.where(away < 0, len(STEPS) - 1, np.minimum(away, len(STEPS) - 2))  # [N]
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    counts = np.zeros((len(store), len(STEPS)))
    np.add.at(counts, (graph, kind), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    shapes, x = [f"<style>{STYLE}</style>"], 10
    for label in np.unique(store.labels):
        mean = shares[store.labels == label].mean(axis=0)
        fits = (store.labels == label) & (store.num_nodes >= 60) & (store.num_nodes <= 110)
        unlike = np.where(fits, ((shares - mean) ** 2).sum(axis=1), np.inf)
        shapes.append(f'<text x="{x + SIDE}" y="22">class {label}</text>')
        for k, i in enumerate(np.argsort(unlike)[:2]):
            nodes = slice(store.node_ptr[i], store.node_ptr[i + 1])
            drawing = draw_subgraphs(store[int(i)], np.eye(len(STEPS))[:, kind[nodes]])
            shapes.append(nested(drawing, x + SIDE * k, 30, SIDE))
        left = x
        for color, share in zip(COLORS, mean):  # the mean of the class as one bar
            width = share * (2 * SIDE - 20)
            shapes.append(f'<rect x="{left:.1f}" y="255" width="{width:.1f}" height="22" fill="{color}"/>')
            if share > 0.06:
                middle = left + width / 2
                shapes.append(f'<text x="{middle:.1f}" y="271" style="fill: #fff">{100 * share:.0f} %</text>')
            left += width
        x += 2 * SIDE + 10
    for k, (name, color) in enumerate(zip(STEPS, COLORS)):
        shapes.append(f'<circle cx="{130 + 115 * k}" cy="300" r="6" fill="{color}"/>')
        at = f'x="{142 + 115 * k}" y="304" class="small" style="text-anchor: start"'
        shapes.append(f"<text {at}>{name}</text>")
    page = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 890 320"><rect width="890" height="320" '
    page += f'fill="#fff"/>{"".join(shapes)}</svg>\n'
    (Path(__file__).parent / "depth.svg").write_text(page)


if __name__ == "__main__":
    main()
