"""Vectors of graphs that are objects in Python. Extras needed: molecules and pyg."""

import networkx as nx
import torch
from torch_geometric.data import Data

from partwhole import SubgraphInfoMax

options = {"hidden": 16, "layers": 2, "epochs": 5, "random_state": 0}

ring = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
path = torch.tensor([[0, 1, 2], [1, 2, 3]])
pyg = [Data(x=torch.eye(4), edge_index=edges) for edges in (ring, path)]
print("PyTorch Geometric", SubgraphInfoMax(**options).fit_transform(pyg).shape)

networks = [nx.cycle_graph(5), nx.star_graph(4), nx.karate_club_graph()]
for graph in networks:
    for _, _, attributes in graph.edges(data=True):
        attributes.setdefault("weight", 1)
    nx.set_node_attributes(graph, dict(graph.degree), "friends")
    for _, attributes in graph.nodes(data=True):
        attributes.pop("club", None)
print("networkx", SubgraphInfoMax(**options).fit_transform(networks).shape)

model = SubgraphInfoMax(**options).fit(["CCO", "CCN", "c1ccccc1", "CC(=O)O"])
print("SMILES", model.transform(["c1ccccc1O"]).shape)
