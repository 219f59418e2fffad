"""The model: Algorithm 1 of the paper, in its order and its letters."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from partwhole.config import FitConfig
from partwhole.graphs.graph import Batch, GraphViews, InputRows
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.nn.layers import MLP, StackConv
from partwhole.nn.readout.base import Readout
from partwhole.registry import BACKBONES, GENERATORS, READOUTS, Plugin


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
        kinds = [mlp(inputs.attributes[kind]) for kind, mlp in self.node_mlps.items()]  # [n, d] each
        if self.edge_mlp is not None:
            assert inputs.edge_attributes is not None
            # AGG: the sum over incident edges, [n, d]
            kinds.append(self.edge_mlp.sum_over(inputs.edge_attributes, inputs.edge_ptr))
        x0: Tensor = kinds[0] if self.attribute_conv is None else self.attribute_conv(kinds)
        return x0


class LayerAggregation(nn.Module):
    """Layer-Agg: L layers of a GNN, mixed by an (L, 1) kernel into X_G (Eq. 1 and 5)."""

    def __init__(self, backbone: Plugin, hidden: int, layers: int, edge_width: int):
        super().__init__()
        takes = {"edge_width": edge_width} if BACKBONES.takes(backbone, "edge_width") else {}
        self.backbone = BACKBONES.build(backbone, hidden=hidden, layers=layers, **takes)
        self.layer_conv = StackConv(layers)

    def forward(self, x0: Tensor, batch: Batch) -> NodeVectors:
        layers = self.backbone(batch.start(x0), batch)  # X^(1) … X^(L)
        return batch.nodes(layers, self.layer_conv.weight, self.layer_conv.bias)


class SubgraphAggregation(nn.Module):
    """Subgraph-Agg: S subgraphs, read out and mixed by an (S, 1) kernel into h~ (Eq. 8-12)."""

    def __init__(self, config: FitConfig):
        super().__init__()
        self.generator = GENERATORS.build(
            config.generator,
            hidden=config.hidden,
            num_subgraphs=config.num_subgraphs,
            selection=config.selection,
        )
        self.subgraph_conv = StackConv(config.num_subgraphs) if config.subgraph_conv else None

    def forward(self, nodes: NodeVectors, readout: Readout) -> tuple[Tensor, Tensor]:
        membership = self.generator(nodes)  # [S, rows]
        conv = self.subgraph_conv
        if conv is None:  # BASE: h(G) against every subgraph
            return readout(nodes, membership), membership  # [B, S, d], h(G_1) … h(G_S)
        if readout.is_linear:  # mixing the weights of the nodes first gives the same h~ (Eq. 10)
            mixed = readout.read(nodes, conv.weight @ membership) + conv.bias
        else:
            mixed = conv(readout(nodes, membership).unbind(1))
        return mixed.unsqueeze(1), membership  # [B, 1, d]


class PartWhole(nn.Module):
    """Graphs to vectors: `embed` gives h(G); `forward` the three views that training compares."""

    def __init__(self, config: FitConfig, widths: Mapping[str, int], edge_width: int):
        super().__init__()
        self.config, self.widths, self.edge_width = config, widths, edge_width
        self.node_aggregation = NodeAggregation(widths, edge_width, config.hidden)
        self.layer_aggregation = LayerAggregation(config.backbone, config.hidden, config.layers, edge_width)
        self.readout: Readout = READOUTS.build(config.readout, hidden=config.hidden)
        self.subgraph_aggregation = SubgraphAggregation(config)

    @property
    def backbone(self) -> nn.Module:
        return self.layer_aggregation.backbone

    @property
    def width(self) -> int:
        """Of h(G)."""
        return self.readout.width

    def drawn_again(self) -> PartWhole:
        """A model of the same shape with other first weights."""
        return PartWhole(self.config, self.widths, self.edge_width)

    def nodes(self, batch: Batch) -> NodeVectors:
        """X_G [n, d], Eq. 2-5"""
        return self.layer_aggregation(self.node_aggregation(batch.inputs), batch)

    def embed(self, batch: Batch) -> Tensor:
        """h(G) [B, d], Eq. 6"""
        return self.readout(self.nodes(batch))

    def layer_sums(self, batch: Batch) -> Tensor:
        """sum_v x_v^(k), the layers side by side [B, L d]"""
        x0 = self.node_aggregation(batch.inputs)
        return batch.side_by_side(self.backbone(batch.start(x0), batch)).sum()

    def subgraphs(self, batch: Batch) -> Tensor:
        """Membership [S, rows]"""
        return self.subgraph_aggregation.generator(self.nodes(batch))

    def forward(self, batch: Batch) -> GraphViews:
        """Algorithm 1, lines 3 to 8, for a whole batch at once: G, and after it G^ if there is one."""
        x0 = self.node_aggregation(batch.inputs)  # line 3: X^(0) [n, d], Eq. 2-4
        nodes = self.layer_aggregation(x0, batch)  # X_G, from X^(0) and from its permutation, Eq. 5, 16
        h, *corrupted = self.readout(nodes).split(batch.num_graphs)  # lines 4, 5: h(G), h(G^), Eq. 6
        original = nodes.first(batch.num_graphs)
        h_tilde, membership = self.subgraph_aggregation(original, self.readout)  # lines 6-8
        return GraphViews(h, h_tilde, corrupted[0] if corrupted else None, membership, original.rows)
