"""Graph2Vec: a graph is a bag of the colours of its nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwhole.config import option
from partwhole.estimators.graph_kernels.colors_of_nodes import colors_of
from partwhole.estimators.words.documents import DocumentConfig, DocumentEstimator
from partwhole.estimators.words.vectors import spelled_all
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


@dataclass(eq=False)
class Graph2VecConfig(DocumentConfig):
    """Options of `graph2vec`."""

    rounds: int = option(2, "Rounds of refinement: the depth of the rooted subgraphs.", least=0)


@dataclass(frozen=True)
class ColorDocuments:
    """Writes the colours of a graph's nodes in all rounds."""

    rounds: int

    def __call__(self, store: GraphStore) -> list[list[str]]:
        words = np.stack([spelled_all(c) for c in colors_of(store, self.rounds, "graph2vec")], axis=1)
        return [piece.ravel().tolist() for piece in np.split(words, store.node_ptr[1:-1])]


@METHODS.register
class Graph2Vec(DocumentEstimator[Graph2VecConfig]):
    """PV-DBOW on rooted subgraphs, which are the colours of Weisfeiler-Lehman refinement."""

    method = "graph2vec"
    idea = "document vectors of the colours of refinement"
    paper = "Narayanan et al., graph2vec: Learning Distributed Representations of Graphs, 2017"
    config_class = Graph2VecConfig
    bag = True

    def documents(self, config: Graph2VecConfig) -> ColorDocuments:
        """Colours of so many rounds."""
        return ColorDocuments(config.rounds)
