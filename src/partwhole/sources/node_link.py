"""Graphs as node-link JSON, and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import NO_CATEGORY, Column, column_contents


def node_link(content: object) -> nx.Graph:
    """The graph of JSON as networkx and D3 write it: nodes with an id, links (or edges) with their ends."""
    fields = content if isinstance(content, dict) else {}
    nodes, links = fields.get("nodes"), fields.get("links", fields.get("edges"))
    if not isinstance(nodes, list) or not isinstance(links, list):
        raise PartwholeError("it is not node-link JSON, an object with the lists nodes and links")
    graph = nx.DiGraph() if fields.get("directed") else nx.Graph()
    own = fields.get("graph")
    graph.graph.update(own if isinstance(own, dict) else {})
    graph.graph.update({key: fields[key] for key in ("label", "y", "id", "name") if key in fields})
    for place, node in enumerate(nodes):
        attributes = dict(node) if isinstance(node, dict) else {"id": node}
        graph.add_node(attributes.pop("id", place), **attributes)
    for link in links:
        attributes = dict(link)
        a, b = attributes.pop("source"), attributes.pop("target")
        if a not in graph or b not in graph:
            raise PartwholeError(f"it links {a!r} and {b!r}, which are not both among its nodes")
        graph.add_edge(a, b, **attributes)
    return graph


def as_node_link(graph: Graph) -> dict[str, Any]:
    """A graph with its attributes by name, as `node_link` reads it."""
    nodes = _named_rows(graph.schema.node, graph.node_codes, graph.node_values)
    links = _named_rows(graph.schema.edge, graph.edge_codes, graph.edge_values)
    ends = graph.edges.tolist()
    return {
        "nodes": [attributes | {"id": k} for k, attributes in enumerate(nodes)],
        "links": [links[k] | {"source": a, "target": b} for k, (a, b) in enumerate(ends) if a <= b],
    }


def _named_rows(columns: tuple[Column, ...], codes: np.ndarray, values: np.ndarray) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(len(codes))]
    for column, content in column_contents(columns, codes, values):
        for row, cells in zip(rows, content.tolist()):
            if column.is_categorical:
                cells = [column.values[cells[0]]] if cells[0] != NO_CATEGORY else []
            known = cells and cells[0] == cells[0]  # neither missing nor NaN
            wide = column.width > 1 and not column.is_categorical
            row[column.name] = (cells if wide else cells[0]) if known else None
    return rows
