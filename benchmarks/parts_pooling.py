"""Losses of graph pooling, on one small network: rivals of the vocabulary in benchmarks/parts.py.

Each node has probabilities of K groups, from a GIN of two layers on what the vocabulary sees of a node. What
is made small is the mean of a loss over graphs. The likeliest group of a node is its type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from partwhole import GraphStore
from partwhole.parts.cells import described_nodes
from partwhole.structure.base import adjacency

HIDDEN = 32
STEPS = 100
RATE = 0.01
MOST_GRAPHS = 300  # that are trained on, spread evenly


@dataclass(frozen=True)
class Assigned:
    """Soft groups of the nodes of G graphs."""

    inside: Tensor  # [G, K] edges inside each group, the diagonal of S'AS
    volume: Tensor  # [G, K] S'd, ends of edges of each group
    overlap: Tensor  # [G, K, K] S'S
    sizes: Tensor  # [G, K]
    nodes: Tensor  # [G]
    edges: Tensor  # [G] ends of edges
    volume_overlap: Tensor  # [G] tr S'DS
    entropy: Tensor  # [G] mean over nodes


def diffpool(s: Assigned) -> Tensor:
    """Ying et al. 2018: |A - SS'| and the entropy of a node's groups"""
    squared = s.edges - 2 * s.inside.sum(1) + (s.overlap**2).sum((1, 2))
    return squared.clamp(min=1e-9).sqrt() / s.nodes + s.entropy


def mincut(s: Assigned) -> Tensor:
    """Bianchi et al. 2020: edges inside groups, and groups that are orthogonal"""
    number = s.sizes.shape[1]
    norm = s.overlap.flatten(1).norm(dim=1)[:, None, None]
    far = s.overlap / norm - torch.eye(number) / number**0.5
    return -s.inside.sum(1) / s.volume_overlap.clamp(min=1e-9) + far.flatten(1).norm(dim=1)


def dmon(s: Assigned) -> Tensor:
    """Tsitsulin et al. 2023: modularity, and groups that do not collapse"""
    edges = s.edges.clamp(min=1)
    modularity = (s.inside.sum(1) - (s.volume**2).sum(1) / edges) / edges
    return s.sizes.shape[1] ** 0.5 / s.nodes * s.sizes.norm(dim=1) - 1 - modularity


def just_balance(s: Assigned) -> Tensor:
    """Bianchi 2022: -tr sqrt(S'S), by entries as its authors compute it"""
    roots = s.overlap.diagonal(dim1=1, dim2=2).clamp(min=1e-9).sqrt().sum(1)
    return -roots / (s.nodes * s.sizes.shape[1]).sqrt()


LOSSES: dict[str, Callable[[Assigned], Tensor]] = {
    "DiffPool loss": diffpool,
    "MinCut loss": mincut,
    "DMoN loss": dmon,
    "JBGNN loss": just_balance,
}


class SmallGIN(nn.Module):
    """Two layers, then K logits."""

    def __init__(self, inputs: int, groups: int):
        super().__init__()
        widths = ((inputs, HIDDEN), (HIDDEN, HIDDEN))
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(a, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, b), nn.BatchNorm1d(b), nn.ReLU())
            for a, b in widths
        )
        self.groups = nn.Linear(HIDDEN, groups)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        """[N, D] -> [N, K] logits"""
        for layer in self.layers:
            nodes = layer(nodes + edges @ nodes)
        return self.groups(nodes)


def learned_types(store: GraphStore, number: int, seed: int, loss: str) -> np.ndarray:
    """[N] the likeliest group of each node, after a fixed number of steps on at most 300 graphs"""
    torch.manual_seed(seed)
    rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_GRAPHS)).astype(int))
    sample = store.take(rows)
    raw = described_nodes(sample)
    mean, spread = raw.mean(0), np.maximum(raw.std(0), 1e-6)
    network = SmallGIN(raw.shape[1], number)
    optimiser = torch.optim.Adam(network.parameters(), RATE)
    nodes, edges = torch.tensor((raw - mean) / spread), _sparse(sample)
    graph = torch.as_tensor(np.repeat(np.arange(len(sample)), sample.num_nodes))
    for _ in range(STEPS):
        optimiser.zero_grad()
        soft = network(nodes, edges).softmax(1)
        LOSSES[loss](_assigned(soft, edges, graph, len(sample))).mean().backward()
        optimiser.step()
    network.eval()
    with torch.no_grad():
        all_nodes = torch.tensor((described_nodes(store) - mean) / spread)
        return network(all_nodes, _sparse(store)).argmax(1).numpy()


def _assigned(soft: Tensor, edges: Tensor, graph: Tensor, graphs: int) -> Assigned:
    def sums(rows: Tensor) -> Tensor:
        return torch.zeros(graphs, *rows.shape[1:]).index_add(0, graph, rows)

    degree = (edges @ torch.ones(len(soft), 1))[:, 0]
    entropy = -(soft * (soft + 1e-9).log()).sum(1)
    nodes = sums(torch.ones(len(soft)))
    return Assigned(
        inside=sums(soft * (edges @ soft)),
        volume=sums(soft * degree[:, None]),
        overlap=sums(soft[:, :, None] * soft[:, None, :]),
        sizes=sums(soft),
        nodes=nodes,
        edges=sums(degree),
        volume_overlap=sums((soft**2).sum(1) * degree),
        entropy=sums(entropy) / nodes,
    )


def _sparse(store: GraphStore) -> Tensor:
    ends = np.stack(adjacency(store).tocoo().coords)
    nodes = len(store.marks)
    return torch.sparse_coo_tensor(
        torch.as_tensor(ends), torch.ones(ends.shape[1]), (nodes, nodes)
    ).coalesce()
