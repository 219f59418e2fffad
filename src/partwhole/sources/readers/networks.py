"""Lists of networkx graphs, with whatever attributes their nodes and edges carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.graphs.values import as_ids, plain
from partwhole.registry import SOURCES
from partwhole.sources.attributes import by_name, encode
from partwhole.sources.base import Source, all_of
from partwhole.sources.reading import Reading
from partwhole.sources.target_columns import with_targets

LABELS = ("label", "y")  # of the attributes of a graph, those that name its class; they come first
NO_TARGETS = ("id", "name", "node_default", "edge_default")  # of the attributes of a graph


def read_networkx(data: Iterable[object], reading: Reading, ids: Sequence[str] | None = None) -> GraphStore:
    """Read networkx graphs. Nodes may be named by anything; directed edges are read as undirected."""
    graphs: list[nx.Graph] = []
    for i, graph in enumerate(data):
        if not isinstance(graph, nx.Graph):
            raise PartwholeError(f"Graph {i} is a {type(graph).__name__}, not a networkx graph.")
        graphs.append(graph)
    if directed := sum(graph.is_directed() for graph in graphs):
        reading.note(f"{directed} of {len(graphs)} graphs are directed; their edges are read as undirected.")
    counts, edges, node_rows, edge_rows = [], [], [], []
    offset = 0
    reading.require_few(len(graphs))
    for i, graph in enumerate(graphs):
        reading.require_small(f"graph {i}", graph.number_of_nodes(), graph.number_of_edges())
        number = {node: offset + k for k, node in enumerate(graph.nodes)}
        counts.append(len(number))
        node_rows += [_plain(attributes) for _, attributes in graph.nodes(data=True)]
        for a, b, attributes in graph.edges(data=True):
            edges.append((number[a], number[b]))
            edge_rows.append(_plain(attributes))
        offset += len(number)
    node, node_codes, node_values = encode(by_name(node_rows, "node", reading), "node", reading)
    edge, edge_codes, edge_values = encode(by_name(edge_rows, "edge", reading), "edge", reading)
    given = [str(g.graph.get("id", g.name or i)) for i, g in enumerate(graphs)]
    store = GraphStore.from_arrays(
        np.array(counts, dtype=np.int64),
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        schema=Schema(node, edge),
        node_codes=node_codes,
        node_values=node_values,
        edge_codes=edge_codes,
        edge_values=edge_values,
        ids=as_ids(given if ids is None else ids),
    )
    return with_targets(store, _targets(graphs), reading, classes=LABELS)


def _plain(attributes: dict[Any, Any]) -> dict[Any, Any]:
    return {name: plain(value) for name, value in attributes.items()}


def _targets(graphs: list[nx.Graph]) -> dict[str, list[Any]]:
    """The attributes of the graphs themselves, row by row."""
    rows = [_plain(graph.graph) for graph in graphs]
    given = {name for row in rows for name in row if name not in NO_TARGETS}
    names = [*(name for name in LABELS if name in given), *sorted(given - set(LABELS), key=str)]
    return {str(name): [row.get(name) for row in rows] for name in names}


@SOURCES.register
class NetworkxSource(Source[Iterable[object]]):
    """Networks in memory."""

    reads = "a list of networkx graphs"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether the first item is a networkx graph."""
        return all_of(data, lambda item: isinstance(item, nx.Graph))

    @staticmethod
    def read(data: Iterable[object], reading: Reading) -> GraphStore:
        """Read all graphs; attributes of a graph itself are targets."""
        return read_networkx(data, reading)
