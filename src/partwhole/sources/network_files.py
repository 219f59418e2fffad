"""Networks in files: GraphML, GML, node-link JSON and lists of edges; one file, or a folder of them.

In a folder each file holds a graph (or several), called by the name of its file. Targets are read from a
table `labels.csv` in it, by the name of the file; without one, sub-folders are classes.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as xml
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files import open_unpacked
from partwhole.graph import Graph
from partwhole.registry import SOURCES
from partwhole.schema import NO_CATEGORY, Column
from partwhole.sources.base import Source
from partwhole.sources.edge_table import ENDS
from partwhole.sources.networks import read_networkx
from partwhole.sources.reading import Reading
from partwhole.sources.tables import SUFFIXES as TABLES
from partwhole.sources.tables import named, read_columns
from partwhole.sources.targets import with_targets
from partwhole.store import GraphStore

LABELS = tuple(f"labels{suffix}" for suffix in TABLES)
FILE = ("graph", "file", "filename", "id", "name")  # the column of labels.csv that names the file


def _graphml(path: Path) -> list[nx.Graph]:
    with open_unpacked(path) as file:
        graphs = list(nx.readwrite.graphml.GraphMLReader()(path=file))
    if not graphs:
        raise PartwholeError("it holds no graph")
    return graphs


def _gml(path: Path) -> list[nx.Graph]:
    lines = _text(path).splitlines()
    has_labels = any(line.strip().startswith("label ") for line in lines)
    return [nx.parse_gml(lines, label="label" if has_labels else "id")]


def _json(path: Path) -> list[nx.Graph]:
    content = json.loads(_text(path))
    return [node_link(graph) for graph in (content if isinstance(content, list) else [content])]


def _json_lines(path: Path) -> list[nx.Graph]:
    return [node_link(json.loads(line)) for line in _text(path).splitlines() if line.strip()]


def node_link(content: Any) -> nx.Graph:
    """What networkx and D3 write: nodes with an id, links (or edges) with source and target."""
    links = content.get("links", content.get("edges")) if isinstance(content, dict) else None
    nodes = content.get("nodes") if isinstance(content, dict) else None
    if not isinstance(nodes, list) or not isinstance(links, list):
        raise PartwholeError("it is not node-link JSON, an object with the lists nodes and links")
    graph = nx.DiGraph() if content.get("directed") else nx.Graph()
    about = content.get("graph")
    graph.graph.update(about if isinstance(about, dict) else {})
    graph.graph.update({key: content[key] for key in ("label", "y", "id", "name") if key in content})
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
        "nodes": [{"id": k} | attributes for k, attributes in enumerate(nodes)],
        "links": [{"source": a, "target": b} | links[k] for k, (a, b) in enumerate(ends) if a <= b],
    }


def _named_rows(columns: tuple[Column, ...], codes: np.ndarray, values: np.ndarray) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(len(codes))]
    code_at = value_at = 0
    for column in columns:
        for k, row in enumerate(rows):
            if column.is_categorical:
                code = codes[k, code_at]
                content: Any = None if code == NO_CATEGORY else column.values[code]
            else:
                numbers = values[k, value_at : value_at + column.width].tolist()
                content = numbers if column.width > 1 else numbers[0]
            if content is not None and content == content:
                row[column.name] = content
        code_at, value_at = (
            (code_at + 1, value_at) if column.is_categorical else (code_at, value_at + column.width)
        )
    return rows


def _edges(path: Path) -> list[nx.Graph]:
    """`a b`, or `a b 0.5` with a weight; other columns are named by a heading. A node alone has no edges."""
    graph, names = nx.Graph(), ["weight"]
    for number, line in enumerate(_text(path).splitlines(), start=1):
        words = [word for word in re.split(r"[,;\s]+", line.strip()) if word]
        if not words or words[0][0] in "#%":
            continue
        if number == 1 and tuple(word.lower() for word in words[:2]) in ENDS:
            names = words[2:]
        elif len(words) == 1:
            graph.add_node(words[0])
        elif len(words) - 2 in (0, len(names)):
            graph.add_edge(*words[:2], **dict(zip(names, map(_number, words[2:]))))
        else:
            raise PartwholeError(f"line {number} has {len(words)} columns")
    if not graph:
        raise PartwholeError("it holds no edges")
    return [graph]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


KINDS: dict[str, Callable[[Path], list[nx.Graph]]] = {
    ".graphml": _graphml,
    ".gml": _gml,
    ".json": _json,
    ".jsonl": _json_lines,
    ".edgelist": _edges,
    ".edges": _edges,
}
IN_FOLDERS = {**KINDS, ".txt": _edges, ".csv": _edges, ".tsv": _edges}
OF_PARSERS = (nx.NetworkXException, xml.ParseError, ValueError, KeyError, TypeError, AttributeError)
WRONG = (*OF_PARSERS, PartwholeError, IndexError, RecursionError, OSError, EOFError)


def _kind(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _stem(name: str) -> str:
    """The name of a file without what tells its kind."""
    bare = name.removesuffix(".gz")
    return Path(bare).stem if _kind(Path(name)) in IN_FOLDERS else bare


def _text(path: Path) -> str:
    with open_unpacked(path) as file:
        return file.read().decode()


@SOURCES.register
class NetworkFiles(Source):
    about = "a GraphML, GML, node-link JSON or edge list file, or a folder of such files"

    @staticmethod
    def accepts(data: Any) -> bool:
        if not isinstance(data, Path):
            return False
        return bool(_files(data)) if data.is_dir() else _kind(data) in KINDS

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        files = _files(data) if data.is_dir() else [data]
        graphs, ids, folders, stems = [], [], [], []
        for path in files:
            try:
                found = IN_FOLDERS[_kind(path)](path)
            except WRONG as error:
                reason = " ".join(str(error).split()) or type(error).__name__
                reading.leave_out(path.name, f"{path} cannot be read: {reason}; correct or remove it.")
                continue
            stem = _stem(path.name)
            for k, graph in enumerate(found):
                graphs.append(graph)
                own = str(graph.graph.get("id", graph.name or f"{stem} {k}"))
                ids.append(own if len(found) > 1 else stem)
                folders.append(path.parent.name)
                stems.append(stem)
        reading.require_any(len(graphs))
        store = replace(read_networkx(graphs, reading, ids), name=data.name.partition(".")[0])
        table = next((data / name for name in LABELS if (data / name).is_file()), None)
        if table is not None:
            return with_targets(store, _labels(table, ids, stems, reading), reading)
        if data.is_dir() and files[0].parent != data:
            return with_targets(store, {"folder": folders}, reading)
        return store


def _files(folder: Path) -> list[Path]:
    """The graph files of a folder; those of its sub-folders where it has none of its own."""
    if (folder / "schema.json").is_file() or any(folder.glob("*_A.txt")):  # a saved store, a TU set
        return []

    def own(place: Path) -> list[Path]:
        return [p for p in sorted(place.iterdir()) if p.is_file() and p.name not in LABELS and _is_graph(p)]

    return own(folder) or [p for sub in sorted(folder.iterdir()) if sub.is_dir() for p in own(sub)]


def _is_graph(path: Path) -> bool:
    return _kind(path) in IN_FOLDERS and not path.name.startswith((".", "README"))


def _labels(table: Path, ids: list[str], stems: list[str], reading: Reading) -> dict[str, list[Any]]:
    """The columns of labels.csv, row by row of the graphs."""
    columns = read_columns(table)
    key = named(list(columns), FILE) or next(iter(columns))
    row_of: dict[str, int] = {}
    for row, name in enumerate(columns.pop(key)):
        row_of[_stem(str(name))] = row
    rows = [row_of.get(name, row_of.get(stem)) for name, stem in zip(ids, stems)]
    if bare := rows.count(None):
        reading.note(f"{bare} of {len(rows)} graphs are not in {table.name}; their targets are missing.")
    return {name: [None if r is None else cells[r] for r in rows] for name, cells in columns.items()}
