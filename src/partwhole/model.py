"""The model: Algorithm 1 of the paper, in its order and its letters."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from partwhole.config import FitConfig
from partwhole.graph import GraphBatch, GraphViews
from partwhole.nn.layers import MLP, StackConv
from partwhole.registry import BACKBONES, GENERATORS, READOUTS
from partwhole.segment import permute_within_graphs, segment_sum


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

    def forward(self, batch: GraphBatch) -> Tensor:
        kinds = [mlp(batch.attributes[kind]) for kind, mlp in self.node_mlps.items()]  # [n, d] each
        if self.edge_mlp is not None:
            assert batch.edge_attributes is not None
            edges = self.edge_mlp(batch.edge_attributes)  # [e, d]
            kinds.append(segment_sum(edges, batch.edge_ptr))  # AGG: incident edges, [n, d]
        x0: Tensor = kinds[0] if self.attribute_conv is None else self.attribute_conv(kinds)
        return x0


class LayerAggregation(nn.Module):
    """Layer-Agg: L layers of a GNN, mixed by an (L, 1) kernel into X_G (Eq. 1 and 5)."""

    def __init__(self, backbone: str, hidden: int, layers: int):
        super().__init__()
        self.backbone = BACKBONES.build(backbone, hidden=hidden, layers=layers)
        self.layer_conv = StackConv(layers)

    def forward(self, x0: Tensor, batch: GraphBatch) -> Tensor:
        x: Tensor = self.layer_conv(self.backbone(x0, batch))
        return x


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

    def forward(self, x: Tensor, batch: GraphBatch, readout: nn.Module) -> tuple[Tensor, Tensor]:
        membership = self.generator(x, batch)  # [S, n]
        parts = readout(x, batch, membership)  # [B, S, d], h(G_1) … h(G_S)
        if self.subgraph_conv is None:  # BASE: h(G) against every subgraph
            return parts, membership
        return self.subgraph_conv(parts.unbind(1)).unsqueeze(1), membership  # [B, 1, d]


class PartWhole(nn.Module):
    """Graphs to vectors: `embed` gives h(G); `forward` the three views that training compares."""

    def __init__(self, config: FitConfig, widths: Mapping[str, int], edge_width: int):
        super().__init__()
        self.config = config
        self.node_aggregation = NodeAggregation(widths, edge_width, config.hidden)
        self.layer_aggregation = LayerAggregation(config.backbone, config.hidden, config.layers)
        self.readout = READOUTS.build(config.readout, hidden=config.hidden)
        self.subgraph_aggregation = SubgraphAggregation(config)

    def embed(self, batch: GraphBatch) -> Tensor:
        """h(G) [B, d], Eq. 6"""
        x = self.layer_aggregation(self.node_aggregation(batch), batch)
        h: Tensor = self.readout(x, batch)
        return h

    def subgraphs(self, batch: GraphBatch) -> Tensor:
        """Membership [S, n]"""
        x = self.layer_aggregation(self.node_aggregation(batch), batch)
        membership: Tensor = self.subgraph_aggregation.generator(x, batch)
        return membership

    def forward(self, batch: GraphBatch, random: torch.Generator) -> GraphViews:
        """Algorithm 1, lines 3 to 8, for a whole batch at once."""
        x0 = self.node_aggregation(batch)  # line 3: X^(0) [n, d], Eq. 2-4
        if not self.config.head_negatives:
            x = self.layer_aggregation(x0, batch)  # X_G [n, d], Eq. 5
            h, h_hat = self.readout(x, batch), None  # line 4: h(G) [B, d], Eq. 6
        else:
            # One joint pass over G and G^, so that BatchNorm sees both as one batch.
            x0_hat = permute_within_graphs(x0, batch.graph_of_node, random)  # line 5, Eq. 16
            twice = batch.doubled()
            both = self.layer_aggregation(torch.cat([x0, x0_hat]), twice)  # [2n, d]
            h, h_hat = self.readout(both, twice).chunk(2)  # lines 4 and 5, [B, d] each
            x = both[: batch.num_nodes]
        h_tilde, membership = self.subgraph_aggregation(x, batch, self.readout)  # lines 6-8
        return GraphViews(h, h_tilde, h_hat, membership)
