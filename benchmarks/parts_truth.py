"""Graphs whose nodes are known: motifs that were planted, and groups that chemists name."""

from __future__ import annotations

import gzip
import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from rdkit import Chem
from rdkit.Chem import BRICS
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from partwhole import GraphStore, load_graphs, make_ba2motif_graphs, make_motif_graphs, make_planted_graphs
from partwhole.sources.rebuilt import rebuilt_molecule
from partwhole.structure.base import adjacency

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from make_parts import groups_of

MOSES = Path(os.environ.get("PARTWHOLE_DATA", "data")) / "moses" / "train.csv.gz"
MOSES_MOLECULES = 2000


@dataclass(frozen=True)
class Truth:
    """What is known of every node of some graphs."""

    name: str
    groups: np.ndarray  # [N]
    typed: bool = True  # a group means the same in every graph; else it is only one of its graph's pieces
    background: int | None = None  # the group of what was not planted


@dataclass(frozen=True)
class Known:
    """Some graphs, what is known of them, and how many types of parts are asked for."""

    name: str
    store: GraphStore
    truths: tuple[Truth, ...]
    most_types: int


def planted(seed: int) -> Iterator[Known]:
    """Collections of which each seed makes other graphs."""
    for store in (make_motif_graphs(random_state=seed), make_ba2motif_graphs(random_state=seed)):
        kind = store.marks * (1 + np.repeat(store.targets[:, 0], store.num_nodes).astype(np.int64))
        yield Known(store.name, store, (Truth("a motif or not", store.marks, background=0),), 2)
        yield Known(store.name, store, (Truth("cycle, house", kind, background=0),), 4)
    for noise in (0.0, 0.05, 0.1):
        store = make_planted_graphs(400, extra_edges=noise, random_state=seed)
        truth = Truth("cycle, house, clique, grid", store.marks, background=0)
        yield Known(f"PLANTED, {noise:.0%} noise" if noise else "PLANTED", store, (truth,), 8)


def molecules() -> Iterator[Known]:
    """Collections that are the same for every seed."""
    mutag = load_graphs("MUTAG")
    yield Known("MUTAG", mutag, (Truth("nitro, amino", nitro_and_amino(mutag), background=0),), 16)
    for store in (load_graphs("ESOL"), load_graphs("Lipophilicity"), moses()):
        yield Known(store.name, store, truths_of(store), 16)


def truths_of(store: GraphStore) -> tuple[Truth, Truth]:
    """Both that molecules have."""
    return Truth("functional groups", groups_of(store)), Truth("BRICS", fragments_of(store), typed=False)


def moses() -> GraphStore:
    """The first molecules of MOSES."""
    with gzip.open(MOSES, "rt") as lines:
        smiles = [line.split(",")[0].strip() for line in itertools.islice(lines, 1, MOSES_MOLECULES + 1)]
    store = load_graphs(smiles)
    object.__setattr__(store, "name", "MOSES")
    return store


def nitro_and_amino(store: GraphStore) -> np.ndarray:
    """[N] 1: nitro, N(=O)O with oxygens at the end; 2: nitrogen with carbon neighbours only; 0: others"""
    found = []
    for graph in store:
        symbols = np.array(graph.schema.node[0].values)[graph.node_codes[:, 0]]
        network = nx.Graph(graph.edges.tolist())
        groups = np.zeros(graph.num_nodes, np.int64)
        for atom in np.flatnonzero(symbols == "N").tolist():
            around = list(network[atom])
            ends = [v for v in around if symbols[v] == "O" and network.degree[v] == 1]
            if len(ends) >= 2:
                groups[[atom, *ends]] = 1
            elif all(symbols[v] == "C" for v in around):
                groups[atom] = 2
        found.append(groups)
    return np.concatenate(found)


def fragments_of(store: GraphStore) -> np.ndarray:
    """[N] the fragment of each atom when BRICS bonds are cut, numbered throughout"""
    cut = set()
    for graph, first in zip(store, store.node_ptr.tolist()):
        molecule = rebuilt_molecule(graph)
        Chem.SanitizeMol(molecule, catchErrors=True)
        for (a, b), _ in BRICS.FindBRICSBonds(molecule):
            cut |= {(first + a, first + b), (first + b, first + a)}
    edges = adjacency(store).tocoo()
    kept = [pair for pair in zip(*(end.tolist() for end in edges.coords)) if pair not in cut]
    return _components(np.array(kept).reshape(-1, 2), len(store.marks))


def pieces(store: GraphStore, groups: np.ndarray) -> np.ndarray:
    """[N] the connected piece of one group that each node is in"""
    edges = np.stack(adjacency(store).tocoo().coords, axis=1)
    return _components(edges[groups[edges[:, 0]] == groups[edges[:, 1]]], len(groups))


def _components(edges: np.ndarray, nodes: int) -> np.ndarray:
    matrix = coo_array((np.ones(len(edges), bool), (edges[:, 0], edges[:, 1])), shape=(nodes, nodes))
    return connected_components(matrix, directed=False)[1]
