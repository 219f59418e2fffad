"""The edge network on QM9: a step against PyTorch Geometric's `NNConv`, and an epoch of Table 3."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch_geometric.nn import NNConv

from partwhole import GraphStore, SubgraphInfoMaxRegressor, load_graphs
from partwhole.nn.backbones.edge_network import EDGE_HIDDEN, EdgeNetwork
from partwhole.reproduce.tables import TABLES, plan
from partwhole.reproduce.target_cells import HELD_OUT, LABELLED, TargetCell, split

HIDDEN, ROUNDS, BATCH = 64, 3, 20
STEPS = 30  # timed, alternating


class NNConvNetwork(nn.Module):
    """The same messages and the same GRU, with a matrix [d, d] made for every edge."""

    def __init__(self, edge_width: int):
        super().__init__()
        matrix = nn.Sequential(
            nn.Linear(edge_width, EDGE_HIDDEN), nn.ReLU(), nn.Linear(EDGE_HIDDEN, HIDDEN**2)
        )
        self.conv = NNConv(HIDDEN, HIDDEN, matrix, aggr="mean", root_weight=False)
        self.gru = nn.GRUCell(HIDDEN, HIDDEN)

    def forward(self, x: torch.Tensor, batch: Any) -> list[torch.Tensor]:
        outputs = []
        for _ in range(ROUNDS):
            x = self.gru(self.conv(x, batch.edge_index, batch.inputs.edge_attributes).relu(), x)
            outputs.append(x)
        return outputs


def step() -> dict[str, Any]:
    """NNConv / ours: forward and backward of three rounds on 20 molecules."""
    store = load_graphs("QM9")
    random = np.random.default_rng(0)
    edge_width = store.schema.edge_width
    networks = {"nnconv": NNConvNetwork(edge_width), "ours": EdgeNetwork(HIDDEN, ROUNDS, edge_width)}
    seconds: dict[str, list[float]] = {name: [] for name in networks}
    for _ in range(STEPS + 3):
        batch = store.batch(random.choice(len(store), BATCH, replace=False))
        x = torch.randn(batch.num_nodes, HIDDEN)
        batch.edge_index  # noqa: B018  # made once, by neither of them
        for name, network in networks.items():
            network.zero_grad()
            started = time.perf_counter()
            sum(out.square().mean() for out in network(x, batch)).backward()
            seconds[name].append(time.perf_counter() - started)
    theirs, ours = (float(np.median(seconds[name][3:])) for name in ("nnconv", "ours"))
    print(f"  NNConv {theirs * 1000:.1f} ms, ours {ours * 1000:.1f} ms a step")
    return {"ratio": theirs / ours, "nnconv": theirs, "ours": ours}


def epoch(sgemm_rate: float) -> dict[str, Any]:
    """An epoch of Table 3 as `OURS (TS)` trains it, validation included, over the time that its matrix
    products would take at the sgemm rate."""
    store = load_graphs("QM9")
    (cell,) = plan(TABLES["table3"], runs=1, epochs=2)["QM9:mu", "tree-split"]
    part = split(len(store), 0)
    some = np.sort(np.concatenate([part.labelled, part.held_out, part.rest[:LABELLED]]))
    graphs = store.take(some)  # an epoch sees no more unlabelled molecules than these
    y = np.where(np.isin(some, part.rest), np.nan, graphs.target("mu"))
    assert isinstance(cell, TargetCell)
    held = np.flatnonzero(np.isin(some, part.held_out))
    model = SubgraphInfoMaxRegressor(**cell.settings().options()).fit(graphs, y, held_out=held)
    seconds = model.history_[-1]["seconds"]  # the first epoch also loads compiled code
    trained = flops(graphs.take(np.flatnonzero(~np.isin(some, part.held_out))))
    flop = 3 * 2 * trained + flops(graphs.take(held))  # forward and twice backward; G and G^
    floor = flop / sgemm_rate
    print(f"  {seconds:.1f} s an epoch of {LABELLED // BATCH} steps, floor {floor:.1f} s")
    return {"share": seconds / floor, "seconds": seconds, "dense_floor": floor, "validated": HELD_OUT}


def flops(store: GraphStore) -> float:
    """Of the matrix products of a forward pass over all graphs of the store."""
    nodes, entries, d = int(store.node_ptr[-1]), int(store.edge_ptr[-1]), HIDDEN
    features = EDGE_HIDDEN + 1
    edges = entries * (store.schema.edge_width * (EDGE_HIDDEN + d) + d * d)  # of messages and of X^(0)
    inputs = nodes * (store.schema.node_width * d + d * d)
    a_round = entries * features * d + nodes * features * d * d + nodes * 6 * d * d  # products, matrices, GRU
    return 2.0 * (edges + inputs + ROUNDS * a_round)
