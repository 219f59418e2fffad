"""Node2Vec: the mean of the vectors that random walks give the nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options, Seed, option, seed_option
from partwhole.errors import PartwholeError, TooLarge
from partwhole.estimators.base import GraphMethod
from partwhole.estimators.words.vectors import spelled_all, word2vec
from partwhole.estimators.words.walks import biased_walks
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS

MOST_WORDS = 100_000_000  # half an hour of gensim for each pass
PIECE = 10_000  # walks made at a time


@dataclass(eq=False)
class Node2VecConfig(Options):
    dimensions: int = option(128, "Width of the vectors.", least=1)
    walks: int = option(10, "Walks from each node.", least=1)
    length: int = option(80, "Nodes of a walk.", least=2)
    window: int = option(10, "Nodes before and after one that are its context.", least=1)
    back: float = option(1.0, "The paper's p: the higher, the less a walk turns back.", above=0)
    away: float = option(1.0, "The paper's q: the higher, the nearer a walk stays.", above=0)
    epochs_of_text: int = option(1, "Passes over the walks.", least=1)
    random_state: Seed = seed_option()


@dataclass(frozen=True)
class Walks:
    """The walks as sentences, made a piece at a time and again for each pass."""

    config: Node2VecConfig
    edge_ptr: np.ndarray
    neighbor: np.ndarray
    starts: np.ndarray
    words: np.ndarray  # [nodes] text

    def __iter__(self) -> Iterator[list[str]]:
        config = self.config
        for k, first in enumerate(range(0, len(self.starts), PIECE)):
            starts, seed = self.starts[first : first + PIECE], config.random_state + (k << 32)
            walks = biased_walks(
                self.edge_ptr, self.neighbor, starts, config.length, config.back, config.away, seed
            )
            for walk in walks:
                yield self.words[walk[walk >= 0]].tolist()


@METHODS.register
class Node2Vec(GraphMethod, Node2VecConfig):
    """Skip-gram on walks in all graphs; nodes of a graph that was not there have no vector."""

    method = "node2vec"
    about = "mean of the node vectors of biased random walks; for the graphs of the fit only"
    paper = "Grover & Leskovec, node2vec: Scalable Feature Learning for Networks, KDD 2016"
    config_class = Node2VecConfig
    embeds_new_graphs = False

    @property
    def width(self) -> int:
        return self.dimensions

    def _in_pieces(self, store: GraphStore) -> Iterator[np.ndarray]:
        if identity(store) != self.fitted_:
            raise PartwholeError(
                "node2vec has vectors for the graphs that it was fitted to, as a whole and in their order, "
                "and for no others; fit it to all graphs at once, or use graph2vec."
            )
        yield self.vectors_

    def _learn(self, store: GraphStore) -> None:
        self.fitted_ = identity(store)
        _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
        nodes = len(edge_ptr) - 1
        written = nodes * self.walks * self.length
        if written > MOST_WORDS:
            raise TooLarge(
                f"node2vec would write {written / 1e6:.0f} million words about {store.name}, at most "
                f"{MOST_WORDS / 1e6:.0f} million are taken; choose fewer `walks` or a smaller `length`."
            )
        random = np.random.default_rng(self.seed_)
        words = spelled_all(np.arange(nodes, dtype=np.uint64))
        starts = np.concatenate([random.permutation(nodes) for _ in range(self.walks)])
        model = word2vec(
            Walks(self._settings(), edge_ptr, neighbor, starts, words),
            self.dimensions,
            self.window,
            self.epochs_of_text,
            self.seed_,
        )
        order = [model.wv.key_to_index[word] for word in words]
        sums = np.add.reduceat(
            np.concatenate([model.wv.vectors[order], np.zeros((1, self.dimensions), np.float32)]),
            store.node_ptr[:-1],
        )
        sums[store.num_nodes == 0] = 0
        self.vectors_ = (sums / np.maximum(store.num_nodes, 1)[:, None]).astype(np.float32)

    def _tensors(self) -> dict[str, Tensor]:
        return {
            "vectors": torch.from_numpy(self.vectors_),
            "fitted": torch.frombuffer(bytearray.fromhex(self.fitted_), dtype=torch.uint8),
        }

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self.vectors_ = tensors["vectors"].numpy()
        self.fitted_ = bytes(tensors["fitted"].tolist()).hex()


def identity(store: GraphStore) -> str:
    """Of the graphs without their targets."""
    return replace(store, targets=np.zeros((len(store), 0))).digest()
