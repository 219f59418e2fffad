"""The graphs of a request, read as leniently as `partwhole embed` reads: one that cannot be read does not
keep the others from being answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import networkx as nx
import numpy as np

from partwhole.errors import PartwholeError, TooLarge
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.graphs.streaming import concatenate
from partwhole.serving.answers import UnansweredGraph
from partwhole.serving.limits import Limits
from partwhole.serving.requests import JsonObject
from partwhole.sources.loading import read_as_given, read_graphs
from partwhole.sources.node_link import node_link
from partwhole.sources.reading import Reading

T = TypeVar("T")
GivenGraph = GraphStore | UnansweredGraph  # a store of one graph, or why it could not be read


@dataclass(frozen=True)
class GraphReader:
    """Reads graphs in the columns that a run learned from. A graph that cannot be read has its reason in its
    place; one beyond the limits ends the request with `TooLarge`."""

    schema: Schema
    limits: Limits

    def read_smiles(self, texts: Sequence[str]) -> list[GivenGraph]:
        """Read molecules; each is called by its SMILES."""
        return self._each(texts, texts, lambda some, reading: read_graphs(list(some), reading))

    def read_networks(self, contents: Sequence[JsonObject]) -> list[GivenGraph]:
        """Read node-link JSON; a graph without an id and a name is called by its place, counted from 0."""
        named = [(_name(content, place), content) for place, content in enumerate(contents)]

        def read(some: Sequence[tuple[str, JsonObject]], reading: Reading) -> GraphStore:
            return read_graphs([_network(name, content) for name, content in some], reading)

        return self._each(named, [name for name, _ in named], read)

    def read_file(self, path: Path) -> list[GivenGraph]:
        """Read the first graphs of a file, as many as are drawn at once. All that could not be read follows,
        by its place in the file (`line 3`), or by the path where that is the whole file."""
        reading = self._reading(strict=False)
        try:
            store = read_as_given(path, reading)
        except TooLarge:
            raise
        except PartwholeError as reason:
            unread = reading.left_out or [(str(path), str(reason))]
            return [UnansweredGraph(id=place, reason=why) for place, why in unread]
        graphs = [store[k : k + 1] for k in range(min(len(store), self.limits.shown))]
        names = [str(graph.ids[0]) for graph in graphs]
        return [
            *self._each(graphs, names, lambda some, own: read_graphs(concatenate(some), own)),
            *(UnansweredGraph(id=place, reason=why) for place, why in reading.left_out),
        ]

    def _each(
        self, items: Sequence[T], names: Sequence[str], read: Callable[[Sequence[T], Reading], GraphStore]
    ) -> list[GivenGraph]:
        """All in one go or, where that fails, one by one."""
        try:
            store = read(items, self._reading())
        except TooLarge:
            raise
        except PartwholeError:
            return [self._alone(item, name, read) for item, name in zip(items, names)]
        return [_question(store[k : k + 1], name) for k, name in enumerate(names)]

    def _alone(self, item: T, name: str, read: Callable[[Sequence[T], Reading], GraphStore]) -> GivenGraph:
        reading = self._reading(strict=False)
        try:
            return _question(read([item], reading), name)
        except PartwholeError as error:
            reasons = [reason for _, reason in reading.left_out]
            return UnansweredGraph(id=name, reason=reasons[0] if reasons else str(error))

    def _reading(self, strict: bool = True) -> Reading:
        return Reading(
            self.schema,
            strict,
            offers_fallback=False,
            most_graphs=self.limits.graphs,
            most_nodes=self.limits.nodes,
            most_edges=self.limits.edges,
        )


def _name(content: JsonObject, place: int) -> str:
    """Where networkx and D3 write it: beside the nodes, or in the attributes of the graph."""
    attributes = content.get("graph")
    own = {**(attributes if isinstance(attributes, dict) else {}), **content}
    return str(own.get("id", own.get("name") or place))


def _network(name: str, content: JsonObject) -> nx.Graph:
    try:
        return node_link(content)
    except (KeyError, TypeError, ValueError) as reason:
        raise PartwholeError(f"Graph {name} cannot be read: {reason}; correct it.") from None


def called(graph: GraphStore, name: str) -> GraphStore:
    """The one graph of a store under another id."""
    return replace(graph, ids=np.array([name], dtype=object))


def _question(graph: GraphStore, name: str) -> GraphStore:
    """The graph without what it knows of its targets, so that those of all requests have the same columns."""
    schema = replace(graph.schema, targets=())
    return called(replace(graph, schema=schema, targets=np.zeros((1, 0))), name)
