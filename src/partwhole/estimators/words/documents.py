"""Methods that give a graph the vector of its document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options, Seed, option, seed_option
from partwhole.estimators.base import GraphMethod
from partwhole.estimators.words.vectors import DocumentVectors
from partwhole.graphs.store import GraphStore


@dataclass(eq=False)
class DocumentConfig(Options):
    dimensions: int = option(128, "Width of the vectors.", least=1)
    epochs_of_text: int = option(50, "Passes over the documents.", least=1)
    random_state: Seed = seed_option()


class DocumentMethod(GraphMethod, DocumentConfig):
    """A method defines `documents`. The vector of a graph, in the fit or new, is inferred from its words,
    so that it does not depend on the other graphs."""

    config_class: type[DocumentConfig] = DocumentConfig
    bag: bool  # of words, or words in their order

    def documents(self, store: GraphStore) -> list[list[str]]:
        """The words of each graph."""
        raise TypeError("a method of documents defines these")

    @property
    def width(self) -> int:
        return self.dimensions

    def _learn(self, store: GraphStore) -> None:
        self.vectors_ = self._vectors().fit(self.documents(store))

    def _embed(self, store: GraphStore) -> np.ndarray:
        return np.stack([self.vectors_.infer(words) for words in self.documents(store)])

    def _vectors(self) -> DocumentVectors:
        return DocumentVectors(self.dimensions, self.epochs_of_text, self.seed_, bag=self.bag)

    def _tensors(self) -> dict[str, Tensor]:
        return {name: torch.from_numpy(array) for name, array in self.vectors_.arrays().items()}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self.vectors_ = self._vectors().restore({name: t.numpy() for name, t in tensors.items()})
