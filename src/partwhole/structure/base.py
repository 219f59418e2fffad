"""Which structure attributes a model uses, and their computation for a whole store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.registry import STRUCTURE

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def structure_kinds(schema: Schema, chosen: Sequence[str], default: str = "degree") -> tuple[str, ...]:
    """The structure attributes a model of this schema uses; where nodes have nothing else, `default`."""
    if not schema.node and not chosen:
        return (default,)
    return tuple(chosen)


def structure_widths(kinds: Sequence[str]) -> dict[str, int]:
    """How many columns each kind has, which is the same for all graphs."""
    none = GraphStore.from_arrays(np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
    return {kind: x.shape[1] for kind, x in with_structure(none, kinds).structure.items()}


def with_structure(store: GraphStore, kinds: Sequence[str]) -> GraphStore:
    """The store with the structure attributes `kinds` computed, once for all batches."""
    return replace(store, structure={kind: _columns(STRUCTURE.get(kind)(store)) for kind in kinds})


def _columns(found: np.ndarray) -> np.ndarray:
    """[N] or [N, D] -> [N, D] float32; flags stay flags, which take a fourth of the memory."""
    columns = found if found.ndim == 2 else found[:, None]
    return columns if columns.dtype == bool else columns.astype(np.float32)


def adjacency(store: GraphStore) -> csr_array:
    """All graphs as one block-diagonal matrix [N, N], without self-loops."""
    from scipy.sparse import csr_array

    degrees = np.diff(store.edge_ptr)
    first_node = np.repeat(np.repeat(store.node_ptr[:-1], store.num_nodes), degrees)
    columns, rows = store.neighbor + first_node, np.repeat(np.arange(len(degrees)), degrees)
    ones = (columns != rows).astype(np.float64)
    matrix = csr_array((ones, columns, np.array(store.edge_ptr)), shape=(len(degrees), len(degrees)))
    matrix.eliminate_zeros()
    return matrix
