"""What the service knows and can tell, without HTTP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.labelled import LabelledEstimator, predicts_classes
from partwhole.export.neighbors import Neighbors
from partwhole.export.predictions import predicted
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.graphs.streaming import concatenate
from partwhole.runs.landmarks import Landmarks
from partwhole.serving.limits import Limits
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.loading import read_graphs
from partwhole.sources.node_link import as_node_link, node_link
from partwhole.sources.reading import Reading
from partwhole.views.halos import color_of
from partwhole.views.map import (
    MOST_NODES,
    MOST_POINTS,
    draw,
    map_data,
    memberships_of,
    part_sizes,
    target_columns,
)
from partwhole.views.plots import plane

PLACED_BY = 3  # neighbours on the map that a new graph is put between


@dataclass(frozen=True)
class Embedded:
    """What one pass over the graphs of a request gives."""

    vectors: np.ndarray  # [graphs, width]
    targets: dict[str, list[Any]]  # predicted; empty where the run predicts nothing
    chances: dict[str, dict[str, list[float]]]  # of targets with classes: each class, its probabilities

    def part(self, start: int, end: int) -> Embedded:
        return Embedded(
            self.vectors[start:end],
            {name: values[start:end] for name, values in self.targets.items()},
            {name: {c: p[start:end] for c, p in of.items()} for name, of in self.chances.items()},
        )

    def predictions(self, i: int) -> list[dict[str, Any]]:
        """Of graph i, the most notable first: of two classes the second (yes, 1, active) is the one to see,
        of more the likeliest; numbers stay in their order."""
        found = []
        for name, values in self.targets.items():
            shares = {label: p[i] for label, p in self.chances.get(name, {}).items()}
            likeliest = max(shares.values(), default=None)
            about = {"target": name, "value": values[i], "probability": likeliest, "probabilities": shares}
            notable = list(shares.values())[-1] if len(shares) == 2 else likeliest or 0.0
            found.append((notable, about))
        return [about for _, about in sorted(found, key=lambda pair: -pair[0])]


class Service:
    """A fitted run and the graphs that it is shown with."""

    def __init__(
        self, estimator: AnyEstimator, store: GraphStore, limits: Limits, landmarks: Landmarks | None = None
    ):
        self.estimator, self.limits, self.landmarks = estimator, limits, landmarks
        self.store = store
        self.vectors = estimator.transform(store)
        self.neighbors = Neighbors(self.vectors)
        self.shown = np.linspace(0, len(store) - 1, min(len(store), MOST_POINTS)).astype(int)  # on the map
        self.points = plane(self.vectors[self.shown])
        self.near = Neighbors(self.vectors[self.shown])
        self.ids = store.ids.tolist()
        self.targets = {column["name"]: column["values"] for column in target_columns(store)}
        self.drawn = lru_cache(maxsize=4096)(lambda i: self.drawing(store[i]))  # graphs of the service

    @property
    def molecules(self) -> bool:
        """Whether graphs can be given as SMILES: atoms and bonds are found by their names."""
        return self.estimator.schema_.chemistry and not needs_coordinates(self.estimator.schema_)

    @property
    def predicts(self) -> bool:
        return isinstance(self.estimator, LabelledEstimator)

    @cached_property
    def example(self) -> dict[str, Any]:
        """The smallest graph with an edge, as node-link JSON."""
        sizes = np.where(self.store.num_edges > 0, self.store.num_nodes, np.iinfo(np.int64).max)
        return as_node_link(self.store[int(sizes.argmin())])

    @cached_property
    def map(self) -> dict[str, Any]:
        part = self.store[self.shown]
        found = {name: np.array(values) for name, values in self._predicted(part)[0].items()}
        vectors = self.vectors[self.shown]
        return map_data(self.points, part, memberships_of(self.estimator, part), found, vectors)

    # ---------------------------------------------------------------- reading

    def reading(self) -> Reading:
        """What is refused before it is read."""
        most = self.limits
        return Reading(
            self.estimator.schema_,
            offers_fallback=False,
            most_graphs=most.graphs,
            most_nodes=most.nodes,
            most_edges=most.edges,
        )

    def read_smiles(self, smiles: list[str]) -> GraphStore:
        return read_graphs(smiles, self.reading())

    def read_node_link(self, graphs: list[dict[str, Any]]) -> GraphStore:
        """Graphs as node-link JSON."""
        found = []
        for k, content in enumerate(graphs):
            try:
                found.append(node_link(content))
            except (PartwholeError, KeyError, TypeError, ValueError) as reason:
                raise PartwholeError(f"Graph {k} cannot be read: {reason}; correct it.") from None
        return read_graphs(found, self.reading())

    # ---------------------------------------------------------------- answering

    def embed(self, stores: list[GraphStore]) -> list[Embedded]:
        """All graphs of several requests in one pass."""
        bare = [_without_targets(store) for store in stores]
        together = concatenate(bare)
        found = Embedded(self.estimator.transform(together), *self._predicted(together))
        if not np.isfinite(found.vectors).all():
            raise PartwholeError("A number of these graphs is too large for the model; correct it.")
        ends = np.cumsum([len(store) for store in stores]).tolist()
        return [found.part(end - len(store), end) for store, end in zip(stores, ends)]

    def closest(self, vectors: np.ndarray, k: int) -> list[list[dict[str, Any]]]:
        found, places = self.neighbors.search(vectors, k)
        return [
            [
                {"index": i, "id": self.ids[i], "cosine": round(value, 4), "targets": self._known(i)}
                for value, i in zip(values, rows)
            ]
            for values, rows in zip(found.tolist(), places.tolist())
        ]

    def _known(self, i: int) -> dict[str, Any]:
        """The targets of graph i that are known."""
        return {name: values[i] for name, values in self.targets.items() if values[i] is not None}

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """[graphs, 2] on the map: between the closest that are on it. t-SNE has no place for new graphs."""
        found, rows = self.near.search(vectors, PLACED_BY)
        weight = np.maximum(found, 0) ** 8 + 1e-9  # the closest has most of it
        return (self.points[rows] * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1, keepdims=True)

    def drawing(self, graph: Graph) -> str | None:
        """None where a drawing could not be read."""
        if not 0 < graph.num_nodes <= MOST_NODES:
            return None
        return draw(graph, self._membership(graph))

    def parts(self, graph: Graph) -> list[tuple[str, float]]:
        """Colour and nodes of each of its subgraphs, as they are drawn."""
        membership = self._membership(graph) if graph.num_nodes else None
        sizes = [] if membership is None else part_sizes(membership)
        return [(color_of(k), size) for k, size in enumerate(sizes)]

    def _membership(self, graph: Graph) -> np.ndarray | None:
        memberships = memberships_of(self.estimator, GraphStore.from_graphs([graph]))
        return memberships[0] if memberships else None

    def far(self, vectors: np.ndarray, store: GraphStore) -> list[bool] | None:
        """Whether each graph is unlike those of the fit; None where the run cannot tell."""
        if self.landmarks is None:
            return None
        far: list[bool] = self.landmarks.far(vectors, store.num_nodes).tolist()
        return far

    def _predicted(self, store: GraphStore) -> tuple[dict[str, list[Any]], dict[str, dict[str, list[float]]]]:
        """Values, and of classes the probabilities."""
        if not isinstance(self.estimator, LabelledEstimator):  # it does not predict
            return {}, {}
        found = predicted(self.estimator, store)
        labels = self.estimator.labels() if predicts_classes(self.estimator) else []
        chances = {
            name: {str(label): found.chances[f"{name}={label}"].tolist() for label in known}
            for name, known in zip(self.estimator.target_names_, labels)
        }
        return {name: values.tolist() for name, values in found.targets.items()}, chances


def _without_targets(store: GraphStore) -> GraphStore:
    schema = replace(store.schema, targets=())
    ids = np.array([str(name) for name in store.ids])
    return replace(store, schema=schema, targets=np.zeros((len(store), 0)), ids=ids)
