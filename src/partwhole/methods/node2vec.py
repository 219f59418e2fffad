"""Node2Vec: the mean of the vectors that random walks give the nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options, option
from partwhole.errors import PartwholeError
from partwhole.method import GraphMethod
from partwhole.registry import METHODS
from partwhole.training.checkpoint import RunFolder
from partwhole.words.vectors import spelled_all, word2vec
from partwhole.words.walks import biased_walks


@dataclass(eq=False)
class Node2VecConfig(Options):
    dimensions: int = option(128, "Width of the vectors.", least=1)
    walks: int = option(10, "Walks from each node.", least=1)
    length: int = option(80, "Nodes of a walk.", least=2)
    window: int = option(10, "Nodes before and after one that are its context.", least=1)
    back: float = option(1.0, "The paper's p: the higher, the less a walk turns back.", above=0)
    away: float = option(1.0, "The paper's q: the higher, the nearer a walk stays.", above=0)
    epochs_of_text: int = option(1, "Passes over the walks.", least=1)
    random_state: int = option(0, "Seed of everything random.", flag="--seed", least=0)


@METHODS.register
class Node2Vec(GraphMethod, Node2VecConfig):
    """Skip-gram on walks in all graphs; nodes of a graph that was not there have no vector."""

    method = "node2vec"
    about = "mean of the node vectors of biased random walks; for the graphs of the fit only"
    paper = "Grover & Leskovec, node2vec: Scalable Feature Learning for Networks, KDD 2016"
    config_class = Node2VecConfig

    @property
    def width(self) -> int:
        return self.dimensions

    def transform_batches(self, graphs: Any) -> Iterator[np.ndarray]:
        store = self._prepared(graphs)
        if store.digest() != self.about_["data"]["digest"]:
            raise PartwholeError(
                "node2vec has vectors for the graphs that it was fitted to, as a whole and in their order, "
                "and for no others; fit it to all graphs at once, or use graph2vec."
            )
        yield self.vectors_

    def _learn(self, run: RunFolder | None = None, stop_requested: object = None) -> None:
        store = self._taken_store()
        _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
        nodes = len(edge_ptr) - 1
        random = np.random.default_rng(self.random_state)
        starts = np.concatenate([random.permutation(nodes) for _ in range(self.walks)])
        walks = biased_walks(edge_ptr, neighbor, starts, self.length, self.back, self.away, self.random_state)
        words = spelled_all(np.arange(nodes, dtype=np.uint64))
        sentences = [words[walk[walk >= 0]].tolist() for walk in walks]
        model = word2vec(sentences, self.dimensions, self.window, self.epochs_of_text, self.random_state)
        order = [model.wv.key_to_index[word] for word in words]
        sums = np.add.reduceat(
            np.concatenate([model.wv.vectors[order], np.zeros((1, self.dimensions), np.float32)]),
            store.node_ptr[:-1],
        )
        sums[store.num_nodes == 0] = 0
        self.vectors_ = (sums / np.maximum(store.num_nodes, 1)[:, None]).astype(np.float32)

    def _tensors(self) -> dict[str, Tensor]:
        return {"vectors": torch.from_numpy(self.vectors_)}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self.vectors_ = tensors["vectors"].numpy()
