"""The same model written the ordinary way: PyTorch Geometric's GINConv, DataLoader and pooling.

It is what the figures of `make bench` compare with. `tests/model/test_ordinary.py` shows that loss and
gradients are those of the package.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import softplus
from torch_geometric.data import Data
from torch_geometric.nn import GINConv, global_add_pool
from torch_geometric.utils import scatter

from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import one_hot
from partwhole.graphs.store import GraphStore


def to_data(store: GraphStore) -> list[Data]:
    """A list of `Data` with one-hot attributes, degree where there are none."""

    def convert(graph: Graph) -> Data:
        edge_index = torch.from_numpy(graph.edges.T.copy())
        if store.schema.node:
            x = torch.from_numpy(one_hot(graph.node_codes, graph.node_values, store.schema.node))
        else:
            x = torch.bincount(edge_index[0], minlength=graph.num_nodes).float()[:, None]
        edge_attr = None
        if store.schema.edge:
            edge_attr = torch.from_numpy(one_hot(graph.edge_codes, graph.edge_values, store.schema.edge))
        return Data(x=x, edge_index=edge_index, edge_attr=edge_attr, num_nodes=graph.num_nodes)

    return [convert(graph) for graph in store]


def mlp(inputs: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden))


class OrdinaryModel(nn.Module):
    """Equations 1 to 17 with a Tree-split generator, straight-through selection and JSD."""

    def __init__(self, node_width: int, edge_width: int, hidden: int = 128, layers: int = 4, rounds: int = 2):
        super().__init__()
        self.hidden, self.rounds = hidden, rounds
        self.node_mlp = mlp(node_width, hidden)
        self.edge_mlp = mlp(edge_width, hidden) if edge_width else None
        self.attribute_conv = nn.Conv2d(1, 1, (2, 1))
        self.convs = nn.ModuleList(GINConv(mlp(hidden, hidden)) for _ in range(layers))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in range(layers))
        self.layer_conv = nn.Conv2d(1, 1, (layers, 1))
        self.splits = nn.ModuleList(nn.Linear(hidden, 2, bias=False) for _ in range(2**rounds - 1))
        self.subgraph_conv = nn.Conv2d(1, 1, (2**rounds, 1))

    def start(self, data: Data) -> Tensor:
        x = self.node_mlp(data.x)
        if self.edge_mlp is None:
            return x
        edges = scatter(
            self.edge_mlp(data.edge_attr), data.edge_index[1], dim=0, dim_size=len(x), reduce="sum"
        )
        return self.attribute_conv(torch.stack([x, edges], dim=1).unsqueeze(1)).squeeze((1, 2))

    def encode(self, x: Tensor, edge_index: Tensor) -> Tensor:
        layers = []
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x, edge_index).relu())
            layers.append(x)
        return self.layer_conv(torch.stack(layers, dim=1).unsqueeze(1)).squeeze((1, 2))

    def embed(self, data: Data) -> Tensor:
        return global_add_pool(self.encode(self.start(data), data.edge_index), data.batch, data.num_graphs)

    def subgraphs(self, x: Tensor) -> list[Tensor]:
        parts = [x]
        for level in range(self.rounds):
            split = []
            for j, part in enumerate(parts):
                soft = self.splits[2**level - 1 + j](x).softmax(dim=-1)[:, :1]
                chosen = (soft >= 0.5).to(x.dtype) + soft - soft.detach()
                split += [part * chosen, part * (1 - chosen)]
            parts = split
        return parts

    def loss(self, data: Data, order: Tensor | None = None) -> Tensor:
        x0, n = self.start(data), data.num_nodes
        if order is None:
            order = torch.rand(n).argsort()
            order = order[data.batch[order].argsort(stable=True)]
        edge_index = torch.cat([data.edge_index, data.edge_index + n], dim=1)
        x, x_hat = self.encode(torch.cat([x0, x0[order]]), edge_index).split(n)
        h = global_add_pool(x, data.batch, data.num_graphs)
        h_hat = global_add_pool(x_hat, data.batch, data.num_graphs)
        parts = [global_add_pool(part, data.batch, data.num_graphs) for part in self.subgraphs(x)]
        h_tilde = self.subgraph_conv(torch.stack(parts, dim=1).unsqueeze(1)).squeeze((1, 2))
        scores = h_tilde @ h.T
        same = torch.eye(len(h), dtype=torch.bool)
        head = (h_tilde * h_hat).sum(1)
        return softplus(-scores[same]).mean() + softplus(scores[~same]).mean() + softplus(head).mean()


def ordinary_for(store: GraphStore) -> OrdinaryModel:
    return OrdinaryModel(store.schema.node_width or 1, store.schema.edge_width)


def floor_flops(nodes: int, hidden: int = 128, layers: int = 4) -> float:
    """Floating-point operations of the plain model's matrix products in one step.

    Two products a layer, for the nodes of G and of G^, forward and twice that backward.
    """
    return float(np.int64(nodes)) * 2 * layers * 2 * (2 * hidden * hidden) * 3
