"""What the service knows and can tell, without HTTP."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.labelled import LabelledEstimator, predicts_classes
from partwhole.export.neighbors import Neighbors
from partwhole.export.predictions import Predictions, predicted
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.graphs.streaming import concatenate
from partwhole.runs.landmarks import Landmarks
from partwhole.serving.answers import DrawnNeighbor, Neighbor, PredictionParts, ShownGraph
from partwhole.serving.asked_graphs import EmbeddedGraph
from partwhole.serving.limits import Limits
from partwhole.serving.reading import GraphReader
from partwhole.serving.requests import JsonObject
from partwhole.serving.typed_parts import answered_types, explanation_of, parts_of
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.node_link import as_node_link
from partwhole.views.map import MOST_POINTS, MapData, Value, draw, map_data, target_columns
from partwhole.views.plots import plane
from partwhole.views.shown_types import MOST_NODES, ShownTypes

PLACED_BY = 3  # neighbours on the map that a new graph is put between


class Service:
    """A fitted run and the graphs that it is shown with."""

    def __init__(
        self, estimator: AnyEstimator, store: GraphStore, limits: Limits, landmarks: Landmarks | None = None
    ):
        self.estimator, self.store, self.landmarks = estimator, store, landmarks
        self.reader = GraphReader(estimator.schema_, limits)
        self.vectors = estimator.transform(store)
        self.neighbors = Neighbors(self.vectors)
        self.shown = np.linspace(0, len(store) - 1, min(len(store), MOST_POINTS)).astype(int)  # on the map
        self.points = plane(self.vectors[self.shown])
        self.near = Neighbors(self.vectors[self.shown])
        self.types = ShownTypes.of(estimator, store[self.shown])
        self.part_types = answered_types(self.types)
        self.ids = store.ids.tolist()
        self.targets = {column["name"]: column["values"] for column in target_columns(store)}
        self._drawn = lru_cache(maxsize=4096)(lambda i: self._drawing(store[i]))  # graphs of the service

    @property
    def molecules(self) -> bool:
        """Whether graphs can be given as SMILES: atoms and bonds are found by their names."""
        return self.estimator.schema_.chemistry and not needs_coordinates(self.estimator.schema_)

    @property
    def predicts(self) -> bool:
        """Whether the run learned from labels."""
        return isinstance(self.estimator, LabelledEstimator)

    @cached_property
    def target_names(self) -> list[str]:
        """What the run predicts; nothing where it learned without labels."""
        return list(self.estimator.target_names_) if isinstance(self.estimator, LabelledEstimator) else []

    @cached_property
    def classes(self) -> dict[str, list[str]]:
        """The names of the classes of each target; empty where targets are numbers."""
        known = self.estimator.labels() if predicts_classes(self.estimator) else []
        return {name: [str(label) for label in labels] for name, labels in zip(self.target_names, known)}

    @cached_property
    def example(self) -> JsonObject:
        """The smallest graph with an edge, as node-link JSON."""
        sizes = np.where(self.store.num_edges > 0, self.store.num_nodes, np.iinfo(np.int64).max)
        return as_node_link(self.store[int(sizes.argmin())])

    @cached_property
    def map(self) -> MapData:
        """The graphs of the service in the plane, with their drawings; it takes a while the first time."""
        on_map, vectors = self.store[self.shown], self.vectors[self.shown]
        return map_data(self.points, on_map, self.types, self._predicted(on_map).targets, vectors)

    # ---------------------------------------------------------------- answering

    def embed(self, stores: list[GraphStore]) -> list[EmbeddedGraph]:
        """The graphs of several requests, each a store of one, in one pass."""
        together = concatenate(stores)
        vectors, found = self.estimator.transform(together), self._predicted(together)
        _require_finite(found)
        targets = {name: values.tolist() for name, values in found.targets.items()}
        chances = {
            name: {label: found.beside[f"{name}={label}"].tolist() for label in labels}
            for name, labels in self.classes.items()
        }
        return [
            EmbeddedGraph(
                store[0],
                vectors[k],
                {name: values[k] for name, values in targets.items()},
                {name: {label: p[k] for label, p in shares.items()} for name, shares in chances.items()},
            )
            for k, store in enumerate(stores)
        ]

    def closest(self, graphs: list[EmbeddedGraph], k: int) -> list[list[Neighbor]]:
        """The k graphs of the service that are closest to each, the closest first."""
        found, places = self.neighbors.search(self._vectors(graphs), k)
        return [
            [
                Neighbor(index=i, id=self.ids[i], cosine=round(value, 4), targets=self._known(i))
                for value, i in zip(values, rows)
            ]
            for values, rows in zip(found.tolist(), places.tolist())
        ]

    def look(self, graphs: list[EmbeddedGraph], k: int) -> list[ShownGraph]:
        """What the page shows of each graph, with its k closest."""
        places, far = self._places(graphs), self._far(graphs)
        return [
            ShownGraph(
                id=one.id,
                drawing=self._drawing(one.graph),
                parts=parts_of(self.types, one.graph),
                far=far[i],
                place=(float(places[i][0]), float(places[i][1])),
                predicted=one.predictions(),
                explanation=self._explanation(one),
                neighbors=[DrawnNeighbor(**dict(n), drawing=self._drawn(n.index)) for n in closest],
            )
            for i, (one, closest) in enumerate(zip(graphs, self.closest(graphs, k)))
        ]

    def _vectors(self, graphs: list[EmbeddedGraph]) -> np.ndarray:
        """[graphs, width]"""
        return np.array([one.vector for one in graphs], np.float32).reshape(-1, self.vectors.shape[1])

    def _known(self, i: int) -> dict[str, Value]:
        """The targets of graph i that are known."""
        return {name: values[i] for name, values in self.targets.items() if values[i] is not None}

    def _places(self, graphs: list[EmbeddedGraph]) -> np.ndarray:
        """[graphs, 2] on the map: between the closest that are on it. t-SNE has no place for new graphs."""
        found, rows = self.near.search(self._vectors(graphs), PLACED_BY)
        weight = np.maximum(found, 0) ** 8 + 1e-9  # the closest has most of it
        return (self.points[rows] * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1, keepdims=True)

    def _drawing(self, graph: Graph) -> str | None:
        """None where a drawing could not be read."""
        if not 0 < graph.num_nodes <= MOST_NODES:
            return None
        store = GraphStore.from_graphs([graph])
        return draw(graph, None if self.types is None else self.types.memberships(store)[0])

    def _explanation(self, one: EmbeddedGraph) -> PredictionParts | None:
        """Why the most notable target is predicted as it is."""
        predicted = one.predictions()
        if not isinstance(self.estimator, LabelledEstimator) or not predicted:
            return None
        return explanation_of(self.estimator, self.types, one.graph, predicted[0].target)

    def _far(self, graphs: list[EmbeddedGraph]) -> list[bool] | list[None]:
        """Whether each graph is unlike those of the fit; None where the run cannot tell."""
        if self.landmarks is None:
            return [None] * len(graphs)
        sizes = np.array([one.graph.num_nodes for one in graphs], dtype=np.int64)
        far: list[bool] = self.landmarks.far(self._vectors(graphs), sizes).tolist()
        return far

    def _predicted(self, store: GraphStore) -> Predictions:
        if not isinstance(self.estimator, LabelledEstimator):  # it does not predict
            return Predictions({}, {})
        return predicted(self.estimator, store)


def _require_finite(found: Predictions) -> None:
    """Vectors may be finite where what follows from them is not."""
    for values in [*found.targets.values(), *found.beside.values()]:
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise PartwholeError(
                "The prediction for the graph is not finite: its attributes are too large; scale them down, "
                "or leave the graph out."
            )
