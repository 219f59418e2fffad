"""Methods that give a graph the vector of its document."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options, Seed, option, seed_option
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import PieceEncoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.words.vectors import DocumentVectors
from partwhole.graphs.store import GraphStore

Documents = Callable[[GraphStore], list[list[str]]]  # the words of each graph


@dataclass(eq=False)
class DocumentConfig(Options):
    """Options of methods that write graphs as documents."""

    dimensions: int = option(128, "Width of the vectors.", least=1)
    epochs_of_text: int = option(50, "Passes over the documents.", least=1)
    random_state: Seed = seed_option()


D = TypeVar("D", bound=DocumentConfig)


@dataclass(frozen=True)
class DocumentEncoder(PieceEncoder):
    """The vector of a graph, in the fit or new, is inferred from its words, so that it does not depend on
    the other graphs."""

    documents: Documents
    vectors: DocumentVectors

    @property
    def width(self) -> int:
        """Columns of a vector."""
        return self.vectors.width

    def embed(self, store: GraphStore) -> np.ndarray:
        """[n, width] inferred one by one."""
        return np.stack([self.vectors.infer(words) for words in self.documents(store)])

    def tensors(self) -> dict[str, Tensor]:
        """The vectors of all words."""
        return {name: torch.from_numpy(array) for name, array in self.vectors.arrays().items()}


class DocumentEstimator(GraphEstimator[D]):
    """A method says what the words of a graph are."""

    bag: ClassVar[bool]  # of words, or words in their order

    @abstractmethod
    def documents(self, config: D) -> Documents:
        """What writes the words of each graph of a store."""

    def learn(self, fit: Fit[D]) -> DocumentEncoder:
        """Learn vectors of words from the documents of all graphs."""
        documents = self.documents(fit.config)
        return DocumentEncoder(documents, self._vectors(fit.config).fit(documents(fit.store)))

    def restore(self, kept: Kept[D]) -> DocumentEncoder:
        """The vectors of words that were learned."""
        arrays = {name: tensor.numpy() for name, tensor in kept.tensors.items()}
        return DocumentEncoder(self.documents(kept.config), self._vectors(kept.config).restore(arrays))

    def _vectors(self, config: D) -> DocumentVectors:
        return DocumentVectors(config.dimensions, config.epochs_of_text, config.random_state, bag=self.bag)
