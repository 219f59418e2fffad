"""The model: Algorithm 1 of the paper, in its order and its letters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from torch import Tensor, nn

from partwhole.config import ModelOptions
from partwhole.generators.base import Generator
from partwhole.graphs.graph import Batch, GraphViews, InputRows
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.nn.building import build_backbone
from partwhole.nn.graph_encoder import GraphEncoder
from partwhole.nn.layers import MLP, StackConv
from partwhole.nn.readout.base import Readout
from partwhole.registry import GENERATORS, READOUTS


class NodeAggregation(nn.Module):
    """Node-Agg: N kinds of attributes to X^(0) (Eq. 2-4).

    Every kind has an MLP of its own; edge attributes are summed over the incident edges; an
    (N, 1) kernel mixes the kinds. With one kind only there is nothing to mix.
    """

    def __init__(self, widths: Mapping[str, int], edge_width: int, hidden: int):
        super().__init__()
        self.node_mlps = nn.ModuleDict({kind: MLP(w, hidden, hidden) for kind, w in widths.items()})
        self.edge_mlp = MLP(edge_width, hidden, hidden) if edge_width else None
        kinds = len(widths) + (edge_width > 0)
        self.attribute_conv = StackConv(kinds) if kinds > 1 else None

    def forward(self, inputs: InputRows) -> Tensor:
        """X^(0) [n, d] from the attributes of nodes and edges."""
        kinds = [mlp(inputs.attributes[kind]) for kind, mlp in self.node_mlps.items()]  # [n, d] each
        if self.edge_mlp is not None:
            assert inputs.edge_attributes is not None
            # AGG: the sum over incident edges, [n, d]
            kinds.append(self.edge_mlp.sum_over(inputs.edge_attributes, inputs.edge_ptr))
        x0: Tensor = kinds[0] if self.attribute_conv is None else self.attribute_conv(kinds)
        return x0


class LayerAggregation(nn.Module):
    """Layer-Agg: L layers of a GNN, mixed by an (L, 1) kernel into X_G (Eq. 1 and 5)."""

    def __init__(self, backbone: nn.Module, layers: int):
        super().__init__()
        self.backbone = backbone  # (X^(0), batch) -> X^(1) … X^(L)
        self.layer_conv = StackConv(layers)

    def forward(self, x0: Tensor, batch: Batch) -> NodeVectors:
        """X_G from X^(0), by the backbone and layer-conv."""
        layers = self.backbone(batch.start(x0), batch)  # X^(1) … X^(L)
        return batch.nodes(layers, self.layer_conv.weight, self.layer_conv.bias)


class SubgraphAggregation(nn.Module):
    """Subgraph-Agg: S subgraphs, read out and mixed by an (S, 1) kernel into h~ (Eq. 8-12).

    Where the generator divides nodes evenly, h~ begins near the mean of the subgraphs. Weights of both signs
    would begin with an h~ that points away from h, and the few steps of a small data set do not turn it.
    """

    def __init__(self, generator: Generator, num_subgraphs: int, *, conv: bool = True):
        super().__init__()
        self.generator = generator  # X_G -> membership [S, rows]
        even = generator.middle is not None
        self.subgraph_conv = StackConv(num_subgraphs, even=even) if conv else None

    def forward(self, nodes: NodeVectors, readout: Readout) -> tuple[Tensor, Tensor]:
        """h~ [B, 1, d] (BASE: the subgraphs themselves [B, S, d]) and the membership [S, rows]."""
        membership = self.generator(nodes)  # [S, rows]
        conv = self.subgraph_conv
        if conv is None:  # BASE: h(G) against every subgraph
            return readout(nodes, membership), membership  # [B, S, d], h(G_1) … h(G_S)
        if readout.is_linear:  # mixing the weights of the nodes first gives the same h~ (Eq. 10)
            mixed = readout.read(nodes, conv.weight @ membership) + conv.bias
        else:
            mixed = conv(readout(nodes, membership).unbind(1))
        return mixed.unsqueeze(1), membership  # [B, 1, d]


class PartWhole(GraphEncoder):
    """Graphs to vectors: `embed` gives h(G); `forward` the three views that training compares.

    A batch with G^ is `store.batch(index, torch.Generator().manual_seed(step))`, the loss of its views
    `training.objectives.head_tail_loss(views, options)`; `examples/own_training_loop.py` is a whole loop.
    The vectors are h(G); the default vectors of `SubgraphInfoMax` come from `recipes/graph_vectors.py`.

    Parameters
    ----------
    node_aggregation : NodeAggregation
        Attributes to X^(0).
    layer_aggregation : LayerAggregation
        A graph network, its layers mixed into X_G.
    readout : Readout
        Node vectors to h(G).
    subgraph_aggregation : SubgraphAggregation
        A generator of subgraphs, their vectors mixed into h~.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import PartWhole, make_motif_graphs
    >>> from partwhole.config import FitConfig
    >>> from partwhole.structure.base import with_structure
    >>> graphs = with_structure(make_motif_graphs(4), ["degree"])
    >>> model = PartWhole.from_config(FitConfig(hidden=8), {"degree": 1})
    >>> model(graphs.batch(np.arange(4))).graph.shape
    torch.Size([4, 8])
    """

    def __init__(
        self,
        node_aggregation: NodeAggregation,
        layer_aggregation: LayerAggregation,
        readout: Readout,
        subgraph_aggregation: SubgraphAggregation,
    ):
        super().__init__()
        self.node_aggregation = node_aggregation
        self.layer_aggregation = layer_aggregation
        self.readout = readout
        self.subgraph_aggregation = subgraph_aggregation

    @classmethod
    def from_config(cls, config: ModelOptions, widths: Mapping[str, int], edge_width: int = 0) -> PartWhole:
        """The model that options name, with its first weights.

        Parameters
        ----------
        config : FitConfig or anything with the same options
            Names of backbone, readout and generator, and their sizes.
        widths : mapping
            Columns of each kind of node attributes: `{"node": 7, "degree": 1}`.
        edge_width : int
            Columns of the edge attributes.
        """
        hidden, layers, number = config.hidden, config.layers, config.num_subgraphs
        return cls(
            NodeAggregation(widths, edge_width, hidden),
            LayerAggregation(build_backbone(config.backbone, hidden, layers, edge_width), layers),
            READOUTS.build(config.readout, hidden=hidden),
            SubgraphAggregation(
                GENERATORS.build(
                    config.generator, hidden=hidden, num_subgraphs=number, selection=config.selection
                ),
                number,
                conv=config.subgraph_conv,
            ),
        )

    @property
    def backbone(self) -> nn.Module:
        """The graph network."""
        return self.layer_aggregation.backbone

    @property
    def width(self) -> int:
        """Columns of h(G)."""
        return self.readout.width

    def nodes(self, batch: Batch) -> NodeVectors:
        """X_G [n, d], Eq. 2-5"""
        return self.layer_aggregation(self.node_aggregation(batch.inputs), batch)

    def embed(self, batch: Batch) -> Tensor:
        """h(G) [B, d], Eq. 6; of a batch with G^, h(G) and h(G^)"""
        return self.readout(self.nodes(batch))

    def layer_sums(self, batch: Batch) -> Tensor:
        """sum_v x_v^(k), the layers side by side [B, L d]"""
        x0 = self.node_aggregation(batch.inputs)
        return batch.side_by_side(self.backbone(batch.start(x0), batch)).sum()

    def subgraphs(self, batch: Batch) -> Tensor:
        """Membership [S, rows], of G^ too if the batch has it"""
        return self.subgraph_aggregation.generator(self.nodes(batch))

    def forward(self, batch: Batch) -> GraphViews:
        """Algorithm 1, lines 3 to 8, for a whole batch at once: G, and after it G^ if there is one."""
        x0 = self.node_aggregation(batch.inputs)  # line 3: X^(0) [n, d], Eq. 2-4
        nodes = self.layer_aggregation(x0, batch)  # X_G, from X^(0) and from its permutation, Eq. 5, 16
        h, *corrupted = self.readout(nodes).split(batch.num_graphs)  # lines 4, 5: h(G), h(G^), Eq. 6
        original = nodes.first(batch.num_graphs)
        h_tilde, membership = self.subgraph_aggregation(original, self.readout)  # lines 6-8
        corruption = corrupted[0] if corrupted else None
        layer_sums = partial(nodes.layer_sums, batch.num_graphs)
        return GraphViews(h, h_tilde, corruption, membership, original.rows, layer_sums)
