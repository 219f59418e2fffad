"""The map of the graphs as data for `map.js`: places, columns to colour by, and a drawing of each graph."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping
from typing import TypedDict

import numpy as np

from partwhole.estimators.base import AnyEstimator
from partwhole.export.groups import cluster_graphs, outlier_scores
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.views.drawing import draw_subgraphs
from partwhole.views.halos import COLORS, color_of
from partwhole.views.shown_types import MOST_NODES, ShownTypes

MOST_POINTS = 5000
MOST_DRAWN = {True: 2000, False: 300}  # molecules, other graphs: these take longer to lay out


Value = str | int | float | bool | None  # of a target; None where it is not known


class MapColumn(TypedDict):
    """What the graphs of a map can be coloured by."""

    name: str
    numeric: bool
    values: list[Value]  # [n]


class MapParts(TypedDict):
    """The types of parts that graphs of a map are drawn with."""

    names: list[str]
    colors: list[str]
    counts: list[list[int]]  # of each graph: parts of each type


class MapData(TypedDict):
    """What `map.js` draws: n graphs."""

    x: list[float]
    y: list[float]
    ids: list[str]
    columns: list[MapColumn]
    colors: list[str]  # of classes
    parts: MapParts | None
    drawings: str  # `packed` list of SVG, null where there is none


def map_data(
    points: np.ndarray,
    store: GraphStore,
    types: ShownTypes | None,
    predicted: Mapping[str, np.ndarray],
    vectors: np.ndarray | None = None,
) -> MapData:
    """The map of graphs at `points` [n, 2]. With `types`, nodes have the colours of the types of their parts;
    with `vectors`, graphs can have the colours of their clusters."""
    ours = [
        _column(f"{name}, predicted", values, values.dtype.kind == "f") for name, values in predicted.items()
    ]
    return {
        "x": _rounded(points[:, 0]),
        "y": _rounded(points[:, 1]),
        "ids": [str(name) for name in store.ids],
        "columns": [*ours, *target_columns(store), *_groups(vectors), *_sizes(store)],
        "colors": list(COLORS),
        "parts": None if types is None else _parts(types, store),
        "drawings": packed(_drawings(store, None if types is None else types.memberships(store))),
    }


def memberships_of(estimator: AnyEstimator, store: GraphStore) -> list[np.ndarray] | None:
    """Memberships [S, nodes], one for each graph; None if the model learned no subgraphs."""
    if not estimator.learns_subgraphs():
        return None
    return estimator.all_subgraphs(store)


def script_json(content: object) -> str:
    """JSON that can stand in a script element of a page."""
    return json.dumps(content).replace("<", "\\u003c")


def packed(content: object) -> str:
    """JSON, compressed by gzip, in base64; the same content gives the same text."""
    return base64.b64encode(gzip.compress(json.dumps(content).encode(), mtime=0)).decode()


def part_sizes(membership: np.ndarray) -> list[float]:
    """Nodes in each part of a graph [S, n]; not whole numbers where nodes are shared out."""
    return [float(f"{size:.4g}") for size in membership.sum(axis=1)]


def draw(graph: Graph, membership: np.ndarray | None) -> str:
    """The drawing of a graph as SVG, with halos by `membership` [S, n], or without any."""
    return draw_subgraphs(graph, np.zeros((1, graph.num_nodes)) if membership is None else membership)


def target_columns(store: GraphStore) -> list[MapColumn]:
    """The targets that come with the graphs, in the order of the schema."""
    columns = store.schema.targets
    return [_column(c.name, store.target(c.name), not c.is_categorical) for c in columns]


def _parts(types: ShownTypes, store: GraphStore) -> MapParts:
    colors = [color_of(kind) for kind in range(types.vocabulary.number)]
    return {"names": types.names, "colors": colors, "counts": types.vocabulary.counts(store).tolist()}


def _groups(vectors: np.ndarray | None) -> list[MapColumn]:
    """What the vectors tell about the graphs among each other."""
    if vectors is None:
        return []
    clusters = cluster_graphs(vectors, most=len(COLORS))  # each has a colour of its own
    scores = outlier_scores(vectors).scores.round(3)
    return [_column("cluster", clusters.labels, False), _column("outlier score", scores, True)]


def _sizes(store: GraphStore) -> list[MapColumn]:
    counts = {"nodes": store.num_nodes, "edges": store.num_edges}
    return [_column(name, values, True) for name, values in counts.items()]


def _column(name: str, values: np.ndarray, numeric: bool) -> MapColumn:
    known = [None if isinstance(v, float) and not math.isfinite(v) else v for v in values.tolist()]
    return {"name": name, "numeric": numeric, "values": known}


def _drawings(store: GraphStore, memberships: list[np.ndarray] | None) -> list[str | None]:
    """One for each graph; None for those too large, or too many, to be drawn."""
    nodes = store.num_nodes
    small = np.flatnonzero((nodes > 0) & (nodes <= MOST_NODES))
    most = MOST_DRAWN[store.schema.chemistry]
    chosen = set(small[np.linspace(0, len(small) - 1, min(most, len(small))).astype(int)].tolist())
    return [
        draw(store[i], memberships[i] if memberships else None) if i in chosen else None
        for i in range(len(store))
    ]


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 3) for value in values]
