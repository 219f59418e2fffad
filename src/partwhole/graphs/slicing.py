"""Some graphs of a store: as a store of their own, or as one batch for the network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from partwhole.graphs.csr import concatenated_ranges
from partwhole.graphs.graph import GraphBatch, InputRows
from partwhole.graphs.schema import one_hot
from partwhole.numerics.segment import permute_within_graphs

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore


def taken(store: GraphStore, index: np.ndarray) -> GraphStore:
    """Graphs `index` in that order, copied."""
    nodes, edges, counts = _rows(store, index)
    degree = store.edge_ptr[nodes + 1] - store.edge_ptr[nodes]
    return _selected(store, index, nodes, edges, counts, degree)


def window(store: GraphStore, start: int, stop: int) -> GraphStore:
    """Graphs `start` to `stop` over the same memory."""
    nodes = slice(store.node_ptr[start], store.node_ptr[stop])
    edges = slice(store.edge_ptr[nodes.start], store.edge_ptr[nodes.stop])
    counts = np.diff(store.node_ptr[start : stop + 1])
    degree = np.diff(store.edge_ptr[nodes.start : nodes.stop + 1])
    return _selected(store, slice(start, stop), nodes, edges, counts, degree)


def batch_structure(
    store: GraphStore, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Graphs `index` as one disjoint graph; see `GraphStore.batch_structure`."""
    nodes, edges, counts = _rows(store, index)
    node_ptr = np.concatenate([[0], np.cumsum(counts)])
    degree = store.edge_ptr[nodes + 1] - store.edge_ptr[nodes]
    first_node = np.repeat(np.repeat(node_ptr[:-1], counts), degree)  # [e] of the entry's graph
    edge_ptr = np.concatenate([[0], np.cumsum(degree)])
    return nodes, node_ptr, edge_ptr, store.neighbor[edges] + first_node


def permutation(node_ptr: np.ndarray, random: torch.Generator) -> np.ndarray:
    """Eq. 16: the order [n] in which the nodes of each graph are shuffled."""
    graph_of_node = np.repeat(np.arange(len(node_ptr) - 1), np.diff(node_ptr))
    return permute_within_graphs(torch.from_numpy(graph_of_node), random).numpy()


def batch(store: GraphStore, index: np.ndarray, corrupt: torch.Generator | None) -> GraphBatch:
    """Graphs `index` as tensors, with an order that `corrupt` draws for Eq. 16."""
    nodes, node_ptr, edge_ptr, neighbor = batch_structure(store, index)
    order = None if corrupt is None else torch.from_numpy(permutation(node_ptr, corrupt))
    return GraphBatch(
        inputs=inputs(store, nodes),
        node_ptr=torch.from_numpy(node_ptr),
        edge_ptr=torch.from_numpy(edge_ptr),
        neighbor=torch.from_numpy(neighbor),
        order=order,
    )


def inputs(store: GraphStore, nodes: np.ndarray) -> InputRows:
    """The attributes of nodes (numbered throughout) and of their incident edges, one-hot."""
    attributes = {}
    if store.schema.node:
        encoded = one_hot(store.node_codes[nodes], store.node_values[nodes], store.schema.node)
        attributes["node"] = torch.from_numpy(encoded)
    for kind, x in store.structure.items():
        attributes[kind] = torch.from_numpy(x[nodes].astype(np.float32, copy=False))
    start = store.edge_ptr[nodes]
    degree = store.edge_ptr[nodes + 1] - start
    edge_attributes = None
    if store.schema.edge:
        edges = concatenated_ranges(start, degree)
        encoded = one_hot(store.edge_codes[edges], store.edge_values[edges], store.schema.edge)
        edge_attributes = torch.from_numpy(encoded)
    edge_ptr = torch.from_numpy(np.concatenate([[0], np.cumsum(degree)]))
    return InputRows(attributes, edge_ptr, edge_attributes)


def _rows(store: GraphStore, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of the node and edge columns that graphs `index` own, and node counts."""
    start, stop = store.node_ptr[index], store.node_ptr[index + 1]
    nodes = concatenated_ranges(start, stop - start)
    edge_start = store.edge_ptr[start]
    edges = concatenated_ranges(edge_start, store.edge_ptr[stop] - edge_start)
    return nodes, edges, stop - start


def _selected(
    store: GraphStore,
    graphs: slice | np.ndarray,
    nodes: slice | np.ndarray,
    edges: slice | np.ndarray,
    counts: np.ndarray,
    degree: np.ndarray,
) -> GraphStore:
    """Rows of the columns by indices, which copies them, or by slices, which does not."""
    return replace(
        store,
        node_ptr=np.concatenate([[0], np.cumsum(counts)]),
        edge_ptr=np.concatenate([[0], np.cumsum(degree)]),
        neighbor=store.neighbor[edges],
        node_codes=store.node_codes[nodes],
        node_values=store.node_values[nodes],
        edge_codes=store.edge_codes[edges],
        edge_values=store.edge_values[edges],
        targets=store.targets[graphs],
        ids=store.ids[graphs],
        marks=store.marks[nodes],
        structure={kind: x[nodes] for kind, x in store.structure.items()},
        rows=store.rows[graphs],
    )
