"""What can say which nodes belong together, with one signature; benchmarks/parts.py compares them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import networkx as nx
import numpy as np
from parts_pooling import LOSSES, MOST_GRAPHS, learned_types
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from partwhole import GraphStore, SubgraphInfoMax
from partwhole.parts.cells import described_nodes
from partwhole.parts.vocabulary import Vocabulary
from partwhole.structure.base import adjacency, with_structure

HIDDEN = 64
EPOCHS = 30
SUBGRAPHS = 4  # overlaps count as parts of their own, so there are up to 16

Typed = Callable[[GraphStore, int, int], np.ndarray]  # graphs, types, seed -> [N] type of each node
Cut = Callable[[nx.Graph, int, int], list[set[int]]]  # graph, pieces, seed -> nodes of each piece


def vocabulary(store: GraphStore, number: int, seed: int) -> np.ndarray:
    """Ours."""
    return Vocabulary.of(store, number, seed).types_of(store)


def k_means(
    describe: Callable[[GraphStore], np.ndarray], store: GraphStore, number: int, seed: int
) -> np.ndarray:
    """Groups of nodes by k-means of standardised columns."""
    columns = StandardScaler().fit_transform(describe(store))
    return KMeans(number, n_init=1, random_state=seed).fit_predict(columns)


def attributes(store: GraphStore) -> np.ndarray:
    """The nodes' own, or their degree where they have none."""
    if not store.schema.node:
        return np.diff(store.edge_ptr)[:, None].astype(np.float32)
    return store.inputs(np.arange(len(store.marks))).attributes["node"].numpy()


def surroundings(store: GraphStore) -> np.ndarray:
    """Attributes, degree, triangles, clustering, and the means of all over neighbours."""
    triangles = with_structure(store, ["triangles"]).structure["triangles"]
    edges = adjacency(store)
    degree = np.diff(edges.indptr)[:, None]
    clustering = 2 * triangles / np.maximum(degree * (degree - 1), 1)
    own = np.hstack([attributes(store), degree, triangles, clustering])
    return np.hstack([own, (edges @ own) / np.maximum(degree, 1)])


def generator(name: str, epochs: int, store: GraphStore, number: int, seed: int) -> np.ndarray:
    """Subgraphs of SubgraphInfoMax, fitted on at most 300 graphs; it has a number of its own."""
    rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_GRAPHS)).astype(int))
    options = {"generator": name, "num_subgraphs": SUBGRAPHS, "hidden": HIDDEN, "random_state": seed}
    model = SubgraphInfoMax(epochs=epochs, **options).fit(store.take(rows))
    return np.hstack(model.all_subgraphs(store)).T.astype(np.int64) @ 2 ** np.arange(SUBGRAPHS)


TYPED: dict[str, Typed] = {
    "vocabulary": vocabulary,
    "k-means of attributes": partial(k_means, attributes),
    "k-means of attributes, shape and neighbours": partial(k_means, surroundings),
    "k-means of what the vocabulary sees": partial(k_means, described_nodes),
}
SLOW: dict[str, Typed] = {
    **{name: partial(learned_types, loss=name) for name in LOSSES},
    "tree-split, untrained": partial(generator, "tree-split", 0),
    "multi-head, untrained": partial(generator, "multi-head", 0),
    "tree-split": partial(generator, "tree-split", EPOCHS),
    "multi-head": partial(generator, "multi-head", EPOCHS),
}


def louvain(graph: nx.Graph, number: int, seed: int) -> list[set[int]]:
    """It chooses the number itself."""
    return nx.community.louvain_communities(graph, seed=seed)


def spectral(graph: nx.Graph, number: int, seed: int) -> list[set[int]]:
    """k-means of the first eigenvectors of the normalised Laplacian, rows of length one."""
    laplacian = nx.normalized_laplacian_matrix(graph, sorted(graph)).toarray()
    vectors = eigh(laplacian, subset_by_index=(0, number - 1))[1]
    rows = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    group = KMeans(number, n_init=1, random_state=seed).fit_predict(rows)
    return [set(np.flatnonzero(group == k).tolist()) for k in range(number)]


def random_cuts(graph: nx.Graph, number: int, seed: int) -> list[set[int]]:
    """Random edges of a random spanning forest are cut."""
    random = np.random.default_rng(seed)
    for ends in graph.edges:
        graph.edges[ends]["weight"] = random.random()
    forest = nx.minimum_spanning_tree(graph)
    edges = list(forest.edges)
    most = min(number - 1, len(edges))
    forest.remove_edges_from(
        [edges[k] for k in random.choice(len(edges), most, replace=False)] if most else []
    )
    return list(nx.connected_components(forest))


CUTS: dict[str, Cut] = {
    "Louvain": louvain,
    "spectral clustering": spectral,
    "random connected cuts": random_cuts,
}


def cut_all(store: GraphStore, true_pieces: np.ndarray, cut: Cut, seed: int) -> np.ndarray:
    """[N] pieces of each graph, numbered throughout; each graph is cut into as many as are true"""
    found = np.zeros(len(true_pieces), np.int64)
    used = 0
    for graph, start, stop in zip(store, store.node_ptr[:-1].tolist(), store.node_ptr[1:].tolist()):
        network = nx.Graph(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]].tolist())
        network.add_nodes_from(range(stop - start))
        for piece in cut(network, len(np.unique(true_pieces[start:stop])), seed):
            found[start + np.array(sorted(piece), np.int64)] = used
            used += 1
    return found
