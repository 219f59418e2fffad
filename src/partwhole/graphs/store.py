"""Many graphs as a few packed arrays that can be memory-mapped.

Taking a batch is array work: no Python object stands for a node, an edge or a graph.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, overload

import numpy as np
import torch

from partwhole.errors import PartwholeError, near_miss
from partwhole.files.whole import atomic_folder
from partwhole.graphs import captions
from partwhole.graphs.csr import concatenated_ranges, pack_edges, require_nodes, undirected_edges
from partwhole.graphs.graph import Graph, GraphBatch, InputRows
from partwhole.graphs.integrity import (
    digest_of,
    mapped_columns,
    require_attributes,
    require_whole,
    told_when_damaged,
)
from partwhole.graphs.schema import Schema, one_hot
from partwhole.graphs.values import as_ids
from partwhole.numerics.segment import permute_within_graphs

FORMAT = 1


@dataclass(frozen=True, eq=False, repr=False)
class GraphStore:
    """G graphs with N nodes in all and E directed entries (each edge in both directions)."""

    node_ptr: np.ndarray  # [G + 1] int64
    edge_ptr: np.ndarray  # [N + 1] int64
    neighbor: np.ndarray  # [E] int32, counted within the graph
    node_codes: np.ndarray  # [N, categorical columns] int16
    node_values: np.ndarray  # [N, numeric width] float32
    edge_codes: np.ndarray  # [E, categorical columns] int16
    edge_values: np.ndarray  # [E, numeric width] float32
    targets: np.ndarray  # [G, targets] float64, class codes or numbers, NaN where missing
    ids: np.ndarray  # [G] integers or text
    marks: np.ndarray  # [N] int8, ground truth about nodes (-1: none); never an input
    schema: Schema
    name: str = "graphs"
    origin: str = ""  # the file or folder that it was read from
    structure: dict[str, np.ndarray] = field(default_factory=dict)  # kind -> [N, D] float32 or bool
    # [G] places in what was read, from 0: `y[store.rows]` are values of the rows that were not left out.
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

        Edges are made symmetric and listed once; nothing is assumed about their order.
        """
        node_ptr = np.concatenate([[0], np.cumsum(node_counts, dtype=np.int64)])
        graphs, nodes = len(node_counts), int(node_ptr[-1])
        edge_ptr, neighbor, kept = pack_edges(node_ptr, edges)

        def column(given: np.ndarray | None, rows: int, dtype: Any) -> np.ndarray:
            empty = np.zeros((rows, 0))
            return np.ascontiguousarray(empty if given is None else given, dtype=dtype)

        store = cls(
            node_ptr=node_ptr,
            edge_ptr=edge_ptr,
            neighbor=neighbor,
            node_codes=column(node_codes, nodes, np.int16),
            node_values=column(node_values, nodes, np.float32),
            edge_codes=column(edge_codes, len(edges), np.int16)[kept],
            edge_values=column(edge_values, len(edges), np.float32)[kept],
            targets=column(targets, graphs, np.float64),
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
        marks = np.concatenate(given) if len(given) == len(graphs) else None
        return cls.from_arrays(
            counts,
            np.concatenate(numbered),
            schema=schema,
            node_codes=np.concatenate([g.node_codes for g in graphs]),
            node_values=np.concatenate([g.node_values for g in graphs]),
            edge_codes=np.concatenate([g.edge_codes for g in graphs]),
            edge_values=np.concatenate([g.edge_values for g in graphs]),
            targets=np.stack([g.targets for g in graphs]),
            ids=as_ids([g.id for g in graphs]),
            marks=marks,
            name=name,
        )

    # ---------------------------------------------------------------- reading

    __repr__ = captions.line
    _repr_html_ = captions.table

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    @overload
    def __getitem__(self, index: int | np.integer) -> Graph: ...
    @overload
    def __getitem__(self, index: slice | np.ndarray | Sequence[int]) -> GraphStore: ...
    def __getitem__(self, index: Any) -> Graph | GraphStore:
        """An integer gives a `Graph`; a slice, mask or list of integers gives a `GraphStore`."""
        if isinstance(index, int | np.integer):
            return self._graph(range(len(self))[int(index)])
        return self.take(np.arange(len(self))[index])

    def __iter__(self) -> Iterator[Graph]:
        return (self._graph(i) for i in range(len(self)))

    def _graph(self, i: int) -> Graph:
        nodes = slice(self.node_ptr[i], self.node_ptr[i + 1])
        edges = slice(self.edge_ptr[nodes.start], self.edge_ptr[nodes.stop])
        degree = np.diff(self.edge_ptr[nodes.start : nodes.stop + 1])
        target = np.repeat(np.arange(len(degree)), degree)
        return Graph(
            num_nodes=len(degree),
            edges=np.stack([target, self.neighbor[edges]], axis=1).astype(np.int64),
            node_codes=np.asarray(self.node_codes[nodes]),
            node_values=np.asarray(self.node_values[nodes]),
            edge_codes=np.asarray(self.edge_codes[edges]),
            edge_values=np.asarray(self.edge_values[edges]),
            targets=np.asarray(self.targets[i]),
            marks=np.asarray(self.marks[nodes]),
            id=self.ids[i : i + 1].tolist()[0],
            schema=self.schema,
        )

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
        """[G] the first target in its original encoding (class labels as they were given)."""
        if not self.schema.targets:
            raise PartwholeError(f"The data set {self.name!r} has no labels; give a labelled one, or embed.")
        column, missing = self.schema.targets[0], int(np.isnan(self.targets[:, 0]).sum())
        if column.is_categorical and missing:
            raise PartwholeError(
                f"{missing} of {len(self)} graphs of {self.name!r} have no label; leave them out first."
            )
        return np.array(self.target(column.name).tolist())

    def target(self, name: str) -> np.ndarray:
        """[G] a target in its original encoding: numbers with NaN, or labels with None where missing."""
        places = {column.name: k for k, column in enumerate(self.schema.targets)}
        if name not in places:
            known = near_miss(name, places) if places else " It has none; give labelled graphs."
            raise PartwholeError(f"The data set {self.name!r} has no target {name!r}.{known}")
        column, values = self.schema.targets[places[name]], self.targets[:, places[name]]
        if not column.is_categorical:
            return np.asarray(values)
        labels = np.array([*column.values, None], dtype=object)
        return labels[np.where(np.isnan(values), -1, values).astype(np.int64)]

    # ---------------------------------------------------------------- slicing

    def _rows(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of the node and edge columns that graphs `index` own, and node counts."""
        start, stop = self.node_ptr[index], self.node_ptr[index + 1]
        nodes = concatenated_ranges(start, stop - start)
        edge_start = self.edge_ptr[start]
        edges = concatenated_ranges(edge_start, self.edge_ptr[stop] - edge_start)
        return nodes, edges, stop - start

    def window(self, start: int, stop: int) -> GraphStore:
        """The graphs from `start` to `stop`, over the same memory."""
        nodes = slice(self.node_ptr[start], self.node_ptr[stop])
        edges = slice(self.edge_ptr[nodes.start], self.edge_ptr[nodes.stop])
        counts = np.diff(self.node_ptr[start : stop + 1])
        degree = np.diff(self.edge_ptr[nodes.start : nodes.stop + 1])
        return self._selected(slice(start, stop), nodes, edges, counts, degree)

    def take(self, index: np.ndarray) -> GraphStore:
        """The graphs `index`, in that order, as a store of their own."""
        nodes, edges, counts = self._rows(index)
        return self._selected(index, nodes, edges, counts, self.edge_ptr[nodes + 1] - self.edge_ptr[nodes])

    def _selected(
        self, graphs: Any, nodes: Any, edges: Any, counts: np.ndarray, degree: np.ndarray
    ) -> GraphStore:
        """Rows of the columns by indices, which copies them, or by slices, which does not."""
        return replace(
            self,
            node_ptr=np.concatenate([[0], np.cumsum(counts)]),
            edge_ptr=np.concatenate([[0], np.cumsum(degree)]),
            neighbor=self.neighbor[edges],
            node_codes=self.node_codes[nodes],
            node_values=self.node_values[nodes],
            edge_codes=self.edge_codes[edges],
            edge_values=self.edge_values[edges],
            targets=self.targets[graphs],
            ids=self.ids[graphs],
            marks=self.marks[nodes],
            structure={kind: x[nodes] for kind, x in self.structure.items()},
            rows=self.rows[graphs],
        )

    def batch_structure(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Graphs `index` as one disjoint graph: the nodes, numbered throughout, and in the numbering of
        the batch the first node of each graph, the row pointers and the neighbours."""
        nodes, edges, counts = self._rows(index)
        node_ptr = np.concatenate([[0], np.cumsum(counts)])
        degree = self.edge_ptr[nodes + 1] - self.edge_ptr[nodes]
        first_node = np.repeat(np.repeat(node_ptr[:-1], counts), degree)  # [e] of the entry's graph
        edge_ptr = np.concatenate([[0], np.cumsum(degree)])
        return nodes, node_ptr, edge_ptr, self.neighbor[edges] + first_node

    @staticmethod
    def permutation(node_ptr: np.ndarray, random: torch.Generator) -> np.ndarray:
        """Eq. 16: the order [n] in which the nodes of each graph are shuffled."""
        graph_of_node = np.repeat(np.arange(len(node_ptr) - 1), np.diff(node_ptr))
        return permute_within_graphs(torch.from_numpy(graph_of_node), random).numpy()

    def batch(self, index: np.ndarray, corrupt: torch.Generator | None = None) -> GraphBatch:
        """Graphs `index` as tensors: the input of the model. `corrupt` draws a permutation (Eq. 16)."""
        nodes, node_ptr, edge_ptr, neighbor = self.batch_structure(index)
        order = None if corrupt is None else torch.from_numpy(self.permutation(node_ptr, corrupt))
        return GraphBatch(
            inputs=self.inputs(nodes),
            node_ptr=torch.from_numpy(node_ptr),
            edge_ptr=torch.from_numpy(edge_ptr),
            neighbor=torch.from_numpy(neighbor),
            order=order,
        )

    def inputs(self, nodes: np.ndarray) -> InputRows:
        """The attributes of nodes (numbered throughout) and of their incident edges, one-hot."""
        attributes = {}
        if self.schema.node:
            encoded = one_hot(self.node_codes[nodes], self.node_values[nodes], self.schema.node)
            attributes["node"] = torch.from_numpy(encoded)
        for kind, x in self.structure.items():
            attributes[kind] = torch.from_numpy(x[nodes].astype(np.float32, copy=False))
        start = self.edge_ptr[nodes]
        degree = self.edge_ptr[nodes + 1] - start
        edge_attributes = None
        if self.schema.edge:
            edges = concatenated_ranges(start, degree)
            encoded = one_hot(self.edge_codes[edges], self.edge_values[edges], self.schema.edge)
            edge_attributes = torch.from_numpy(encoded)
        edge_ptr = torch.from_numpy(np.concatenate([[0], np.cumsum(degree)]))
        return InputRows(attributes, edge_ptr, edge_attributes)

    # ---------------------------------------------------------------- keeping

    def save(self, folder: str | Path) -> None:
        """One `.npy` a column and `schema.json`; appears whole or not at all."""
        with atomic_folder(Path(folder)) as temporary:
            for column in COLUMNS:
                content = getattr(self, column)
                content = content.astype(str) if content.dtype == object else content  # long ids
                np.save(temporary / f"{column}.npy", content, allow_pickle=False)
            about = {"format": FORMAT, "name": self.name, "schema": self.schema.to_dict()}
            (temporary / "schema.json").write_text(json.dumps(about, indent=1))

    @classmethod
    def open(cls, folder: str | Path) -> GraphStore:
        """Memory-map a saved store: it is looked at once, and nothing is copied until it is used."""
        folder = Path(folder)
        about, columns = mapped_columns(folder, COLUMNS, FORMAT)
        with told_when_damaged(folder):
            store = cls(**columns, schema=Schema.from_dict(about["schema"]), name=str(about["name"]))
            require_whole(store)
        return store

    @property
    def is_mapped(self) -> bool:
        return isinstance(self.neighbor, np.memmap)

    def release_pages(self) -> None:
        """Give the memory of mapped columns back; the files stay in the system's cache.

        A pass over a mapped store would otherwise count all of it as this process's memory.
        """
        if not self.is_mapped or not hasattr(mmap, "MADV_DONTNEED"):  # not on every system
            return
        for column in COLUMNS:
            mapped = getattr(getattr(self, column), "_mmap", None)
            if mapped is not None:
                mapped.madvise(mmap.MADV_DONTNEED)

    def digest(self) -> str:
        """SHA-256 of the content: the same for the same graphs, however they were stored."""
        return digest_of(self, [column for column in COLUMNS if column not in ("ids", "marks")])


OF_MEMORY = ("schema", "name", "origin", "structure", "rows")  # not columns of a saved store
COLUMNS = [f.name for f in fields(GraphStore) if f.name not in OF_MEMORY]
