"""What all kernels share: similarities for an SVM, and vectors whose products are the similarities."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwhole.config import Options, option
from partwhole.errors import PartwholeError, TooLarge
from partwhole.estimators.base import C, GraphEstimator
from partwhole.estimators.encoder import PieceEncoder
from partwhole.graphs.refinement import hash_rows
from partwhole.graphs.store import GraphStore

MOST_SIMILARITIES = 400_000_000  # 3 GB


@dataclass(eq=False)
class KernelConfig(Options):
    """Options of every kernel."""

    dimensions: int = option(128, "Width of the vectors: the strongest directions of the kernel.", least=1)


class KernelEncoder(PieceEncoder):
    """What a kernel knows after a fit: similarities, and vectors that are their best approximation."""

    @property
    def num_candidates(self) -> int:
        """How many settings there are for an SVM to choose from."""
        return 1

    @abstractmethod
    def gram(self, store: GraphStore) -> np.ndarray:
        """[candidates, graphs, graphs] similarities, 1 of a graph with itself."""


class GraphKernel(GraphEstimator[C]):
    """A kernel is scored by its similarities, `gram`; its vectors are their best approximation."""

    learns_from = "nothing"

    def gram(self, graphs: Any) -> np.ndarray:
        """[candidates, graphs, graphs] similarities, 1 of a graph with itself.

        Several candidates differ in a setting that the SVM chooses inside its training part.
        """
        store = self.read(graphs)
        assert isinstance(self.learned_, KernelEncoder)
        require_comparable(store, self.learned_.num_candidates)
        return self.learned_.gram(store)


def require_comparable(store: GraphStore, candidates: int = 1) -> None:
    """Raise unless the similarities of all pairs of graphs fit into memory."""
    most = math.isqrt(MOST_SIMILARITIES // candidates)
    if len(store) > most:
        raise TooLarge(
            f"A kernel compares all pairs of graphs, and the {len(store)} of {store.name} are too many; give "
            f"at most {most} of them, or use the vectors that `partwhole embed` writes."
        )


def unit_diagonal(gram: np.ndarray) -> np.ndarray:
    """Cosine normalisation; a graph in which the kernel sees nothing is like no other."""
    size = np.sqrt(np.clip(np.diagonal(gram), 0, None))
    scale = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    return gram * scale[:, None] * scale[None, :]


def node_labels(store: GraphStore, method: str) -> np.ndarray:
    """[N] uint64: equal for nodes of equal categories, in every store; numbers and edges do not count."""
    columns = [column for column in store.schema.node if column.is_categorical]
    if store.schema.node and not columns:
        raise PartwholeError(
            f"{method} compares nodes by labels, and these have numbers only; give the nodes a category, or "
            "use a method that learns from numbers, such as subgraph-infomax."
        )
    return hash_rows(store.node_codes.astype(np.uint64))


def places(keys: np.ndarray, known: np.ndarray) -> np.ndarray:
    """[n] the place of each key in the sorted array `known`; -1 where it is not there."""
    at = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
    found = known[at] == keys if len(known) else np.zeros(len(keys), bool)
    return np.where(found, at, -1)
