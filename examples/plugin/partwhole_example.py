"""A generator, a source and a method for partwhole, in a package of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from partwhole import Graph, GraphStore
from partwhole.config import Options
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import PieceEncoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.generators.base import BasicOperator, Generator
from partwhole.graphs.node_vectors import NodeVectors
from partwhole.registry import GENERATORS, METHODS, SOURCES
from partwhole.sources.base import Source, is_file_of
from partwhole.sources.reading import Reading


@GENERATORS.register
class EvenCut(Generator):
    """Every subgraph decides for itself which nodes it takes."""

    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection)
        self.operator = BasicOperator(hidden, num_subgraphs)

    def forward(self, nodes: NodeVectors) -> Tensor:
        return self.decide(self.operator.logits(nodes), nodes.rows, slice(0, self.num_subgraphs))


@SOURCES.register
class AdjacencyMatrices(Source):
    reads = "a file of adjacency matrices (.npy, graphs x nodes x nodes)"

    @staticmethod
    def accepts(data: Any) -> bool:
        return is_file_of(data, (".npy",))

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        matrices = np.load(data)
        return GraphStore.from_graphs([Graph(len(matrix), np.argwhere(matrix)) for matrix in matrices])


class SizeEncoder(PieceEncoder):
    """Two columns: nodes and edges."""

    width = 2

    def embed(self, store: GraphStore) -> np.ndarray:
        return np.column_stack([store.num_nodes, store.num_edges]).astype(np.float32)

    def tensors(self) -> dict[str, Tensor]:
        return {}


@METHODS.register
class SizeOnly(GraphEstimator[Options]):
    """The numbers of nodes and of edges; nothing is learned."""

    method = "size-only"
    idea = "numbers of nodes and edges"
    paper = "an example of a method from another package"
    learns_from = "nothing"
    config_class = Options

    def learn(self, fit: Fit[Options]) -> SizeEncoder:
        return SizeEncoder()

    def restore(self, kept: Kept[Options]) -> SizeEncoder:
        return SizeEncoder()
