"""The typed objects at the seams: one graph, a batch of graphs, and the views of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import torch
from numpy.typing import DTypeLike
from torch import Tensor

from partwhole.graphs.node_vectors import NodeVectors, PlainNodes, Rows
from partwhole.graphs.schema import Schema
from partwhole.numerics.segment import neighbor_sum, segment_ids
from partwhole.parallel import ranks


def _empty(rows: int, dtype: DTypeLike) -> np.ndarray:
    return np.zeros((rows, 0), dtype=dtype)


@dataclass(frozen=True, eq=False)
class Graph:
    """One undirected graph on its own, as `store[i]` gives it and as readers may build it.

    Edges may be listed once or in both directions; packing into a store makes them symmetric.

    Parameters
    ----------
    num_nodes : int
        Nodes n, numbered from 0.
    edges : ndarray [E, 2] of integers
        The two ends of each edge.
    node_codes, edge_codes : ndarray [n or E, categorical columns] int16, optional
        Categories by their place in the schema; -1 where one is missing.
    node_values, edge_values : ndarray [n or E, numeric width] float32, optional
        Numeric attributes.
    targets : ndarray [targets] float64, optional
        Codes of classes, or numbers; NaN where missing.
    marks : ndarray [n] int8, optional
        Ground truth about nodes; never an input.
    id : str or int
        What the graph is called.
    schema : Schema
        The names and widths of the columns above; none by default.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import Graph
    >>> triangle = Graph(num_nodes=3, edges=np.array([[0, 1], [1, 2], [2, 0]]), id="triangle")
    >>> triangle.node_values.shape
    (3, 0)
    """

    num_nodes: int
    edges: np.ndarray
    node_codes: np.ndarray = None  # type: ignore[assignment]  # never None after `__post_init__`
    node_values: np.ndarray = None  # type: ignore[assignment]
    edge_codes: np.ndarray = None  # type: ignore[assignment]
    edge_values: np.ndarray = None  # type: ignore[assignment]
    targets: np.ndarray = field(default_factory=lambda: np.zeros(0))
    marks: np.ndarray | None = None
    id: str | int = 0
    schema: Schema = Schema()

    def __post_init__(self) -> None:
        sizes = {"node_codes": (self.num_nodes, np.int16), "node_values": (self.num_nodes, np.float32)}
        sizes |= {"edge_codes": (len(self.edges), np.int16), "edge_values": (len(self.edges), np.float32)}
        for name, (rows, dtype) in sizes.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, _empty(rows, dtype))


class Movable:
    """A frozen dataclass of tensors that can go to another device or precision as a whole."""

    def map(self, change: Callable[[Tensor], Tensor]) -> Self:
        """A copy with `change(tensor)` for every tensor, however deep."""

        def walk(value: Any) -> Any:
            if isinstance(value, Tensor):
                return change(value)
            if isinstance(value, Movable):
                return value.map(change)
            if isinstance(value, Mapping):
                return {k: walk(v) for k, v in value.items()}
            if isinstance(value, list | tuple):
                return type(value)(walk(v) for v in value)
            return value

        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        return replace(self, **{name: walk(getattr(self, name)) for name in names})  # type: ignore[type-var]

    def to(self, device: torch.device | str) -> Self:
        """A copy on this device; itself where that is the CPU, on which all are made."""
        return self if torch.device(device).type == "cpu" else self.map(lambda x: x.to(device))

    def double(self) -> Self:
        """A copy in double precision, for tests that compare to many digits."""
        return self.map(lambda x: x.double() if x.is_floating_point() else x)


@dataclass(frozen=True, eq=False)
class InputRows(Movable):
    """The attributes that X^(0) is made from."""

    attributes: Mapping[str, Tensor]  # kind -> [rows, D_kind] float
    edge_ptr: Tensor  # [rows + 1] int64, the incident edges of each row
    edge_attributes: Tensor | None  # [e, D_E] float


class Batch(Protocol):
    """Several graphs, and how vectors flow through them layer by layer.

    The plain batch has one row per node at every depth; a lifted batch has one row per class of
    nodes that provably have equal vectors. The model is written once, for both.
    """

    @property
    def inputs(self) -> InputRows:
        """The attributes of the rows of depth 0."""
        ...

    def to(self, device: torch.device | str) -> Self:
        """The same on another device."""
        ...

    @property
    def num_graphs(self) -> int:
        """Graphs G; with a corruption as many G^ follow them."""
        ...

    def start(self, x0: Tensor) -> Tensor:
        """X^(0) on the rows of depth 0, those of G^ (Eq. 16) after those of G."""
        ...

    def aggregate(self, depth: int, x: Tensor) -> Tensor:
        """Rows of depth - 1 -> rows of depth: each node plus the sum of its neighbours."""
        ...

    def sizes(self, depth: int) -> Tensor | None:
        """How many nodes each row of this depth stands for; None: one each."""
        ...

    def nodes(self, layers: Sequence[Tensor], weight: Tensor, bias: Tensor) -> NodeVectors:
        """X_G = sum_k weight_k X^(k) + bias (Eq. 5), ready to be read out."""
        ...

    def side_by_side(self, layers: Sequence[Tensor]) -> NodeVectors:
        """[X^(1) … X^(L)] as one vector of width L d, as other methods read out."""
        ...


@dataclass(frozen=True, eq=False)
class GraphBatch(Movable):
    """Several graphs as one disjoint graph, in CSR form, on one device.

    The adjacency is symmetric: row v of the CSR lists the neighbours of v, and edge attributes
    stand in the same order, so that summing a row is also the sum over incident edges.
    """

    inputs: InputRows
    node_ptr: Tensor  # [B + 1] int64, graph g owns nodes node_ptr[g] : node_ptr[g + 1]
    edge_ptr: Tensor  # [n + 1] int64, node v owns entries edge_ptr[v] : edge_ptr[v + 1]
    neighbor: Tensor  # [e] int64, node index within the batch
    order: Tensor | None = None  # [n] int64: node v of G^ starts as node order[v] of G (Eq. 16)

    @property
    def num_graphs(self) -> int:
        """Graphs B, without their corruptions."""
        return len(self.node_ptr) - 1

    @property
    def num_nodes(self) -> int:
        """Nodes n of all graphs, without those of the corruptions."""
        return len(self.edge_ptr) - 1

    @cached_property
    def graph_of_node(self) -> Tensor:
        """[n] int64: the graph of each node, from 0 to B - 1."""
        return segment_ids(self.node_ptr, self.num_nodes)

    @cached_property
    def joint(self) -> GraphBatch:
        """The structure that is passed through: G alone, or G and then G^ as one batch.

        One joint pass lets BatchNorm see both as one (ledger row 9).
        """
        if self.order is None:
            return self
        return GraphBatch(
            inputs=self.inputs,
            node_ptr=torch.cat([self.node_ptr, self.node_ptr[1:] + self.num_nodes]),
            edge_ptr=torch.cat([self.edge_ptr, self.edge_ptr[1:] + len(self.neighbor)]),
            neighbor=torch.cat([self.neighbor, self.neighbor + self.num_nodes]),
        )

    @cached_property
    def edge_index(self) -> Tensor:
        """[2, e] (source, target) of the joint structure, the layout of PyTorch Geometric."""
        joint = self.joint
        target = segment_ids(joint.edge_ptr, len(joint.neighbor))
        return torch.stack([joint.neighbor, target])

    def start(self, x0: Tensor) -> Tensor:
        """X^(0) [n, d], after it the same rows in the order of G^ (Eq. 16), where there is one."""
        return x0 if self.order is None else torch.cat([x0, x0.index_select(0, self.order)])

    def aggregate(self, depth: int, x: Tensor) -> Tensor:
        """Each node plus the sum of its neighbours (Eq. 1); the same at every depth."""
        return x + neighbor_sum(x, self.joint.edge_ptr, self.joint.neighbor)

    def sizes(self, depth: int) -> Tensor | None:
        """None: a row is one node."""
        return None

    def nodes(self, layers: Sequence[Tensor], weight: Tensor, bias: Tensor) -> NodeVectors:
        """X_G by layer-conv (Eq. 5), a row for each node."""
        x = bias + weight[0] * layers[0]
        for w, layer in zip(weight[1:], layers[1:], strict=True):
            x = torch.addcmul(x, w, layer)
        return self._plain(x, layers)

    def side_by_side(self, layers: Sequence[Tensor]) -> NodeVectors:
        """[X^(1) … X^(L)], a row for each node."""
        return self._plain(torch.cat(list(layers), dim=1), layers)

    def _plain(self, x: Tensor, layers: Sequence[Tensor]) -> NodeVectors:
        joint = self.joint
        return PlainNodes(x, Rows(joint.node_ptr, joint.graph_of_node, None), layers)


@dataclass(frozen=True, eq=False)
class GraphViews:
    """What the model says of a batch, and all that a loss may look at."""

    graph: Tensor  # [B, d] h(G)
    reconstructed: Tensor  # [B, K, d] h~(G): K = 1 after subgraph-conv, K = S in BASE
    corrupted: Tensor | None  # [B, d] h(G^); None without head negatives
    membership: Tensor  # [S, rows] how much of each row each subgraph holds
    rows: Rows  # which graph each of these rows belongs to, and how many nodes it stands for
    layer_sums: Callable[[], Tensor] | None = None  # () -> [B, L d], computed where it is asked for

    def vectors_of_all_ranks(self) -> GraphViews:
        """The views of the whole batch, of which this rank has a piece; membership stays its own."""
        h, rec, corrupted = self.graph, self.reconstructed, self.corrupted
        return replace(
            self,
            graph=ranks.gathered(h),
            reconstructed=ranks.gathered(rec),
            corrupted=None if corrupted is None else ranks.gathered(corrupted),
        )
