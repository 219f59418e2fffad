"""Why a run with labels predicts what it predicts: bars for what each part of a graph adds."""

from __future__ import annotations

from dataclasses import dataclass

from partwhole.estimators.labelled import AnyLabelled
from partwhole.graphs.store import GraphStore
from partwhole.parts.explaining import Explanation
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import color_of
from partwhole.views.shown_types import ShownTypes

MOST_BARS = 8  # of one graph


@dataclass(frozen=True)
class Bar:
    """What one part adds to a prediction."""

    color: str
    name: str
    size: int  # nodes
    effect: str
    width: float  # in per cent of the longest bar
    positive: bool


@dataclass(frozen=True)
class ExplainedCard:
    """A graph in the colours of its parts, and what each of them adds to its prediction."""

    svg: str
    text: str
    bars: list[Bar]
    more: int  # parts with less effect


def explained_cards(
    estimator: AnyLabelled, types: ShownTypes, store: GraphStore, chosen: list[int]
) -> list[ExplainedCard]:
    """The first target of some graphs of a store."""
    cards = []
    for i in chosen:
        graph = store[i : i + 1]
        found = estimator.explain(graph, vocabulary=types.vocabulary)
        bars = bars_of(found, types.names)
        drawing = draw_subgraphs(graph[0], types.memberships(graph)[0])
        cards.append(ExplainedCard(drawing, told(found), bars[:MOST_BARS], len(bars[MOST_BARS:])))
    return cards


def bars_of(found: Explanation, names: list[str]) -> list[Bar]:
    """A bar for each part, the longest first."""
    longest = max((abs(one.effect) for one in found.effects), default=0.0) or 1.0
    return [
        Bar(
            color_of(one.type),
            names[one.type],
            len(one.nodes),
            shown_effect(one.effect, found.label is not None),
            round(100 * abs(one.effect) / longest, 1),
            one.effect >= 0,
        )
        for one in found.effects
    ]


def told(found: Explanation) -> str:
    """The prediction in a line."""
    if found.label is None:
        return f"graph {found.id}: {found.target} {found.value:.3g}".replace(" -", " \N{MINUS SIGN}")
    return f"graph {found.id}: {found.target} {found.label} ({found.value:.0%})"


def shown_effect(effect: float, is_share: bool) -> str:
    """With its sign; of a probability in points of per cent."""
    text = f"{100 * effect:+.1f} %" if is_share else f"{effect:+.3g}"
    return text.replace("-", "\N{MINUS SIGN}")
