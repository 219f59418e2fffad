"""The vocabulary of a collection: types of parts that mean the same in every graph.

nodes -> cells of alike nodes -> types, merged along edges -> parts: connected pieces of one type

No label and no network has a say in it, and it takes one pass over the graphs. The type of a node of an
unseen graph is that of the nearest cell; where nodes have no attributes, neighbours have a vote.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from partwhole.errors import PartwholeError
from partwhole.files.whole import atomic_file
from partwhole.graphs.store import GraphStore
from partwhole.parts.cells import Cells
from partwhole.parts.merging import even_merges, groups_after, merges
from partwhole.parts.voting import voted
from partwhole.runs.folder import RunFolder
from partwhole.structure.base import adjacency

TYPES = 16  # at most
MOST_GRAPHS = 4096  # that a vocabulary is learned from, spread evenly over all
MOST_NODES = 500_000  # of these, about
GRAPHS_AT_ONCE = 4096


@dataclass(frozen=True)
class Parts:
    """The parts of some graphs: each is a connected piece whose nodes have the same type."""

    graph: np.ndarray  # [P] int64, the place of the graph of each part
    type: np.ndarray  # [P] int64
    size: np.ndarray  # [P] int64, nodes
    part_of_node: np.ndarray  # [N] int64, of all graphs one after the other

    def __len__(self) -> int:
        return len(self.type)

    def nodes(self, store: GraphStore) -> list[np.ndarray]:
        """The nodes of each part, counted within its graph."""
        order = np.argsort(self.part_of_node, kind="stable")
        within = order - np.repeat(store.node_ptr[self.graph], self.size)
        return np.split(within, np.cumsum(self.size)[:-1]) if len(self) else []


@dataclass(frozen=True)
class Neighbors:
    """How the cells of a collection neighbour on each other."""

    joined: np.ndarray  # [M, M] edges between nodes of each pair of cells, in both directions
    sizes: np.ndarray  # [M] nodes of each cell

    def vote(self, types: np.ndarray, group: np.ndarray, store: GraphStore) -> np.ndarray:
        """[N] types with the votes of neighbours, who are trusted as far as types kept together in the fit;
        `group` [M] is the type of each cell."""
        of_type = np.eye(group.max() + 1)[group]  # [M, K]
        between = of_type.T @ self.joined @ of_type  # [K, K]
        together = between.diagonal() / np.maximum(between.sum(1), 1)
        nodes = self.sizes @ of_type
        return voted(types, adjacency(store), together, nodes / max(nodes.sum(), 1))


@dataclass(frozen=True)
class Vocabulary:
    """Types of parts, learned by `Vocabulary.of(graphs)`; `model.vocabulary_` is that of a fit.

    Examples
    --------
    >>> from partwhole import make_motif_graphs
    >>> from partwhole.parts.vocabulary import Vocabulary
    >>> graphs = make_motif_graphs(20)
    >>> vocabulary = Vocabulary.of(graphs).merged(2)
    >>> types = vocabulary.types_of(graphs)
    >>> bool((types == types[graphs.marks == 1][0])[graphs.marks == 1].all())
    True
    """

    cells: Cells
    steps: tuple[tuple[int, int], ...]  # which cells were merged, in this order
    number: int  # of types
    neighbors: Neighbors | None  # who have a vote, where nodes have no attributes

    @classmethod
    def of(
        cls, store: GraphStore, types: int = TYPES, random_state: int = 0, *, exactly: bool = False
    ) -> Vocabulary:
        """Learn at most so many types; fewer where fewer tell more.

        Parameters
        ----------
        store : GraphStore
            The collection; of more than 4,096 graphs or 500,000 nodes so many are looked at, spread evenly.
        types : int
            The most there may be.
        random_state : int
            Seed of the k-means that makes cells of nodes with many different attributes.
        exactly : bool
            Make so many types, of sizes as even as may be. There are fewer only where there are fewer
            different nodes.
        """
        if types < 1:
            raise PartwholeError(f"A vocabulary has at least one type, not {types}.")
        if not store.num_nodes.sum():
            raise PartwholeError("Graphs without nodes have no parts; give at least one node.")
        sample = _looked_at(store)
        cells = Cells.of(sample, random_state)
        cell = cells(sample)
        joined, sizes = _joined(sample, cell, len(cells)), np.bincount(cell, minlength=len(cells))
        neighbors = None if store.schema.node else Neighbors(joined, sizes)
        if exactly:
            number = min(types, int((sizes > 0).sum()))
            return cls(cells, tuple(even_merges(joined, sizes, number)), number, neighbors)
        steps, gaining = merges(joined, sizes)
        return cls(cells, tuple(steps), min(types, gaining), neighbors)

    def merged(self, number: int) -> Vocabulary:
        """The same with at most so many types; each is a union of the former ones."""
        if number < 1:
            raise PartwholeError(f"A vocabulary has at least one type, not {number}.")
        return replace(self, number=min(number, self.number))

    def types_of(self, store: GraphStore) -> np.ndarray:
        """[N] the type of each node of all graphs, one graph after the other."""
        group = groups_after(list(self.steps), len(self.cells), self.number)
        found = [np.zeros(0, np.int64)]
        for start in range(0, len(store), GRAPHS_AT_ONCE):
            piece = store[start : start + GRAPHS_AT_ONCE]
            types = group[self.cells(piece)]
            found.append(types if self.neighbors is None else self.neighbors.vote(types, group, piece))
        return np.concatenate(found)

    def parts_of(self, store: GraphStore) -> Parts:
        """The parts of all graphs, in the order of graphs."""
        types = self.types_of(store)
        edges = adjacency(store).tocoo()
        rows, columns = edges.coords
        inside = types[rows] == types[columns]
        same = coo_array((np.ones(inside.sum(), bool), (rows[inside], columns[inside])), shape=edges.shape)
        # Numbered by their first node, so by graph.
        part = connected_components(same, directed=False)[1].astype(np.int64)
        first, size = np.unique(part, return_index=True, return_counts=True)[1:]
        graph = np.searchsorted(store.node_ptr, first, side="right") - 1
        return Parts(graph, types[first], size, part)

    def counts(self, store: GraphStore) -> np.ndarray:
        """[graphs, types] how many parts of each type a graph has."""
        parts = self.parts_of(store)
        found = np.zeros((len(store), self.number), np.int64)
        np.add.at(found, (parts.graph, parts.type), 1)
        return found

    # ---------------------------------------------------------------- in a run folder

    def write(self, run: RunFolder) -> None:
        """Keep the vocabulary in a run folder."""
        cells = {name: np.ascontiguousarray(getattr(self.cells, name)) for name in FLOATS}
        if self.neighbors is not None:
            cells |= {"joined": self.neighbors.joined, "sizes": self.neighbors.sizes}
        steps = np.array(self.steps, np.int64).reshape(-1, 2)
        limits = np.array([self.cells.divided, self.number], np.int64)
        with atomic_file(run.vocabulary_file) as temporary:
            temporary.write_bytes(save({**cells, "steps": steps, "limits": limits}))

    @classmethod
    def read(cls, run: RunFolder) -> Vocabulary | None:
        """The vocabulary of a run folder; None if its fit is older than vocabularies."""
        if not run.vocabulary_file.exists():
            return None
        try:
            kept = load(run.vocabulary_file.read_bytes())
            divided, number = kept["limits"].tolist()
            mean, spread, centers, inner = (kept[name] for name in FLOATS)
            steps = tuple((int(i), int(j)) for i, j in kept["steps"])
            neighbors = Neighbors(kept["joined"], kept["sizes"]) if "joined" in kept else None
            return cls(Cells(mean, spread, centers, divided, inner), steps, number, neighbors)
        except (SafetensorError, KeyError, ValueError, OSError) as error:
            raise PartwholeError(
                f"{run.vocabulary_file} is damaged or cut short ({error}); restore it or fit again."
            ) from None


FLOATS = ("mean", "spread", "centers", "inner")  # arrays of the cells


def _looked_at(store: GraphStore) -> GraphStore:
    """Graphs spread evenly over all, so few that learning takes seconds."""
    within = len(store) * MOST_NODES // int(store.num_nodes.sum())
    most = max(min(len(store), MOST_GRAPHS, within), 1)
    return store.take(np.unique(np.linspace(0, len(store) - 1, most).astype(np.int64)))


def _joined(store: GraphStore, cell: np.ndarray, cells: int) -> np.ndarray:
    """[M, M] edges between nodes of each pair of cells, in both directions."""
    edges = adjacency(store).tocoo()
    rows, columns = edges.coords
    pairs = np.bincount(cell[rows] * cells + cell[columns], minlength=cells * cells)
    return pairs.reshape(cells, cells).astype(np.float64)
