"""A table of accuracies as a picture: each protocol a mark, and published figures beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from partwhole.reproduce.accuracy_sheet import Line
from partwhole.reproduce.statistics import Summary, summarise
from partwhole.reproduce.tables import Table

MARKS = {"untrained": "#7b8794", "label-free": "#0072B2", "paper": "#E69F00", "authors": "#D55E00"}
INK, PALE = "#1d2733", "#e4e7eb"
LEFT, WIDTH, ROW, RIGHT = 280, 520, 26, 40


def picture(table: Table, known: Mapping[tuple[str, str], Line]) -> str:
    """Draw the table as SVG: one scale for each data set, one line for each method, whiskers of one standard
    deviation."""
    shapes, y = [_legend(table)], 44
    for dataset in table.datasets:
        shown = [(row, known[dataset, row.name]) for row in table.rows if (dataset, row.name) in known]
        if not shown:
            continue
        figures = {row.name: _figures(table, line) for row, line in shown}
        printed = {row.name: table.published.get(row.name, {}).get(dataset) for row, _ in shown}
        published = {name: Summary(*pair, 0) for name, pair in printed.items() if pair}
        everything = [*published.values(), *(s for of in figures.values() for s in of.values())]
        low = math.floor(min(s.mean - _spread(s) for s in everything) / 2) * 2
        high = max(low + 2, math.ceil(max(s.mean + _spread(s) for s in everything) / 2) * 2)

        def x(value: float, low: float = low, high: float = high) -> float:
            return LEFT + WIDTH * (value - low) / (high - low)

        height = ROW * len(shown)
        shapes.append(f'<text x="12" y="{y + 17}" font-weight="600">{dataset}</text>')
        step = next(s for s in (1, 2, 5, 10, 20) if (high - low) / s <= 8)
        for tick in range(math.ceil(low / step) * step, high + 1, step):
            at = x(tick)
            shapes.append(f'<path d="M{at:.1f} {y} V{y + height}" stroke="{PALE}"/>')
            shapes.append(f'<text x="{at:.1f}" y="{y + height + 13}" class="tick">{tick}</text>')
        for k, (row, _) in enumerate(shown):
            middle = y + ROW * k + ROW / 2
            shapes.append(f'<text x="{LEFT - 12}" y="{middle + 4}" text-anchor="end">{row.label}</text>')
            if theirs := published.get(row.name):
                gap = _spread(theirs)
                shapes.append(_whisker(x(theirs.mean - gap), x(theirs.mean + gap), middle, INK))
                shapes.append(_diamond(x(theirs.mean), middle))
            for name, summary in figures[row.name].items():
                gap = _spread(summary)
                shapes.append(_whisker(x(summary.mean - gap), x(summary.mean + gap), middle, MARKS[name]))
                tip = f"<title>{name}: {summary.mean:.1f}</title>"
                place = f'cx="{x(summary.mean):.1f}" cy="{middle}" r="5"'
                shapes.append(f'<circle {place} fill="{MARKS[name]}" stroke="#fff">{tip}</circle>')
        y += height + 30
    style = f"text {{ font: 13px system-ui, sans-serif; fill: {INK}; }}"
    style += " .tick { font-size: 11px; fill: #7b8794; text-anchor: middle; }"
    background = '<rect width="100%" height="100%" fill="#fff"/>'
    size = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {y}"'
    content = f"<style>{style}</style>{background}{''.join(shapes)}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{content}</svg>\n'


def _figures(table: Table, line: Line) -> dict[str, Summary]:
    return {name: summarise(line.accuracies(name)) for name in table.protocols if name in line.choices}


def _spread(summary: Summary) -> float:
    return 0.0 if math.isnan(summary.std) else summary.std


def _legend(table: Table) -> str:
    shapes, at = [], LEFT
    for name in table.protocols:
        shapes.append(
            f'<circle cx="{at}" cy="20" r="5" fill="{MARKS[name]}"/><text x="{at + 10}" y="24">{name}</text>'
        )
        at += 40 + 7 * len(name)
    if table.published:
        shapes.append(f'{_diamond(at, 20)}<text x="{at + 12}" y="24">published</text>')
    return f'<text x="12" y="24">accuracy in percent</text>{"".join(shapes)}'


def _diamond(x: float, y: float) -> str:
    return f'<path d="M{x:.1f} {y - 7} l7 7 l-7 7 l-7 -7 z" fill="{INK}"/>'


def _whisker(start: float, end: float, y: float, color: str) -> str:
    return f'<path d="M{start:.1f} {y} H{end:.1f}" stroke="{color}" stroke-width="2" opacity="0.5"/>'
