"""Draw docs/architecture.svg, the way from a file to a vector: `python docs/make_architecture.py`"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 995, 430
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1d2733; text-anchor: middle; }
text.file { font: 12px ui-monospace, monospace; fill: #52606d; }
text.small { font-size: 12.5px; fill: #52606d; }
rect.box { fill: #f4f6f8; stroke: #9aa5b1; rx: 6; }
rect.out { fill: #e3f0fb; stroke: #2b6cb0; rx: 6; }
path { fill: none; stroke: #52606d; stroke-width: 1.6; marker-end: url(#tip); }
"""
# name: (x, y, width, text, file, class)
BOXES = {
    "data": (10, 30, 150, "file, name, objects", "sources/readers/", "box"),
    "store": (210, 30, 150, "GraphStore", "graphs/store.py", "box"),
    "batch": (410, 30, 150, "batch, lifted or plain", "lifting/, graphs/", "box"),
    "nodes": (610, 30, 160, "X⁽⁰⁾, layers, X_G", "model.py, nn/", "box"),
    "h": (820, 30, 150, "h(G)", "nn/readout/", "box"),
    "parts": (610, 150, 160, "membership [S, n]", "generators/", "box"),
    "tilde": (820, 150, 150, "h~(G)", "model.py", "box"),
    "bound": (
        610,
        270,
        360,
        "Head-Tail bound of the h, agreement",
        "losses/, training/objectives.py",
        "box",
    ),
    "train": (610, 360, 360, "steps, run folder", "training/trainer.py, runs/folder.py", "box"),
    "said": (200, 150, 170, "descriptions", "recipes/descriptions/", "box"),
    "sums": (410, 150, 150, "layer sums", "model.py", "box"),
    "main": (210, 270, 350, "weighed blocks, main directions", "recipes/graph_vectors.py", "box"),
    "vector": (210, 360, 350, "the vector that transform returns", "estimators/subgraph_infomax.py", "out"),
}
ARROWS = [
    "M160,55 H205",
    "M360,55 H405",
    "M560,55 H605",
    "M770,55 H815",
    "M690,80 V145",
    "M770,175 H815",
    "M970,55 H986 V295 H974",
    "M895,200 V265",
    "M790,320 V355",
    "M285,80 V145",
    "M640,80 V115 H485 V145",
    "M285,200 V265",
    "M455,200 V265",
    "M385,320 V355",
    "M605,385 H585 V175 H565",
    "M320,200 V238 H640 V265",
    "M520,200 V233",
]


def main() -> None:
    tip = (
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    )
    shapes = [
        f"<style>{STYLE}</style><defs>{tip}<path d='M0,0 L8,4 L0,8 z' style='fill:#52606d;stroke:none'/>"
    ]
    shapes.append(f'</marker></defs><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    shapes += [f'<path d="{arrow}"/>' for arrow in ARROWS]
    for x, y, width, text, file, kind in BOXES.values():
        shapes.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="50"/>')
        shapes.append(f'<text x="{x + width / 2}" y="{y + 21}">{escape(text)}</text>')
        shapes.append(f'<text class="file" x="{x + width / 2}" y="{y + 40}">{escape(file)}</text>')
    shapes.append('<text class="small" x="85" y="110">h(G^): the same way,</text>')
    shapes.append('<text class="small" x="85" y="127">attributes permuted</text>')
    shapes.append('<text class="small" x="665" y="222">compared in training</text>')
    shapes.append('<text class="small" x="85" y="390">recipe="paper":</text>')
    shapes.append('<text class="small" x="85" y="407">the vector is h(G)</text>')
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    page = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(shapes)}</svg>\n'
    (Path(__file__).parent / "architecture.svg").write_text(page)


if __name__ == "__main__":
    main()
