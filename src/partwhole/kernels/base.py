"""What all kernels share: similarities for an SVM, and vectors whose products are the similarities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwhole.config import Options, option
from partwhole.errors import PartwholeError
from partwhole.method import GraphMethod
from partwhole.store import GraphStore


@dataclass(eq=False)
class KernelConfig(Options):
    dimensions: int = option(128, "Width of the vectors: the strongest directions of the kernel.", least=1)


class Kernel(GraphMethod, KernelConfig):
    """A kernel is scored by its similarities, `gram`; its vectors are their best approximation."""

    learns_from = "nothing"
    config_class: type[KernelConfig] = KernelConfig

    def gram(self, store: GraphStore) -> np.ndarray:
        """[candidates, graphs, graphs] similarities, 1 of a graph with itself.

        Several candidates differ in a setting that the SVM chooses inside its training part.
        """
        raise TypeError("a kernel defines gram")


def unit_diagonal(gram: np.ndarray) -> np.ndarray:
    """Cosine normalisation; a graph in which the kernel sees nothing is like no other."""
    size = np.sqrt(np.clip(np.diagonal(gram), 0, None))
    scale = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    return gram * scale[:, None] * scale[None, :]


def strongest(spectrum: tuple[np.ndarray, np.ndarray], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Of eigenvalues in rising order and their vectors: at most so many, the strongest first, none that
    is rounding error, each vector with its largest entry positive."""
    values, vectors = spectrum
    kept = np.flatnonzero(values > 1e-10 * max(values.max(), 1e-300))[::-1][:most]
    vectors = vectors[:, kept]
    largest = np.abs(vectors).argmax(axis=0)
    return values[kept], vectors * np.sign(vectors[largest, np.arange(len(kept))])


def node_labels(store: GraphStore, method: str) -> np.ndarray:
    """[N] one number for each node: its categories, or 0 where nodes have no attributes at all."""
    columns = [column for column in store.schema.node if column.is_categorical]
    if store.schema.node and not columns:
        raise PartwholeError(
            f"{method} compares nodes by labels, and these have numbers only; give the nodes a category, or "
            "use a method that learns from numbers, such as subgraph-infomax."
        )
    labels = np.zeros(len(store.edge_ptr) - 1, np.int64)
    for k, column in enumerate(columns):
        labels = labels * column.width + store.node_codes[:, k]
    return labels
