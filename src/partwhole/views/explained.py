"""Why a run with labels predicts what it predicts: bars for what each part of a graph adds."""

from __future__ import annotations

from dataclasses import dataclass

from partwhole.estimators.labelled import AnyLabelled
from partwhole.graphs.store import GraphStore
from partwhole.parts.explaining import Explanation
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import color_of
from partwhole.views.shown_types import ShownTypes, part_name

MOST_BARS = 8  # of one graph


@dataclass(frozen=True)
class Bar:
    """What one part adds to a prediction."""

    color: str
    name: str  # type and form of the part
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
        bars = bars_of(found)
        drawing = draw_subgraphs(graph[0], types.memberships(graph)[0])
        cards.append(ExplainedCard(drawing, told(found), bars[:MOST_BARS], len(bars[MOST_BARS:])))
    return cards


def bars_of(found: Explanation) -> list[Bar]:
    """A bar for each part, the longest first."""
    longest = max((abs(one.effect) for one in found.effects), default=0.0) or 1.0
    return [
        Bar(
            color_of(one.type),
            f"{one.type}: {part_name(one.form, len(one.nodes))}",
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
    return f"graph {found.id}: {found.target} {found.label} ({percent(found.value)})"


def percent(share: float) -> str:
    """0.996 is not certain, and is not shown as if it were."""
    return f"{int(1000 * share) / 10} %" if 0.99 < share < 1 else f"{share:.0%}".replace("%", " %")


def shown_effect(effect: float, is_share: bool) -> str:
    """With its sign; of a probability in points of per cent."""
    if is_share:
        return "0.0 %" if abs(effect) < 0.0005 else f"{100 * effect:+.1f} %".replace("-", "\N{MINUS SIGN}")
    return f"{effect:+.3g}".replace("-", "\N{MINUS SIGN}")
