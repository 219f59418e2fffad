"""The graphs of a request when they have been through the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.serving.answers import GraphProblem, Prediction, UnansweredGraph
from partwhole.views.map import Value

V = TypeVar("V")


@dataclass(frozen=True)
class EmbeddedGraph:
    """A graph, its vector, and what the run predicts for it."""

    graph: Graph
    vector: np.ndarray  # [width]
    targets: dict[str, Value]  # predicted; empty where the run predicts nothing
    chances: dict[str, dict[str, float]]  # of targets with classes: each class, its probability

    @property
    def id(self) -> str:
        """What the request calls the graph."""
        return str(self.graph.id)

    def predictions(self) -> list[Prediction]:
        """What is predicted, the most notable first: of two classes the second (yes, 1, active) is the one
        to see, of more the likeliest; numbers stay in their order."""
        found = []
        for name, value in self.targets.items():
            shares = self.chances.get(name, {})
            likeliest = max(shares.values(), default=None)
            notable = list(shares.values())[-1] if len(shares) == 2 else likeliest or 0.0
            prediction = Prediction(target=name, value=value, probability=likeliest, probabilities=shares)
            found.append((notable, prediction))
        return [prediction for _, prediction in sorted(found, key=lambda pair: -pair[0])]


@dataclass(frozen=True)
class AskedGraphs:
    """All graphs of a request, in its order."""

    graphs: Sequence[EmbeddedGraph | UnansweredGraph]

    @property
    def ids(self) -> list[str]:
        """What each is called, whether it has an answer or not."""
        return [graph.id for graph in self.graphs]

    @property
    def embedded(self) -> list[EmbeddedGraph]:
        """Those that have an answer."""
        return [graph for graph in self.graphs if isinstance(graph, EmbeddedGraph)]

    @property
    def problems(self) -> list[GraphProblem]:
        """Those that have none, by their places in the request."""
        places = enumerate(self.graphs)
        return [
            GraphProblem(graph=k, reason=graph.reason)
            for k, graph in places
            if isinstance(graph, UnansweredGraph)
        ]

    def in_place(self, values: Iterable[V]) -> list[V | None]:
        """One value for each graph, of `values` for each that is embedded; None for the others."""
        rest = iter(values)
        return [next(rest) if isinstance(graph, EmbeddedGraph) else None for graph in self.graphs]
