"""Which structure attributes a model uses, and their computation for a whole store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from partwhole.registry import STRUCTURE
from partwhole.schema import Schema
from partwhole.store import GraphStore

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def structure_kinds(schema: Schema, chosen: Sequence[str]) -> tuple[str, ...]:
    """The structure attributes a model of this schema uses: degree where nodes have nothing else."""
    if not schema.node and not chosen:
        return ("degree",)
    return tuple(chosen)


def with_structure(store: GraphStore, kinds: Sequence[str]) -> GraphStore:
    """The store with the structure attributes `kinds` computed, once for all batches."""
    columns = {kind: STRUCTURE.get(kind)(store).astype(np.float32)[:, None] for kind in kinds}
    return replace(store, structure=columns)


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
