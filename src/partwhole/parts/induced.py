"""Graphs made of some nodes of others, with all edges among these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwhole.graphs.store import GraphStore


def induced(store: GraphStore, place: np.ndarray, graphs: int, name: str) -> GraphStore:
    """Graph k has the nodes of `place` k, and the edges between them, with their attributes.

    Parameters
    ----------
    store : GraphStore
        Where nodes and edges come from; targets are left behind.
    place : ndarray [N] int
        The new graph of each node of all graphs, one graph after the other; -1: of none.
    graphs : int
        How many there are.
    name : str
        What the new store is called.
    """
    nodes = np.flatnonzero(place >= 0)
    nodes = nodes[np.argsort(place[nodes], kind="stable")]  # graph after graph
    new = np.full(len(place), -1)
    new[nodes] = np.arange(len(nodes))
    degrees = np.diff(store.edge_ptr)
    rows = np.repeat(np.arange(len(degrees)), degrees)
    columns = store.neighbor + np.repeat(np.repeat(store.node_ptr[:-1], store.num_nodes), degrees)
    inside = (place[rows] == place[columns]) & (place[rows] >= 0)
    return GraphStore.from_arrays(
        np.bincount(place[nodes], minlength=graphs),
        np.stack([new[rows[inside]], new[columns[inside]]], axis=1),
        schema=replace(store.schema, targets=()),
        node_codes=store.node_codes[nodes],
        node_values=store.node_values[nodes],
        edge_codes=store.edge_codes[inside],
        edge_values=store.edge_values[inside],
        name=name,
    )
