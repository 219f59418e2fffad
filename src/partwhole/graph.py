"""The typed objects at the seams: one graph, a batch of graphs, and the views of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from partwhole.schema import Schema


def _empty(rows: int, dtype: Any) -> np.ndarray:
    return np.zeros((rows, 0), dtype=dtype)


@dataclass(frozen=True, eq=False)
class Graph:
    """One undirected graph on its own, as `store[i]` gives it and as readers may build it.

    Edges may be listed once or in both directions; packing into a store makes them symmetric.
    """

    num_nodes: int
    edges: np.ndarray  # [E, 2] int
    node_codes: np.ndarray = None  # type: ignore[assignment]  # [n, categorical columns] int16
    node_values: np.ndarray = None  # type: ignore[assignment]  # [n, numeric width] float32
    edge_codes: np.ndarray = None  # type: ignore[assignment]  # [E, categorical columns] int16
    edge_values: np.ndarray = None  # type: ignore[assignment]  # [E, numeric width] float32
    targets: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [targets] float64
    marks: np.ndarray | None = None  # [n] int8, ground truth about nodes; never an input
    id: str | int = 0
    schema: Schema = Schema()

    def __post_init__(self) -> None:
        sizes = {"node_codes": (self.num_nodes, np.int16), "node_values": (self.num_nodes, np.float32)}
        sizes |= {"edge_codes": (len(self.edges), np.int16), "edge_values": (len(self.edges), np.float32)}
        for name, (rows, dtype) in sizes.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, _empty(rows, dtype))


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Several graphs as one disjoint graph, in CSR form, on one device.

    The adjacency is symmetric: row v of the CSR lists the neighbours of v, and edge attributes
    stand in the same order, so that summing a row is also the sum over incident edges.
    """

    node_ptr: Tensor  # [B + 1] int64, graph g owns nodes node_ptr[g] : node_ptr[g + 1]
    edge_ptr: Tensor  # [n + 1] int64, node v owns entries edge_ptr[v] : edge_ptr[v + 1]
    neighbor: Tensor  # [e] int64, node index within the batch
    attributes: Mapping[str, Tensor]  # kind -> [n, D_kind] float
    edge_attributes: Tensor | None  # [e, D_E] float

    @property
    def num_graphs(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def num_nodes(self) -> int:
        return len(self.edge_ptr) - 1

    @cached_property
    def graph_of_node(self) -> Tensor:
        """[n] int64"""
        graphs = torch.arange(self.num_graphs, device=self.node_ptr.device)
        return graphs.repeat_interleave(self.node_ptr.diff(), output_size=self.num_nodes)

    @cached_property
    def edge_index(self) -> Tensor:
        """[2, e] (source, target), the layout of PyTorch Geometric."""
        nodes = torch.arange(self.num_nodes, device=self.edge_ptr.device)
        target = nodes.repeat_interleave(self.edge_ptr.diff(), output_size=len(self.neighbor))
        return torch.stack([self.neighbor, target])

    def doubled(self) -> GraphBatch:
        """The structure of the batch twice, for the joint pass over G and its corruption G^.

        Attributes are left out: the pass starts from X^(0), which the caller has.
        """
        return GraphBatch(
            node_ptr=torch.cat([self.node_ptr, self.node_ptr[1:] + self.num_nodes]),
            edge_ptr=torch.cat([self.edge_ptr, self.edge_ptr[1:] + len(self.neighbor)]),
            neighbor=torch.cat([self.neighbor, self.neighbor + self.num_nodes]),
            attributes={},
            edge_attributes=None,
        )

    def to(self, device: torch.device | str) -> GraphBatch:
        return replace(
            self,
            node_ptr=self.node_ptr.to(device),
            edge_ptr=self.edge_ptr.to(device),
            neighbor=self.neighbor.to(device),
            attributes={kind: x.to(device) for kind, x in self.attributes.items()},
            edge_attributes=None if self.edge_attributes is None else self.edge_attributes.to(device),
        )

    def double(self) -> GraphBatch:
        """Attributes in double precision, for tests that compare to many digits."""
        return replace(
            self,
            attributes={kind: x.double() for kind, x in self.attributes.items()},
            edge_attributes=None if self.edge_attributes is None else self.edge_attributes.double(),
        )


@dataclass(frozen=True, eq=False)
class GraphViews:
    """What the model says of a batch, and all that a loss may look at."""

    graph: Tensor  # [B, d] h(G)
    reconstructed: Tensor  # [B, K, d] h~(G): K = 1 after subgraph-conv, K = S in BASE
    corrupted: Tensor | None  # [B, d] h(G^); None without head negatives
    membership: Tensor  # [S, n] how much of each node each subgraph holds
