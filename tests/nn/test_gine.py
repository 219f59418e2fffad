"""GINE against PyTorch Geometric's `GINEConv`, which makes the vector of every edge."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from conftest import SCHEMA, random_graph
from partwhole import GraphStore, load_graphs
from partwhole.nn.backbones.gine import GINE, DistinctEdges, GINELayer
from partwhole.nn.messages import edge_messages

HIDDEN = 6


def molecules() -> GraphStore:
    return load_graphs(["CCO", "c1ccccc1C(=O)[O-]", "C", "N#CC=C", "CC(=O)Nc1ccc(O)cc1"])


def mixed() -> GraphStore:
    """Edges with numbers, so that hardly two are alike; a graph of one node and one without edges."""
    random = np.random.default_rng(0)
    return GraphStore.from_graphs(
        [random_graph(random, n, SCHEMA, d) for n, d in ((1, 0), (7, 0.4), (5, 0), (9, 0.7))]
    )


@pytest.mark.parametrize("store", [molecules(), mixed()], ids=["molecules", "mixed"])
@pytest.mark.parametrize("corrupted", [False, True])
def test_a_layer_is_that_of_pytorch_geometric(store, corrupted):
    pytest.importorskip("torch_geometric")
    from torch_geometric.nn import GINEConv

    torch.manual_seed(0)
    random = torch.Generator().manual_seed(1) if corrupted else None
    batch = store.batch(np.arange(len(store)), random).double()
    layer = GINELayer(HIDDEN, store.schema.edge_width).double()
    network = torch.nn.Sequential(layer.first, torch.nn.ReLU(), layer.second, torch.nn.ReLU())
    theirs = GINEConv(network, edge_dim=store.schema.edge_width).double()
    theirs.lin.load_state_dict(layer.edge.state_dict())
    norm = torch.nn.BatchNorm1d(HIDDEN, eps=layer.norm.eps).double()
    x = torch.randn(len(batch.edge_index[0].new_zeros(batch.joint.num_nodes)), HIDDEN).double()
    x.requires_grad_()
    again = x.detach().clone().requires_grad_()
    edges = batch.inputs.edge_attributes.repeat(2 if corrupted else 1, 1)
    ours = layer(x, batch, DistinctEdges(batch))
    wanted = norm(theirs(again, batch.edge_index, edges))
    torch.testing.assert_close(ours, wanted)
    weight = torch.randn_like(ours)
    (ours * weight).sum().backward()
    edge_gradient, layer.edge.weight.grad = layer.edge.weight.grad, None
    (wanted * weight).sum().backward()
    torch.testing.assert_close(x.grad, again.grad)
    torch.testing.assert_close(edge_gradient, theirs.lin.weight.grad)


def test_messages_of_a_path_of_three_nodes():
    """1 - 2 - 3 with a bond of +1 and one of -5: max(x_j + t, 0), summed."""
    x = torch.tensor([[1.0], [2.0], [4.0]])
    table = torch.tensor([[1.0], [-5.0]])
    edge_ptr, neighbor = torch.tensor([0, 1, 3, 4]), torch.tensor([1, 0, 2, 1])
    heard = edge_messages(x, table, torch.tensor([0, 0, 1, 1]), edge_ptr, neighbor)
    assert heard.tolist() == [[3.0], [2.0], [0.0]]  # 2 + 1;  1 + 1 and 4 - 5;  2 - 5


def test_gradients_are_those_of_finite_differences():
    store = mixed()
    batch = store.batch(np.arange(len(store)))
    x = torch.randn(batch.num_nodes, 3, dtype=torch.float64, requires_grad=True)
    table = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    pattern = torch.randint(0, 4, (len(batch.neighbor),), generator=torch.Generator().manual_seed(0))
    structure = pattern, batch.edge_ptr, batch.neighbor
    assert torch.autograd.gradcheck(lambda a, t: edge_messages(a, t, *structure), (x, table))


def test_bonds_are_few_patterns_and_numbers_are_many():
    bonds = molecules().batch(np.arange(5))
    assert len(DistinctEdges(bonds).attributes) == len(bonds.inputs.edge_attributes.unique(dim=0))
    numbers = mixed().batch(np.arange(4))
    assert len(DistinctEdges(numbers).attributes) == len(numbers.neighbor)


def test_a_bond_matters_in_every_layer():
    """The second layer hears of the bonds of neighbours' neighbours by its own edge map, too."""
    torch.manual_seed(0)
    ethane, ethene = load_graphs(["CC"]), load_graphs(["CC"])
    ethene.edge_codes[:] = load_graphs(["C=C"]).edge_codes
    network = GINE(HIDDEN, 2, ethane.schema.edge_width).eval()
    x = torch.randn(2, HIDDEN)
    one, other = (network(x, store.batch(np.arange(1))) for store in (ethane, ethene))
    with torch.no_grad():
        network.layers[1].edge.weight.zero_()
    deaf = network(x, ethane.batch(np.arange(1))), network(x, ethene.batch(np.arange(1)))
    assert not torch.allclose(one[1] - deaf[0][1], other[1] - deaf[1][1])
