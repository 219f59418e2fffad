"""Deep graph kernel: counts of colours, in which colours that occur in like surroundings are alike."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Seed, option, seed_option
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.graph_kernels.base import GraphKernel, KernelConfig, KernelEncoder
from partwhole.estimators.graph_kernels.colors_of_nodes import colors_of
from partwhole.estimators.graph_kernels.histogram import Patterns, histogram
from partwhole.estimators.words.vectors import spelled_all, word2vec
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


@dataclass(eq=False)
class DeepKernelConfig(KernelConfig):
    """Options of `dgk`."""

    rounds: int = option(2, "Rounds of refinement.", least=1)
    epochs_of_text: int = option(5, "Passes over the surroundings.", least=1)
    random_state: Seed = seed_option()


@dataclass(frozen=True)
class ColorVectors(KernelEncoder):
    """A vector E for each colour; a graph is the sum over its colours, of length 1."""

    rounds: int
    vocabulary: np.ndarray  # [colours] uint64, sorted
    vectors: np.ndarray  # E [colours, width]

    def gram(self, store: GraphStore) -> np.ndarray:
        """[1, graphs, graphs] products of vectors."""
        vectors = self.embed(store).astype(np.float64)
        return (vectors @ vectors.T)[None]

    @property
    def width(self) -> int:
        """Columns of a vector."""
        return self.vectors.shape[1]

    def embed(self, store: GraphStore) -> np.ndarray:
        """Eᵀ φ(G), of length 1; a colour that the fit has not seen does not count."""
        rounds = colors_of(store, self.rounds, "dgk")
        graph = np.tile(np.repeat(np.arange(len(store)), store.num_nodes), len(rounds))
        patterns = Patterns(graph, np.concatenate(rounds), np.ones(len(graph)))
        sums = histogram(patterns, self.vocabulary, len(store)) @ self.vectors.astype(np.float64)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.divide(sums, length, out=np.zeros_like(sums), where=length > 0).astype(np.float32)

    def tensors(self) -> dict[str, Tensor]:
        """The colours and their vectors."""
        return {
            "vocabulary": torch.from_numpy(self.vocabulary.view(np.int64)),
            "vectors": torch.from_numpy(self.vectors),
        }


@METHODS.register
class DeepGraphKernel(GraphKernel[DeepKernelConfig]):
    """k = φ(G)ᵀ E Eᵀ φ(G'), with φ the colour counts of refinement and E a vector for each colour.

    A colour is learned beside those of the neighbours in its round and that of its node a round before.
    """

    method = "dgk"
    idea = "colour counts with word vectors between the colours"
    paper = "Yanardag & Vishwanathan, Deep Graph Kernels, KDD 2015"
    learns_from = "graphs"
    config_class = DeepKernelConfig

    def learn(self, fit: Fit[DeepKernelConfig]) -> ColorVectors:
        """Learn a vector for each colour from the pairs that occur together."""
        store, config = fit.store, fit.config
        rounds = colors_of(store, config.rounds, self.method)
        _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
        centre = np.repeat(np.arange(len(edge_ptr) - 1), np.diff(edge_ptr))
        pairs: list[list[str]] = []  # of words that occur together
        for before, now in itertools.pairwise(rounds):
            old, new = spelled_all(before), spelled_all(now)
            pairs += np.stack([old, new], axis=1).tolist()
            pairs += np.stack([new[centre], new[neighbor]], axis=1).tolist()
        model = word2vec(pairs, config.dimensions, 1, config.epochs_of_text, config.random_state)
        words = np.array([int(word, 16) for word in model.wv.index_to_key], np.uint64)
        order = np.argsort(words)
        return ColorVectors(config.rounds, words[order], model.wv.vectors[order])

    def restore(self, kept: Kept[DeepKernelConfig]) -> ColorVectors:
        """The colours and vectors that were learned."""
        vocabulary = kept.tensors["vocabulary"].numpy().view(np.uint64)
        return ColorVectors(kept.config.rounds, vocabulary, kept.tensors["vectors"].numpy())
