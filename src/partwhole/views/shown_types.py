"""The types of parts as pages show them: each with a colour, a name, and drawings of typical parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from partwhole.estimators.base import AnyEstimator
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.parts.describing import SHAPES, TypeDescription, describe
from partwhole.parts.induced import induced
from partwhole.parts.names import name_of
from partwhole.parts.vocabulary import Parts, Vocabulary
from partwhole.structure.base import adjacency
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import color_of

DRAWN_EXAMPLES = 3  # of each type
LONGEST_LABEL = 34  # letters
MOST_AROUND = 60  # nodes of a piece of a network that is drawn with its neighbours
MOST_NODES = 120  # of a drawing that can still be read


@dataclass(frozen=True)
class ShownTypes:
    """A vocabulary, and what it looks like in the graphs of a page."""

    vocabulary: Vocabulary
    store: GraphStore
    parts: Parts
    told: list[TypeDescription]
    own: bool  # whether the run has learned it; otherwise it is that of the graphs of the page

    @classmethod
    def of(cls, estimator: AnyEstimator, store: GraphStore) -> ShownTypes | None:
        """By the vocabulary of the run, or of the graphs if it has none; None if these have no nodes."""
        if not store.num_nodes.any():
            return None
        own = estimator.vocabulary_
        vocabulary = Vocabulary.of(store) if own is None else own
        parts = vocabulary.parts_of(store)
        return cls(vocabulary, store, parts, describe(vocabulary, store, parts), own is not None)

    @property
    def names(self) -> list[str]:
        """Number and label of each type, short enough for a line."""
        return [f"{t.type}: {cut(t.label)}" for t in self.told]

    @property
    def by_frequency(self) -> list[TypeDescription]:
        """The types that the graphs have, the most frequent first."""
        return sorted((t for t in self.told if t.parts), key=lambda t: -t.parts)

    def memberships(self, store: GraphStore) -> list[np.ndarray]:
        """[types, nodes] of each graph: 1 where a node is of the type."""
        flags = np.eye(self.vocabulary.number)[:, self.vocabulary.types_of(store)]
        return np.split(flags, store.node_ptr[1:-1], axis=1)

    def drawings(self, kind: int) -> list[str]:
        """Typical parts of a type: in their molecules, or as pieces of networks among their neighbours."""
        return list(self._drawn(kind))[:DRAWN_EXAMPLES]

    def _drawn(self, kind: int) -> Iterator[str]:
        for part in self.told[kind].examples:
            i = int(self.parts.graph[part])
            held = self.parts.part_of_node[self.store.node_ptr[i] : self.store.node_ptr[i + 1]] == part
            graph, held = self._surroundings(self.store[i : i + 1], held)
            if graph.num_nodes <= MOST_NODES:
                yield draw_subgraphs(graph, np.eye(self.vocabulary.number)[:, [kind]] * held, focus=held)

    def _surroundings(self, graph: GraphStore, held: np.ndarray) -> tuple[Graph, np.ndarray]:
        """What is drawn around the nodes of a part [n], and which nodes of it these are."""
        if graph.schema.chemistry:
            return graph[0], held
        near = held | (adjacency(graph) @ held > 0)
        shown = near if near.sum() <= MOST_AROUND else held
        return induced(graph, np.where(shown, 0, -1), 1, graph.name)[0], held[shown]


@dataclass(frozen=True)
class TypeCard:
    """A type in the legend of a page."""

    type: int
    color: str
    name: str
    facts: str
    forms: str
    drawings: list[str]


def type_cards(types: ShownTypes) -> list[TypeCard]:
    """The legend, the most frequent type first."""
    return [
        TypeCard(
            t.type,
            color_of(t.type),
            types.names[t.type],
            f"{t.parts:,} part{'s' * (t.parts != 1)} in {t.graphs:.0%} of the graphs, {size_of(t)}, "
            f"{t.nodes:.0%} of all nodes",
            ", ".join(f"{form} {share:.0%}" for form, share in t.forms.items()),
            types.drawings(t.type),
        )
        for t in types.by_frequency
    ]


def size_of(told: TypeDescription) -> str:
    """The mean size in words."""
    return "1 node each" if told.mean_size == 1 else f"{told.mean_size:.1f} nodes on average"


def part_name(form: str, nodes: int) -> str:
    """What one part is called: by its fragment, or by its shape and size."""
    shape = form in SHAPES and nodes > 2
    return f"{form}, {nodes} nodes" if shape else cut(name_of(form))


def cut(label: str) -> str:
    """Short enough for a line."""
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
