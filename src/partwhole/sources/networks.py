"""Lists of networkx graphs, with whatever attributes their nodes and edges carry."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.registry import SOURCES
from partwhole.schema import Column, Schema
from partwhole.sources.base import Source, all_of, target_column
from partwhole.store import GraphStore

LABELS = ("label", "y")  # keys of `graph.graph` that are taken as the target


def read_networkx(data: Any, schema: Schema | None = None) -> GraphStore:
    """Numbers become numeric attributes, strings and booleans categories, by attribute name.

    Node names may be anything. Directed edges are read as undirected.
    """
    graphs = list(data)
    for i, graph in enumerate(graphs):
        if not isinstance(graph, nx.Graph):
            raise PartwholeError(f"Graph {i} is a {type(graph).__name__}, not a networkx graph.")
    counts, edges, node_rows, edge_rows = [], [], [], []
    offset = 0
    for graph in graphs:
        number = {node: offset + k for k, node in enumerate(graph.nodes)}
        counts.append(len(number))
        node_rows += [attributes for _, attributes in graph.nodes(data=True)]
        for a, b, attributes in graph.edges(data=True):
            edges.append((number[a], number[b]))
            edge_rows.append(attributes)
        offset += len(number)
    node = _columns(node_rows, "node", schema.node if schema else None)
    edge = _columns(edge_rows, "edge", schema.edge if schema else None)
    node_codes, node_values = _encode(node_rows, node, "node")
    edge_codes, edge_values = _encode(edge_rows, edge, "edge")
    key = next((k for k in LABELS if any(k in g.graph for g in graphs)), None)
    targets: np.ndarray | None = None
    columns: tuple[Column, ...] = ()
    if key:
        column, targets = target_column(key, [g.graph.get(key) for g in graphs])
        columns = (column,)
    return GraphStore.from_arrays(
        np.array(counts, dtype=np.int64),
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        schema=Schema(node, edge, columns),
        node_codes=node_codes,
        node_values=node_values,
        edge_codes=edge_codes,
        edge_values=edge_values,
        targets=targets,
        ids=np.array([str(g.graph.get("id", g.name or i)) for i, g in enumerate(graphs)]),
    )


def _columns(rows: list[dict[str, Any]], part: str, fitted: tuple[Column, ...] | None) -> tuple[Column, ...]:
    """The columns these attributes make; those of the fitted model where there is one."""
    if fitted is not None and (rows or not fitted):
        names = {name for row in rows for name in row}
        for column in fitted:
            if rows and column.name not in names:
                raise PartwholeError(
                    f"The {part}s have no attribute {column.name!r}, which the model learned from."
                    f"{near_miss(column.name, sorted(map(str, names)))}"
                )
        return fitted
    columns = []
    for name in sorted({name for row in rows for name in row}, key=str):
        values = [row[name] for row in rows if name in row]
        if len(values) < len(rows):
            raise PartwholeError(
                f"{len(rows) - len(values)} of {len(rows)} {part}s have no attribute {name!r}; give it to "
                "all of them or to none."
            )
        if all(isinstance(v, bool | np.bool_ | str) for v in values):
            columns.append(Column.categorical(str(name), sorted({str(v) for v in values})))
        elif all(np.ndim(v) <= 1 and np.issubdtype(np.asarray(v).dtype, np.number) for v in values):
            widths = {np.size(v) for v in values}
            if len(widths) > 1:
                raise PartwholeError(
                    f"The {part} attribute {name!r} is {min(widths)} wide in one place and {max(widths)} "
                    "in another; make it the same everywhere."
                )
            columns.append(Column.numeric(str(name), widths.pop()))
        else:
            raise PartwholeError(
                f"The {part} attribute {name!r} is neither a number nor text everywhere; convert or "
                "remove it."
            )
    return tuple(columns)


def _encode(
    rows: list[dict[str, Any]], columns: tuple[Column, ...], part: str
) -> tuple[np.ndarray | None, np.ndarray | None]:
    codes, values = [], []
    for column in columns:
        try:
            cells = [row[column.name] for row in rows]
        except KeyError:
            raise PartwholeError(
                f"Some {part}s have no attribute {column.name!r}; give it to all of them."
            ) from None
        if not column.is_categorical:
            values.append(np.array(cells, dtype=np.float32).reshape(len(rows), column.width))
            continue
        code = {value: k for k, value in enumerate(column.values)}
        unseen = {str(c) for c in cells} - code.keys()
        if unseen:
            raise PartwholeError(
                f"The {part} attribute {column.name!r} has the value {sorted(unseen)[0]!r}, which the model "
                f"never saw; it knows {', '.join(map(str, column.values))}."
            )
        codes.append(np.array([code[str(c)] for c in cells], dtype=np.int16))
    return (
        np.stack(codes, axis=1) if codes else None,
        np.concatenate(values, axis=1) if values else None,
    )


@SOURCES.register
class NetworkxSource(Source):
    about = "a list of networkx graphs"

    @staticmethod
    def accepts(data: Any) -> bool:
        return all_of(data, lambda item: isinstance(item, nx.Graph))

    @staticmethod
    def read(data: Any, schema: Schema | None) -> GraphStore:
        return read_networkx(data, schema)
