"""From graphs of a store to a lifted batch."""

from __future__ import annotations

import numpy as np
import torch

from partwhole.graphs.graph import GraphBatch
from partwhole.graphs.refinement import classes, refine, start_colors
from partwhole.graphs.store import GraphStore
from partwhole.lifting.batch import Depth, LiftedBatch
from partwhole.lifting.quotient import first_nodes, graph_classes, quotient, transpose
from partwhole.nn.readout.base import Readout
from partwhole.nn.sparse import Sparse

MOST_STATIC_NODES = 5_000_000  # stores with more are coloured batch by batch, to bound memory
STATIC_GRAPHS = 4096  # coloured at a time, for the same reason
WORTHWHILE = 0.98  # of the plain path's rows; measured, see docs/speed.md
SAMPLE = 128  # graphs that the rule looks at


class Lifter:
    """Makes lifted batches of a store for a network of `depth` layers.

    The colours of the stored graphs are computed once; those of a permuted copy with each batch.
    """

    def __init__(self, store: GraphStore, depth: int, *, static: bool = True):
        self.store = store
        self.depth = depth
        self._static: list[np.ndarray] | None = None
        if static and len(store.edge_ptr) - 1 <= MOST_STATIC_NODES:
            pieces = []
            for start in range(0, len(store), STATIC_GRAPHS):
                index = np.arange(start, min(start + STATIC_GRAPHS, len(store)))
                nodes, _, edge_ptr, neighbor = store.batch_structure(index)
                pieces.append(self._refined(start_colors(store, nodes), edge_ptr, neighbor))
            self._static = [np.concatenate(depth) for depth in zip(*pieces)]

    def batch(self, index: np.ndarray, corrupt: torch.Generator | None = None) -> LiftedBatch:
        """The lifted counterpart of `GraphStore.batch`."""
        store = self.store
        nodes, node_ptr, edge_ptr, neighbor = store.batch_structure(index)
        if self._static is not None:
            colors = [static[nodes] for static in self._static]
        else:
            colors = self._refined(start_colors(store, nodes), edge_ptr, neighbor)
        if corrupt is not None:
            order = store.permutation(node_ptr, corrupt)
            permuted = self._refined(colors[0][order], edge_ptr, neighbor)
            colors = [np.concatenate(pair) for pair in zip(colors, permuted)]
            node_ptr = np.concatenate([node_ptr, node_ptr[1:] + len(nodes)])
        before, first, sizes = classes(colors[0])
        inputs = store.inputs(nodes[first])  # a class of depth 0 first appears in G, not in G^
        found = []
        for k in range(1, self.depth + 1):
            of_node, first, counts = classes(colors[k])
            matrix = quotient(before, first, len(sizes), edge_ptr, neighbor)
            found.append((counts, _sparse(*matrix, len(sizes)), graph_classes(of_node, node_ptr, len(first))))
            before, sizes = of_node, counts
        row_ptr, row_class, _, pair_of_node = found[-1][2]
        rows = first_nodes(pair_of_node, len(row_class))
        depths = [_depth(*of_depth, rows, len(index)) for of_depth in found]
        return LiftedBatch(inputs, depths, torch.from_numpy(row_ptr.astype(np.int64)), len(index))

    def _refined(self, colors: np.ndarray, edge_ptr: np.ndarray, neighbor: np.ndarray) -> list[np.ndarray]:
        """Colours of depth 0, 1, … from those of depth 0."""
        out = [colors]
        for _ in range(self.depth):
            out.append(refine(out[-1], edge_ptr, neighbor))
        return out


def _depth(
    sizes: np.ndarray,
    neighbors: Sparse,
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    rows: np.ndarray,
    graphs: int,
) -> Depth:
    ptr, column, count, pair_of_node = pairs
    pair_of_row = pair_of_node[rows].astype(np.int64)
    end = ptr[graphs]
    whole = _sparse(ptr, column, count, len(sizes))
    originals = whole
    if graphs < len(ptr) - 1:
        originals = _sparse(ptr[: graphs + 1], column[:end], count[:end], len(sizes))
    return Depth(
        sizes=torch.from_numpy(sizes),
        neighbors=neighbors,
        graphs=whole,
        originals=originals,
        pair_of_row=torch.from_numpy(pair_of_row),
        class_of_row=torch.from_numpy(column[pair_of_row].astype(np.int64)),
    )


def _sparse(ptr: np.ndarray, column: np.ndarray, weight: np.ndarray, columns: int) -> Sparse:
    t_ptr, t_row, t_place = transpose(ptr, column, columns)
    arrays = (ptr, column, weight, t_ptr, t_row, t_place, weight[t_place])
    return Sparse(*(torch.from_numpy(a) for a in arrays))


def choose_batches(
    store: GraphStore,
    backbone: torch.nn.Module,
    readout: Readout,
    depth: int,
    *,
    corrupt: bool,
    again: bool,
    lift: bool = True,
) -> GraphStore | Lifter:
    """What makes the batches: a `Lifter` where lifting is exact and pays, else the store itself.

    It is exact for a backbone that sums over neighbours and a readout that sums over nodes. It pays
    when a sample of the graphs has fewer class rows than node rows: continuous attributes, which
    make every node a class of its own, do not. `again`: graphs are asked for more than once, so that
    their colours are worth keeping.
    """
    if not (lift and getattr(backbone, "lifts", False) and readout.lifts):
        return store
    sample = np.unique(np.linspace(0, len(store) - 1, min(len(store), SAMPLE)).astype(np.int64))
    random = torch.Generator().manual_seed(0) if corrupt else None
    lifted = Lifter(store, depth, static=False).batch(sample, random)
    plain: GraphBatch = store.batch(sample)
    rows = sum(len(d.sizes) for d in lifted.depths)
    if rows > WORTHWHILE * depth * plain.num_nodes * (2 if corrupt else 1):
        return store
    return Lifter(store, depth, static=again)
