"""`Graph`s to the arrays that a store is made of, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import DTypeLike

from partwhole.errors import PartwholeError
from partwhole.graphs.csr import require_nodes
from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import Schema
from partwhole.graphs.values import as_ids

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore


class JoinedGraphs(TypedDict):
    """What `GraphStore.from_arrays` takes: nodes numbered throughout, each edge as it was listed."""

    node_counts: np.ndarray  # [G]
    edges: np.ndarray  # [M, 2]
    schema: Schema
    node_codes: np.ndarray
    node_values: np.ndarray
    edge_codes: np.ndarray
    edge_values: np.ndarray
    targets: np.ndarray  # [G, targets]
    ids: np.ndarray  # [G]
    marks: np.ndarray | None


def joined(graphs: Sequence[Graph]) -> JoinedGraphs:
    """The arrays of several graphs after each other; all must have the attributes of the first."""
    if not graphs:
        raise PartwholeError("There are no graphs; give at least one.")
    schema = graphs[0].schema
    for graph in graphs:
        schema.require_same_inputs(graph.schema)
    counts = np.array([g.num_nodes for g in graphs], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)[:-1]])
    for graph in graphs:  # before numbering throughout, where it would hit another graph
        require_nodes(graph.edges, graph.num_nodes, graph.id)
    numbered = [np.asarray(g.edges, np.int64).reshape(-1, 2) + o for g, o in zip(graphs, offsets)]
    given = [g.marks for g in graphs if g.marks is not None]
    return JoinedGraphs(
        node_counts=counts,
        edges=np.concatenate(numbered),
        schema=schema,
        node_codes=np.concatenate([g.node_codes for g in graphs]),
        node_values=np.concatenate([g.node_values for g in graphs]),
        edge_codes=np.concatenate([g.edge_codes for g in graphs]),
        edge_values=np.concatenate([g.edge_values for g in graphs]),
        targets=np.stack([g.targets for g in graphs]),
        ids=as_ids([g.id for g in graphs]),
        marks=np.concatenate(given) if len(given) == len(graphs) else None,
    )


def column(given: np.ndarray | None, rows: int, dtype: DTypeLike) -> np.ndarray:
    """[rows, …] what was given in the type of a store; without it, a column that is 0 wide."""
    return np.ascontiguousarray(np.zeros((rows, 0)) if given is None else given, dtype=dtype)


def unpacked(store: GraphStore, i: int) -> Graph:
    """Graph `i` of a store on its own; each edge is listed in both directions, as the store has it."""
    nodes = slice(store.node_ptr[i], store.node_ptr[i + 1])
    edges = slice(store.edge_ptr[nodes.start], store.edge_ptr[nodes.stop])
    degree = np.diff(store.edge_ptr[nodes.start : nodes.stop + 1])
    node = np.repeat(np.arange(len(degree)), degree)
    return Graph(
        num_nodes=len(degree),
        edges=np.stack([node, store.neighbor[edges]], axis=1).astype(np.int64),
        node_codes=np.asarray(store.node_codes[nodes]),
        node_values=np.asarray(store.node_values[nodes]),
        edge_codes=np.asarray(store.edge_codes[edges]),
        edge_values=np.asarray(store.edge_values[edges]),
        targets=np.asarray(store.targets[i]),
        marks=np.asarray(store.marks[nodes]),
        id=store.ids[i : i + 1].tolist()[0],
        schema=store.schema,
    )
