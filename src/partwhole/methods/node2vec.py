"""Node2Vec: the mean of the vectors that random walks give the nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options, Seed, option, seed_option
from partwhole.errors import PartwholeError, TooLarge
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Encoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.words.vectors import spelled_all, word2vec
from partwhole.estimators.words.walks import biased_walks
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS

MOST_WORDS = 100_000_000  # half an hour of gensim for each pass
PIECE = 10_000  # walks made at a time


@dataclass(eq=False)
class Node2VecConfig(Options):
    """Options of `node2vec`."""

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


@dataclass(frozen=True)
class FittedVectors(Encoder):
    """The vectors of the graphs of the fit, as a whole and in their order."""

    vectors: np.ndarray  # [graphs, width] float32
    fitted: str  # identity of these graphs

    @property
    def width(self) -> int:
        """Columns of a vector."""
        return self.vectors.shape[1]

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """The vectors of the fit, if these are its graphs."""
        if identity(store) != self.fitted:
            raise PartwholeError(
                "node2vec has vectors for the graphs that it was fitted to, as a whole and in their order, "
                "and for no others; fit it to all graphs at once, or use graph2vec."
            )
        yield self.vectors

    def tensors(self) -> dict[str, Tensor]:
        """The vectors, and whose they are."""
        return {
            "vectors": torch.from_numpy(self.vectors),
            "fitted": torch.frombuffer(bytearray.fromhex(self.fitted), dtype=torch.uint8),
        }


@METHODS.register
class Node2Vec(GraphEstimator[Node2VecConfig]):
    """Skip-gram on walks in all graphs; nodes of a graph that was not there have no vector."""

    method = "node2vec"
    idea = "mean of the node vectors of biased random walks; for the graphs of the fit only"
    paper = "Grover & Leskovec, node2vec: Scalable Feature Learning for Networks, KDD 2016"
    config_class = Node2VecConfig
    embeds_new_graphs = False

    def learn(self, fit: Fit[Node2VecConfig]) -> FittedVectors:
        """Learn a vector for each node, and take their means."""
        store, config = fit.store, fit.config
        _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
        nodes = len(edge_ptr) - 1
        written = nodes * config.walks * config.length
        if written > MOST_WORDS:
            raise TooLarge(
                f"node2vec would write {written / 1e6:.0f} million words about {store.name}, at most "
                f"{MOST_WORDS / 1e6:.0f} million are taken; choose fewer `walks` or a smaller `length`."
            )
        random = np.random.default_rng(config.random_state)
        words = spelled_all(np.arange(nodes, dtype=np.uint64))
        starts = np.concatenate([random.permutation(nodes) for _ in range(config.walks)])
        model = word2vec(
            Walks(config, edge_ptr, neighbor, starts, words),
            config.dimensions,
            config.window,
            config.epochs_of_text,
            config.random_state,
        )
        order = [model.wv.key_to_index[word] for word in words]
        sums = np.add.reduceat(
            np.concatenate([model.wv.vectors[order], np.zeros((1, config.dimensions), np.float32)]),
            store.node_ptr[:-1],
        )
        sums[store.num_nodes == 0] = 0
        means = (sums / np.maximum(store.num_nodes, 1)[:, None]).astype(np.float32)
        return FittedVectors(means, identity(store))

    def restore(self, kept: Kept[Node2VecConfig]) -> FittedVectors:
        """The vectors that were learned."""
        return FittedVectors(kept.tensors["vectors"].numpy(), bytes(kept.tensors["fitted"].tolist()).hex())


def identity(store: GraphStore) -> str:
    """A digest of the graphs without their targets."""
    return replace(store, targets=np.zeros((len(store), 0))).digest()
