"""Draw docs/speed.svg from results.json: how far each figure is beyond its bound."""

from __future__ import annotations

import json
from pathlib import Path

from run import BOUNDS, RESULTS

BLUE, RED, GREY = "#0072B2", "#D55E00", "#7b8794"
LEFT, WIDTH, ROW = 190, 420, 30
MOST = 4.0  # times the bound that still fits


def main() -> None:
    figures = json.loads(RESULTS.read_text())["figures"]
    rows = [name for name, (bound, _) in BOUNDS.items() if name in figures and bound is not None]
    height = ROW * len(rows) + 60
    shapes = [f'<rect width="820" height="{height}" fill="#fff"/>']
    one = LEFT + WIDTH / MOST
    shapes.append(f'<text x="{one}" y="22" text-anchor="middle" fill="{GREY}">bound</text>')
    for k, name in enumerate(rows):
        bound, side = BOUNDS[name]
        value = figures[name]
        beyond = value / bound if side == "at least" else bound / value
        y, length = 34 + ROW * k, WIDTH * min(beyond, MOST) / MOST
        color = BLUE if beyond >= 1 else RED
        unit = {"reddit-multi-5k-peak": " GiB", "start": " s"}.get(name, "x" if side == "at least" else "")
        text = f"{value:.3g}{unit} ({side} {bound:g})"
        shapes.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{name}</text>')
        shapes.append(f'<rect x="{LEFT}" y="{y}" width="{length:.0f}" height="20" rx="3" fill="{color}"/>')
        shapes.append(f'<text x="{LEFT + length + 8:.0f}" y="{y + 15}">{text}</text>')
    shapes.append(
        f'<line x1="{one}" x2="{one}" y1="28" y2="{height - 24}" stroke="{GREY}" stroke-dasharray="4 3"/>'
    )
    style = "<style>text { font: 13px system-ui, sans-serif; fill: #1d2733; }</style>"
    page = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {height}">{style}{"".join(shapes)}</svg>\n'
    )
    (Path(__file__).parents[1] / "docs" / "speed.svg").write_text(page)


if __name__ == "__main__":
    main()
