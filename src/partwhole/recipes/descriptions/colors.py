"""What colour refinement sees."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.refinement import add_incident, hash_rows, refine
from partwhole.graphs.schema import Column
from partwhole.graphs.store import GraphStore
from partwhole.recipes.histogram import hashed_histogram
from partwhole.registry import DESCRIPTIONS

ROUNDS = 4
ROUNDS_OF_BARE_NODES = 1  # degrees
WIDTH = 256  # of a round


@DESCRIPTIONS.register
def colors(store: GraphStore) -> list[np.ndarray]:
    """A block for each round: how the nodes of a graph share out over the colours of Weisfeiler-Lehman
    refinement, which begins with their categories. Those of edges are left to the network then: on PTC_MR,
    colours that know the bonds tell less (docs/recipe.md).

    Where nodes have none the first round sees the categories of their edges. Where edges have none either it
    sees degrees, and from the second on nearly every graph has colours of its own, which tell it apart from
    all others and like none: those blocks stay empty.
    """
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
    color, blocks = hash_rows(store.node_codes.astype(np.uint64)), []
    of_nodes, of_edges = _has_categories(store.schema.node), _has_categories(store.schema.edge)
    last = ROUNDS if of_nodes or of_edges else ROUNDS_OF_BARE_NODES
    for k in range(last + 1):
        if k == 1 and of_edges and not of_nodes:
            color = add_incident(color, hash_rows(store.edge_codes.astype(np.uint64)), edge_ptr)
        elif k:
            color = refine(color, edge_ptr, neighbor)
        blocks.append(hashed_histogram(graph, color, len(store), WIDTH))
    return blocks + [np.zeros((len(store), WIDTH), np.float32)] * (ROUNDS - last)


def _has_categories(columns: tuple[Column, ...]) -> bool:
    return any(len(column.values) > 1 for column in columns)
