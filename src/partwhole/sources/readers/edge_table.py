"""One long list of edges: a table with the columns graph, source and target.

Other columns are attributes of edges. A row without target is a node without edges. Beside `NAME.csv` may
lie `NAME.nodes.csv` (columns graph, node and attributes of nodes) and `NAME.graphs.csv` (columns graph and
targets); beside `edges.csv` these may be called `nodes.csv` and `graphs.csv`, and the folder can be given.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import require_inside
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.graphs.values import as_ids
from partwhole.registry import SOURCES
from partwhole.sources.attributes import encode
from partwhole.sources.base import Data, Source
from partwhole.sources.frames import is_frame
from partwhole.sources.reading import Reading
from partwhole.sources.tables import (
    SUFFIXES,
    TableLike,
    column_names,
    first_row,
    is_table,
    named,
    notes_of,
    read_columns,
    stem,
)
from partwhole.sources.target_columns import rows_of_table, with_targets

EDGES = "edges"  # the table of edges in a folder
GRAPH = ("graph", "graph_id", "graph_name", "network", "network_id")
NODE = ("node", "node_id", "id", "name")
ENDS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"))


def is_edge_table(data: object) -> bool:
    """Whether it is a table with columns for a graph and the two ends of an edge."""
    if not is_table(data):
        return False
    try:
        names = column_names(data)
    except PartwholeError:  # the reader of molecules tells what is wrong
        return False
    return named(names, GRAPH) is not None and _ends(names) is not None


@SOURCES.register
class EdgeTable(Source[TableLike]):
    """Graphs of one table of edges, told apart by a column."""

    reads = "a table (CSV, TSV, Parquet, Excel, pandas) with the columns graph, source and target"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether it is a table of edges, or a folder with one."""
        return is_edge_table(_table(data))

    @staticmethod
    def read(data: TableLike, reading: Reading) -> GraphStore:
        """Read the edges, and the attributes of nodes and graphs from the tables beside."""
        data = _table(data)
        names = column_names(data)
        key, ends = named(names, GRAPH), _ends(names)
        assert key is not None  # accepted
        assert ends is not None
        for note in notes_of(data):
            reading.note(note)
        edges = read_columns(data, [key, *ends])
        graph, source, target = (edges.pop(name) for name in (key, *ends))
        rows = []
        for row, (g, a) in enumerate(zip(graph, source)):
            if g is None or a is None:
                lack = key if g is None else ends[0]
                where = f"row {row + first_row(data)} of {stem(data)}"
                reading.leave_out(where, f"it has no {lack}; fill it in or drop the row.")
            else:
                rows.append(row)
        nodes = _Nodes()
        first = [nodes.number(graph[row], source[row]) for row in rows]
        pairs = [
            (a, nodes.number(graph[row], target[row]), row)
            for a, row in zip(first, rows)
            if target[row] is not None
        ]
        reading.require_any(len(nodes))
        node_attributes = _node_attributes(data, nodes)
        reading.require_few(len(nodes.graphs))
        order, counts = nodes.by_graph()
        place = np.empty(len(nodes), np.int64)
        place[order] = np.arange(len(nodes))
        of_nodes = {name: [cells[node] for node in order] for name, cells in node_attributes.items()}
        of_edges = {name: [cells[row] for _, _, row in pairs] for name, cells in sorted(edges.items())}
        node, node_codes, node_values = encode(of_nodes, "node", reading)
        edge, edge_codes, edge_values = encode(of_edges, "edge", reading)
        store = GraphStore.from_arrays(
            counts,
            place[np.array([pair[:2] for pair in pairs], dtype=np.int64).reshape(-1, 2)],
            schema=Schema(node, edge),
            node_codes=node_codes,
            node_values=node_values,
            edge_codes=edge_codes,
            edge_values=edge_values,
            ids=as_ids(list(nodes.graphs)),
            name=stem(data) if is_frame(data) or stem(data) != EDGES else data.absolute().parent.name,
        )
        return _with_graph_table(data, store, nodes, reading)


class _Nodes:
    """Numbers for nodes, which are told apart by their graph and their name."""

    def __init__(self) -> None:
        self.graphs: dict[str, int] = {}
        self.places: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.places)

    def number(self, graph: str, name: str) -> int:
        """The number of this node, a new one where it was not seen before."""
        g = self.graphs.setdefault(graph, len(self.graphs))
        return self.places.setdefault((g, name), len(self.places))

    def by_graph(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes graph by graph, and how many each graph has."""
        graph_of_node = np.array([g for g, _ in self.places], dtype=np.int64)
        counts = np.bincount(graph_of_node, minlength=len(self.graphs))
        return np.argsort(graph_of_node, kind="stable"), counts


def _node_attributes(edges: TableLike, nodes: _Nodes) -> dict[str, list[Any]]:
    """The attributes of nodes in the order of their numbers; nodes that only their table names are added."""
    beside = _beside(edges, "nodes")
    if beside is None:
        return {}
    keys = [_key(beside, GRAPH), _key(beside, NODE)]
    columns = read_columns(beside, keys)
    graph, node = (columns.pop(key) for key in keys)
    numbers = []
    for row, (g, v) in enumerate(zip(graph, node)):
        if g is None or v is None:
            place = row + first_row(beside)
            raise PartwholeError(f"Row {place} of {beside} names no graph or no node; correct it.")
        numbers.append(nodes.number(g, v))
    out: dict[str, list[Any]] = {}
    for name, cells in sorted(columns.items()):
        out[name] = [None] * len(nodes)
        for number, cell in zip(numbers, cells):
            out[name][number] = cell
    return out


def _with_graph_table(edges: TableLike, store: GraphStore, nodes: _Nodes, reading: Reading) -> GraphStore:
    """The store with the targets of the table of graphs, where there is one."""
    beside = _beside(edges, "graphs")
    if beside is None:
        return store
    key = _key(beside, GRAPH)
    columns = read_columns(beside, [key])
    row_of = {name: row for row, name in enumerate(columns.pop(key))}
    rows = [row_of.get(name) for name in nodes.graphs]
    if lost := [name for name in row_of if name not in nodes.graphs]:
        reading.note(f"{len(lost)} graphs of {beside.name} have no nodes and are left out, first {lost[0]}.")
    return with_targets(store, rows_of_table(columns, rows, beside.name, reading), reading)


def _table(data: Data) -> Data | Path:
    """The table of edges in a folder that has one; anything else as it is."""
    if not isinstance(data, Path) or not data.is_dir():
        return data
    places = (data / f"{EDGES}{suffix}" for suffix in SUFFIXES)
    return next((place for place in places if place.is_file()), data)


def _ends(names: list[str]) -> tuple[str, str] | None:
    found = ((named(names, (a,)), named(names, (b,))) for a, b in ENDS)
    return next(((a, b) for a, b in found if a is not None and b is not None), None)


def _key(path: Path, wanted: tuple[str, ...]) -> str:
    names = column_names(path)
    name = named(names, wanted)
    if name is None:
        raise PartwholeError(f"{path} has no column {wanted[0]!r} among {', '.join(names)}; name one so.")
    return name


def _beside(edges: TableLike, what: str) -> Path | None:
    """The table of nodes or of graphs that lies beside a table of edges."""
    if is_frame(edges):
        return None
    names = [f"{stem(edges)}.{what}", *([what] if stem(edges) == EDGES else [])]
    places = (edges.parent / f"{name}{suffix}" for name in names for suffix in SUFFIXES)
    found = next((place for place in places if place.is_file()), None)
    return found and require_inside(found, edges.parent)
