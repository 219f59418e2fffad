"""Many graphs as a few packed arrays that can be memory-mapped.

Taking a batch is array work: no Python object stands for a node, an edge or a graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

import numpy as np
import torch

from partwhole.graphs import captions, packing, saving, slicing
from partwhole.graphs.csr import pack_edges, undirected_edges
from partwhole.graphs.graph import Graph, GraphBatch, InputRows
from partwhole.graphs.integrity import require_attributes, require_whole
from partwhole.graphs.labels import first_target, target_values
from partwhole.graphs.schema import Schema


@dataclass(frozen=True, eq=False, repr=False)
class GraphStore:
    """A set of graphs, kept as arrays: what `load_graphs` gives, and what is fitted and embedded.

    G graphs have N nodes in all and E entries, an entry for each edge in each direction. A store behaves as a
    sequence: `len(store)`, `store[0]` is a `Graph`, `store[:100]`, `store[mask]` and `store[[3, 1]]` are
    stores. It is not changed once it is made.

    Attributes
    ----------
    node_ptr : ndarray [G + 1] int64
        Graph g owns the nodes `node_ptr[g]` to `node_ptr[g + 1]`.
    edge_ptr : ndarray [N + 1] int64
        Node v owns the entries `edge_ptr[v]` to `edge_ptr[v + 1]`.
    neighbor : ndarray [E] int32
        The other end of each entry, counted within its graph.
    node_codes, edge_codes : ndarray [N or E, categorical columns] int16
        Categories by their place in the schema; -1 where one is missing.
    node_values, edge_values : ndarray [N or E, numeric width] float32
        Numeric attributes.
    targets : ndarray [G, targets] float64
        Codes of classes or numbers, NaN where missing; `target` and `labels` give them as they were.
    ids : ndarray [G]
        What the graphs are called: integers or text.
    marks : ndarray [N] int8
        Ground truth about nodes, -1 where there is none; never an input.
    schema : Schema
        The names and widths of all columns.
    name : str
        What the set is called.
    origin : str
        The file or folder that it was read from, empty if none.
    structure : dict of str to ndarray [N, D]
        Attributes from the shape of the graphs, by their kind, once a model has asked for them.
    rows : ndarray [G] int64
        Places in what was read, from 0: `y[store.rows]` are the values of the graphs that were not left out.

    Examples
    --------
    >>> from partwhole import make_motif_graphs
    >>> store = make_motif_graphs(num_graphs=6)
    >>> store
    GraphStore('MOTIFS': 6 graphs, 154 nodes, 157 edges; targets: motif (2 classes))
    >>> len(store), store[0].num_nodes
    (6, 29)
    >>> store[store.labels == "house"].labels.tolist()
    ['house', 'house', 'house']
    """

    node_ptr: np.ndarray
    edge_ptr: np.ndarray
    neighbor: np.ndarray
    node_codes: np.ndarray
    node_values: np.ndarray
    edge_codes: np.ndarray
    edge_values: np.ndarray
    targets: np.ndarray
    ids: np.ndarray
    marks: np.ndarray
    schema: Schema
    name: str = "graphs"
    origin: str = ""
    structure: dict[str, np.ndarray] = field(default_factory=dict)
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        if len(self.rows) != len(self):
            object.__setattr__(self, "rows", np.arange(len(self)))

    # ---------------------------------------------------------------- making

    @classmethod
    def from_arrays(
        cls,
        node_counts: np.ndarray,
        edges: np.ndarray,
        *,
        schema: Schema = Schema(),
        node_codes: np.ndarray | None = None,
        node_values: np.ndarray | None = None,
        edge_codes: np.ndarray | None = None,
        edge_values: np.ndarray | None = None,
        targets: np.ndarray | None = None,
        ids: np.ndarray | None = None,
        marks: np.ndarray | None = None,
        rows: np.ndarray | None = None,
        name: str = "graphs",
    ) -> GraphStore:
        """Pack graphs given by node counts [G] and edges [M, 2] over nodes numbered throughout.

        Edges are made symmetric and listed once; nothing is assumed about their order. The other arrays are
        those of the class, the attributes of edges with a row for each of `edges`.
        """
        node_ptr = np.concatenate([[0], np.cumsum(node_counts, dtype=np.int64)])
        graphs, nodes = len(node_counts), int(node_ptr[-1])
        edge_ptr, neighbor, kept = pack_edges(node_ptr, edges)
        store = cls(
            node_ptr=node_ptr,
            edge_ptr=edge_ptr,
            neighbor=neighbor,
            node_codes=packing.column(node_codes, nodes, np.int16),
            node_values=packing.column(node_values, nodes, np.float32),
            edge_codes=packing.column(edge_codes, len(edges), np.int16)[kept],
            edge_values=packing.column(edge_values, len(edges), np.float32)[kept],
            targets=packing.column(targets, graphs, np.float64),
            ids=np.arange(graphs) if ids is None else np.asarray(ids),
            marks=np.full(nodes, -1, np.int8) if marks is None else np.asarray(marks, np.int8),
            schema=schema,
            name=name,
            rows=np.arange(graphs) if rows is None else rows,
        )
        require_attributes(store)
        return store

    @classmethod
    def from_graphs(cls, graphs: Sequence[Graph], name: str = "graphs") -> GraphStore:
        """Pack `Graph`s, which must all have the attributes of the first.

        Parameters
        ----------
        graphs : sequence of Graph
            At least one.
        name : str
            What the set is called.

        Examples
        --------
        >>> import numpy as np
        >>> from partwhole import Graph, GraphStore
        >>> path, dot = Graph(3, np.array([[0, 1], [1, 2]])), Graph(1, np.zeros((0, 2), int))
        >>> GraphStore.from_graphs([path, dot], name="two")
        GraphStore('two': 2 graphs, 4 nodes, 2 edges)
        """
        return cls.from_arrays(**packing.joined(graphs), name=name)

    # ---------------------------------------------------------------- reading

    __repr__ = captions.line
    _repr_html_ = captions.table

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    @overload
    def __getitem__(self, index: int | np.integer) -> Graph: ...
    @overload
    def __getitem__(self, index: slice | np.ndarray | Sequence[int]) -> GraphStore: ...
    def __getitem__(self, index: int | np.integer | slice | np.ndarray | Sequence[int]) -> Graph | GraphStore:
        """An integer gives a `Graph`; a slice, mask or list of integers gives a `GraphStore`."""
        if isinstance(index, int | np.integer):
            return packing.unpacked(self, range(len(self))[int(index)])
        return self.take(np.arange(len(self))[index])

    def __iter__(self) -> Iterator[Graph]:
        return (packing.unpacked(self, i) for i in range(len(self)))

    @property
    def num_nodes(self) -> np.ndarray:
        """[G] nodes of each graph."""
        return np.diff(self.node_ptr)

    @property
    def num_edges(self) -> np.ndarray:
        """[G] undirected edges of each graph; a self-loop counts once."""
        return undirected_edges(self.node_ptr, self.edge_ptr, self.neighbor)

    @property
    def has_labels(self) -> bool:
        """Whether every graph has the first target."""
        return bool(self.schema.targets) and not np.isnan(self.targets[:, 0]).any()

    @property
    def labels(self) -> np.ndarray:
        """[G] the first target as it was given; a `PartwholeError` where a graph has no class label."""
        return first_target(self)

    def target(self, name: str) -> np.ndarray:
        """Give one target of all graphs as it was given.

        Parameters
        ----------
        name : str
            A name in `store.schema.targets`; a wrong one is a `PartwholeError` that names the nearest.

        Returns
        -------
        ndarray [G]
            Numbers with NaN, or labels with None, where it is missing.

        Examples
        --------
        >>> from partwhole import make_motif_graphs
        >>> make_motif_graphs(num_graphs=3).target("motif").tolist()
        ['cycle', 'house', 'cycle']
        """
        return target_values(self, name)

    # ---------------------------------------------------------------- slicing

    def take(self, index: np.ndarray) -> GraphStore:
        """Copy the graphs `index` [k] of integers, in that order, to a store of their own."""
        return slicing.taken(self, index)

    def window(self, start: int, stop: int) -> GraphStore:
        """Give the graphs from `start` to `stop` over the same memory, where `take` would copy."""
        return slicing.window(self, start, stop)

    def batch_structure(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Graphs `index` as one disjoint graph: the nodes, numbered throughout, and in the numbering of
        the batch the first node of each graph, the row pointers and the neighbours."""
        return slicing.batch_structure(self, index)

    @staticmethod
    def permutation(node_ptr: np.ndarray, random: torch.Generator) -> np.ndarray:
        """Eq. 16: the order [n] in which the nodes of each graph are shuffled."""
        return slicing.permutation(node_ptr, random)

    def batch(self, index: np.ndarray, corrupt: torch.Generator | None = None) -> GraphBatch:
        """Give the graphs `index` [B] as tensors for the model; `corrupt` draws the order of Eq. 16."""
        return slicing.batch(self, index, corrupt)

    def inputs(self, nodes: np.ndarray) -> InputRows:
        """The attributes of nodes (numbered throughout) and of their incident edges, one-hot."""
        return slicing.inputs(self, nodes)

    # ---------------------------------------------------------------- keeping

    def save(self, folder: str | Path) -> None:
        """Write the store to a folder: one `.npy` a column and `schema.json`.

        The folder appears whole or not at all. `origin`, `structure` and `rows` are not kept.

        Parameters
        ----------
        folder : str or Path
            A new folder, or one of a store, which is replaced; anything else is a `PartwholeError`.
        """
        saving.save(self, Path(folder))

    @classmethod
    def open(cls, folder: str | Path) -> GraphStore:
        """Memory-map a saved store: it is looked at once, and nothing is copied until it is used.

        Parameters
        ----------
        folder : str or Path
            What `save` wrote; a damaged one is a `PartwholeError`.

        Examples
        --------
        >>> import tempfile
        >>> from partwhole import GraphStore, make_motif_graphs
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     make_motif_graphs(num_graphs=4).save(f"{folder}/motifs")
        ...     store = GraphStore.open(f"{folder}/motifs")
        >>> store.is_mapped, len(store)
        (True, 4)
        """
        folder = Path(folder)
        manifest, columns = saving.mapped_columns(folder)
        with saving.told_when_damaged(folder):
            schema = Schema.from_dict(manifest["schema"])
            store = cls(**columns, schema=schema, name=str(manifest["name"]))
            require_whole(store)
        return store

    @property
    def is_mapped(self) -> bool:
        """Whether the columns are files that are read when they are used."""
        return isinstance(self.neighbor, np.memmap)

    def release_pages(self) -> None:
        """Give the memory of mapped columns back; the files stay in the system's cache."""
        saving.release_pages(self)

    def digest(self) -> str:
        """SHA-256 of the content: the same for the same graphs, however they were stored or are called."""
        return saving.digest(self)
