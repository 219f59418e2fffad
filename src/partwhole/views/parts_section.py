"""What the report says of parts: the types, some graphs in their colours, what goes with targets and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.labelled import LabelledEstimator
from partwhole.graphs.store import GraphStore
from partwhole.parts.describing import forms_of
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.enriched import EnrichedSection, enriched_sections
from partwhole.views.explained import ExplainedCard, explained_cards
from partwhole.views.halos import color_of
from partwhole.views.shown_types import MOST_NODES, ShownTypes, TypeCard, part_name, type_cards

DRAWINGS = 8
EXPLAINED = 6
OWN = "They were learned from the graphs of the fit, without labels."
NOT_OWN = "The run has no vocabulary of its own; these types are those of the graphs shown here."


@dataclass(frozen=True)
class LegendEntry:
    """Parts of a graph that are of one type and alike."""

    color: str
    text: str


@dataclass(frozen=True)
class GraphCard:
    """A graph in the colours of its parts, and what is written below."""

    svg: str
    text: str
    legend: list[LegendEntry]


@dataclass(frozen=True)
class PartsSection:
    """All that the report says of parts."""

    origin: str  # of the vocabulary
    types: list[TypeCard]
    cards: list[GraphCard]
    enriched: list[EnrichedSection]
    more_targets: int
    explained: list[ExplainedCard]
    target: str  # that is explained


def parts_section(
    estimator: AnyEstimator, types: ShownTypes, store: GraphStore, target: str | None
) -> PartsSection:
    """The section for these graphs; `target` is the one to begin with."""
    enriched, more = enriched_sections(types, store, target)
    chosen = typical_graphs(store)
    explained, name = [], ""
    if isinstance(estimator, LabelledEstimator):
        explained, name = (
            explained_cards(estimator, types, store, chosen[:EXPLAINED]),
            estimator.target_names_[0],
        )
    cards = [_card(types, store, i) for i in chosen]
    origin = OWN if types.own else NOT_OWN
    return PartsSection(origin, type_cards(types), cards, enriched, more, explained, name)


def typical_graphs(store: GraphStore) -> list[int]:
    """A few graphs that can be drawn, spread over the classes and the sizes; classes take turns."""
    nodes = store.num_nodes
    candidates = np.flatnonzero((nodes > 0) & (nodes <= MOST_NODES))
    labels = first_target(store)[1]
    groups = [candidates]
    if labels is not None and labels.dtype.kind != "f" and len(candidates):
        groups = [candidates[labels[candidates] == c] for c in np.unique(labels[candidates])]
    chosen = []
    for group in groups:
        by_size = group[np.argsort(nodes[group], kind="stable")]
        places = np.linspace(0, len(by_size) - 1, max(1, DRAWINGS // len(groups)) + 2)[1:-1]
        chosen.append(np.unique(by_size[places.astype(int)]).tolist() if len(by_size) else [])
    turns = max(map(len, chosen), default=0)
    return [group[k] for k in range(turns) for group in chosen if k < len(group)][:DRAWINGS]


def title_of(store: GraphStore, i: int) -> str:
    """Id, label and size of a graph."""
    name, labels = first_target(store)
    label = "" if labels is None else f", {name} {_short(labels[i])}"
    return f"graph {store.ids[i]}{label}: {store.num_nodes[i]} nodes"


def first_target(store: GraphStore) -> tuple[str, np.ndarray | None]:
    """Its name and values, where every graph has it."""
    return (store.schema.targets[0].name, store.labels) if store.has_labels else ("", None)


def _card(types: ShownTypes, store: GraphStore, i: int) -> GraphCard:
    graph = store[i : i + 1]
    drawing = draw_subgraphs(graph[0], types.memberships(graph)[0])
    return GraphCard(drawing, title_of(store, i), legend_of(types, graph))


def legend_of(types: ShownTypes, graph: GraphStore) -> list[LegendEntry]:
    """The parts of one graph, type by type: what they are, and how many are alike."""
    parts = types.vocabulary.parts_of(graph)
    names = [part_name(form, size) for form, size in zip(forms_of(graph, parts), parts.size.tolist())]
    found = Counter(zip(parts.type.tolist(), names))
    return [
        LegendEntry(color_of(kind), f"{kind}: {name}{f' × {count}' if count > 1 else ''}")
        for (kind, name), count in sorted(found.items())
    ]


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
