"""What colour refinement sees."""

from __future__ import annotations

import numpy as np

from partwhole.descriptions.histogram import hashed_histogram
from partwhole.lifting.colors import hash_rows, refine
from partwhole.registry import DESCRIPTIONS
from partwhole.schema import Schema
from partwhole.store import GraphStore

ROUNDS = 4
ROUNDS_OF_BARE_NODES = 1  # degrees
WIDTH = 256  # of a round


@DESCRIPTIONS.register
def colors(store: GraphStore) -> list[np.ndarray]:
    """A block for each round: how the nodes of a graph share out over the colours of Weisfeiler-Lehman
    refinement, which begins with their categories. Edge attributes are left to the network: on PTC_MR,
    colours that know the bonds tell less (docs/recipe.md).

    Where nodes have no categories the first round sees degrees, and from the second on nearly every graph
    has colours of its own, which tell it apart from all others and like none: those blocks stay empty.
    """
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
    color, blocks = hash_rows(store.node_codes.astype(np.uint64)), []
    last = ROUNDS if _has_categories(store.schema) else ROUNDS_OF_BARE_NODES
    for k in range(last + 1):
        if k:
            color = refine(color, edge_ptr, neighbor)
        blocks.append(hashed_histogram(graph, color, len(store), WIDTH))
    return blocks + [np.zeros((len(store), WIDTH), np.float32)] * (ROUNDS - last)


def _has_categories(schema: Schema) -> bool:
    return any(len(column.values) > 1 for column in schema.node)
