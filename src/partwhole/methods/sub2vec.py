"""Sub2Vec: a graph is the degrees that random walks pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwhole.config import option
from partwhole.estimators.words.documents import DocumentConfig, DocumentEstimator
from partwhole.estimators.words.vectors import spelled_all
from partwhole.estimators.words.walks import biased_walks
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS

BINS = 20  # of the share of its graph that a node is joined to


@dataclass(eq=False)
class Sub2VecConfig(DocumentConfig):
    """Options of `sub2vec`."""

    walks: int = option(10, "Walks in each graph.", least=1)
    length: int = option(100, "Nodes of a walk.", least=2)


@dataclass(frozen=True)
class WalkDocuments:
    """Writes the degrees that random walks pass."""

    walks: int
    length: int
    seed: int

    def __call__(self, store: GraphStore) -> list[list[str]]:
        return [self._document(store[k : k + 1]) for k in range(len(store))]

    def _document(self, graph: GraphStore) -> list[str]:
        """The words of one graph, drawn by the seed alone."""
        nodes = len(graph.edge_ptr) - 1
        if nodes == 0:
            return []
        starts = np.random.default_rng(self.seed).integers(0, nodes, self.walks)
        walks = biased_walks(graph.edge_ptr, graph.neighbor, starts, self.length, 1.0, 1.0, self.seed)
        share = np.diff(graph.edge_ptr) / nodes
        words = np.minimum(np.ceil(share * BINS), BINS).astype(np.uint64)
        words_of_walks = spelled_all(words[walks[walks >= 0]])
        return words_of_walks.tolist()


@METHODS.register
class Sub2Vec(DocumentEstimator[Sub2VecConfig]):
    """PV-DM on the structural paths of its paper: each node of a walk is written as its degree over the
    number of nodes, in bins. Names of nodes, its other paths, mean nothing in another graph."""

    method = "sub2vec"
    idea = "document vectors of the degrees along random walks"
    paper = "Adhikari et al., Sub2Vec: Feature Learning for Subgraphs, PAKDD 2018"
    config_class = Sub2VecConfig
    bag = False

    def documents(self, config: Sub2VecConfig) -> WalkDocuments:
        """Walks, drawn by the seed."""
        return WalkDocuments(config.walks, config.length, config.random_state)
