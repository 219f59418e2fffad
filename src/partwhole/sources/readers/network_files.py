"""Networks in files: GraphML, GML, node-link JSON and lists of edges; one file, or a folder of them.

In a folder each file holds a graph (or several), called by the name of its file. Targets are read from a
table `labels.csv` in it, by the name of the file; without one, sub-folders are classes.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import open_unpacked, read_json, require_inside
from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.sources.dialect import encoding_of, notes_on_encoding
from partwhole.sources.node_link import node_link
from partwhole.sources.readers.edge_table import ENDS
from partwhole.sources.readers.networks import read_networkx
from partwhole.sources.reading import Reading
from partwhole.sources.tables import SUFFIXES as TABLES
from partwhole.sources.tables import column_names, named, read_columns
from partwhole.sources.target_columns import rows_of_table, with_targets

LABELS = tuple(f"labels{suffix}" for suffix in TABLES)
FILE = ("graph", "file", "filename", "id", "name")  # the column of labels.csv that names the file


def _graphml(path: Path) -> list[nx.Graph]:
    with open_unpacked(path) as file:
        graphs = list(nx.readwrite.graphml.GraphMLReader()(path=file))
    if not graphs:
        raise PartwholeError("it holds no graph")
    return graphs


def _gml(path: Path) -> list[nx.Graph]:
    """Nodes by their numbers: labels may be missing, or stand twice."""
    graph = nx.parse_gml(_text(path).split("\n"), label="id")
    labels = [attributes.get("label") for _, attributes in graph.nodes(data=True)]
    if len(set(labels)) == len(labels):  # names of nodes, not an attribute of them
        for _, attributes in graph.nodes(data=True):
            attributes.pop("label", None)
    return [graph]


def _json(path: Path) -> list[nx.Graph]:
    content = read_json(_text(path))
    return [node_link(graph) for graph in (content if isinstance(content, list) else [content])]


def _json_lines(path: Path) -> list[nx.Graph]:
    return [node_link(read_json(line)) for line in _text(path).split("\n") if line.strip()]


def _edges(path: Path) -> list[nx.Graph]:
    """`a b`, or `a b 0.5` with a weight; other columns are named by a heading. A node alone has no edges."""
    lines = enumerate(_text(path).split("\n"), start=1)
    rows = [(number, [word for word in re.split(r"[,;\s]+", line) if word]) for number, line in lines]
    rows = [(number, words) for number, words in rows if words and words[0][0] not in "#%"]
    names = ["weight"]
    if _has_heading([words for _, words in rows]):
        names = rows.pop(0)[1][2:]
    graph = nx.Graph()
    for number, words in rows:
        if len(words) == 1:
            graph.add_node(words[0])
        elif len(words) - 2 in (0, len(names)):
            graph.add_edge(*words[:2], **dict(zip(names, map(_number, words[2:]))))
        else:
            raise PartwholeError(f"line {number} has {len(words)} columns")
    if not graph:
        raise PartwholeError("it holds no edges")
    return [graph]


def _has_heading(rows: list[list[str]]) -> bool:
    """Names of columns: those that are known for it, or words above numbers."""
    if not rows or tuple(word.lower() for word in rows[0][:2]) in ENDS:
        return bool(rows)
    numbered = [all(word.isdigit() for word in row[:2]) for row in rows]
    return len(rows) > 1 and not numbered[0] and all(numbered[1:])


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


FORMATS: dict[str, Callable[[Path], list[nx.Graph]]] = {
    ".graphml": _graphml,
    ".gml": _gml,
    ".json": _json,
    ".jsonl": _json_lines,
    ".edgelist": _edges,
    ".edges": _edges,
}
PLAIN = (".txt", ".csv", ".tsv")  # lists of edges in a folder that has no other format
OF_PARSERS = (nx.NetworkXException, xml.ParseError, ValueError, KeyError, TypeError, AttributeError)
WRONG = (*OF_PARSERS, PartwholeError, LookupError, RecursionError, OSError, EOFError)


def _format(path: Path) -> str:
    """The suffix of a file, packed or not, which tells its format."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _stem(name: str) -> str:
    """The name of a file without what tells its format."""
    bare = name.removesuffix(".gz")
    return Path(bare).stem if _format(Path(name)) in (*FORMATS, *PLAIN) else bare


def _text(path: Path) -> str:
    with open_unpacked(path) as file:
        return file.read().decode(encoding_of(path)).removeprefix("\ufeff")


@SOURCES.register
class NetworkFiles(Source[Path]):
    """Graphs in files of their own."""

    reads = "a GraphML, GML, node-link JSON or edge list file, or a folder of such files"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether it is such a file, or a folder that has some or whose sub-folders have."""
        if not isinstance(data, Path):
            return False
        return bool(_files(data)) if data.is_dir() else _format(data) in FORMATS

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Read all files; targets come from `labels.csv`, or are the sub-folders."""
        files = _files(data) if data.is_dir() else [data]
        reading.require_few(len(files))
        graphs, ids, places, rows, read = [], [], [], [], 0
        for path in files:
            try:
                if data.is_dir():
                    require_inside(path, data)
                found = FORMATS.get(_format(path), _edges)(path)
                for note in notes_on_encoding(path) if _format(path) != ".graphml" else []:
                    reading.note(note)
            except WRONG as error:
                reason = " ".join(str(error).split()) or type(error).__name__
                reading.leave_out(str(path), f"{reason.rstrip('.')}; correct or remove it.")
                read += 1
                continue
            for k, graph in enumerate(found):
                rows.append(read)
                read += 1
                graphs.append(graph)
                own = str(graph.graph.get("id", graph.name or f"{_stem(path.name)} {k}"))
                ids.append(own if len(found) > 1 else _stem(path.name))
                places.append(path)
        reading.require_any(len(graphs))
        store = read_networkx(graphs, reading, ids)
        store = replace(store, name=_stem(data.name), rows=np.array(rows))
        table = next((data / name for name in LABELS if (data / name).is_file()), None)
        if table is not None:
            require_inside(table, data)
            return with_targets(store, _labels(table, ids, places, reading), reading)
        if data.is_dir() and files[0].parent != data:
            return with_targets(store, {"folder": [path.parent.name for path in places]}, reading)
        return store


def _files(folder: Path) -> list[Path]:
    """The graph files of a folder, or those of its sub-folders; plain lists of edges where there are no
    others."""
    if (folder / "schema.json").is_file() or any(folder.glob("*_A.txt")):  # a saved store, a TU set
        return []
    folders = [folder, *(sub for sub in sorted(folder.iterdir()) if sub.is_dir())]
    for formats in (tuple(FORMATS), PLAIN):
        own, *below = [_of_formats(place, formats) for place in folders if not place.name.startswith(".")]
        if found := own or [path for files in below for path in files]:
            return found
    return []


def _of_formats(folder: Path, formats: tuple[str, ...]) -> list[Path]:
    tables = (*LABELS, "edges.csv", "nodes.csv", "graphs.csv")
    return [
        path
        for path in sorted(folder.iterdir())
        if path.is_file()
        and _format(path) in formats
        and path.name not in tables
        and not path.name.startswith((".", "README"))
    ]


def _labels(table: Path, ids: list[str], places: list[Path], reading: Reading) -> dict[str, list[Any]]:
    """The columns of labels.csv, row by row of the graphs, which are found by the path of their file in the
    folder, by its name, or by their id."""
    names = column_names(table)
    key = named(names, FILE) or names[0]
    columns = read_columns(table, [key])
    row_of: dict[str, int] = {}
    for row, name in enumerate(columns.pop(key)):
        if name is not None and row_of.setdefault(name, row) != row:
            raise PartwholeError(f"{table} names {name} twice; leave one of the rows out.")
    several = {name for name, count in Counter(path.name for path in set(places)).items() if count > 1}
    rows = []
    for own, path in zip(ids, places):
        inside = path.relative_to(table.parent)
        called = [str(inside), str(inside.with_name(_stem(path.name)))]
        if path.name not in several:
            called += [path.name, own, _stem(path.name)]
        rows.append(next((row_of[name] for name in called if name in row_of), None))
    return rows_of_table(columns, rows, table.name, reading)
