"""The parts of a graph as coloured halos under its nodes and edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

# Okabe & Ito's palette, which colour-blind readers can tell apart; the last is not black, for dark pages.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#A0307A")
# With 16 types of parts: as far from those above and from each other as can be, on light and on dark pages.
MORE_COLORS = ("#62B100", "#7662EB", "#00FFB1", "#B12700", "#767662", "#EBB1FF", "#007600", "#9DC489")
PART_COLORS = (*COLORS, *MORE_COLORS)
LEAST = 0.1  # the share of a node from which on it is drawn as held
NODE, EDGE = 0.72, 0.42  # widths in lengths of a bond


def color_of(part: int) -> str:
    """The colour of a subgraph or a type of parts, counted from 0; after the last colour comes the first."""
    return PART_COLORS[part % len(PART_COLORS)]


def halos(points: np.ndarray, pairs: np.ndarray, membership: np.ndarray, unit: float) -> str:
    """A disc for every node that a part holds [S, n], a band for every edge inside one. Where several parts
    hold a node, their discs lie in each other as rings, as broad as their shares; bands likewise."""
    # By what they are drawn in: bands below discs, wide below narrow.
    marks: dict[tuple[bool, int, int, int], list[str]] = defaultdict(list)  # disc?, level, -width, part
    places, held = np.round(points).astype(int).tolist(), membership.T.tolist()
    for a, b in pairs.tolist():
        for level, part, share in nested([min(of_both) for of_both in zip(held[a], held[b])]):
            mark = "M{},{}L{},{}".format(*places[a], *places[b])
            marks[False, level, -round(EDGE * unit * share), part].append(mark)
    for (x, y), shares in zip(places, held):
        for level, part, share in nested(shares):
            marks[True, level, -round(NODE * unit * share), part].append(f"M{x},{y}h0")
    if not marks:
        return ""
    strokes = "".join(
        f'<path stroke="{color_of(part)}" stroke-width="{-width}" d="{"".join(drawn)}"/>'
        for (_, _, width, part), drawn in sorted(marks.items())
    )
    return f'<g class="parts" opacity=".5">{strokes}</g>'  # opaque inside, so that colours never mix


def nested(shares: list[float]) -> Iterator[tuple[int, int, float]]:
    """(level, part, width) of the rings around one node, the outermost first; its width is 1."""
    held = [(part, share) for part, share in enumerate(shares) if share >= LEAST]
    total = left = sum(share for _, share in held)
    for level, (part, share) in enumerate(held):
        yield level, part, left / total
        left -= share
