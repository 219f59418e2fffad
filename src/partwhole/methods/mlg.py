"""Multiscale Laplacian graph kernel: neighbourhoods of growing radius, compared as graphs of their own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.linalg import eigh
from torch import Tensor

from partwhole.config import Seed, option, seed_option
from partwhole.errors import PartwholeError, TooLarge
from partwhole.estimators.graph_kernels.base import Kernel, KernelConfig, places, require_comparable
from partwhole.estimators.graph_kernels.laplacian import (
    Shapes,
    graph_shapes,
    labels_or_degrees,
    similarities,
    vertex_shapes,
)
from partwhole.graphs.store import GraphStore
from partwhole.numerics.directions import strongest
from partwhole.registry import METHODS

SAMPLE = 200  # vertices by which the time of all is foretold


@dataclass(eq=False)
class LaplacianConfig(KernelConfig):
    radius: int = option(3, "Largest radius of a neighbourhood.", least=1)
    anchors: int = option(50, "Vertices that the others are compared with.", least=2)
    rank: int = option(10, "Features kept of these comparisons.", least=1)
    minutes: float = option(60.0, "Longest time for all neighbourhoods; it is foretold by a sample.", above=0)
    random_state: Seed = seed_option("Seed of the draw of anchors.")


@METHODS.register
class MultiscaleLaplacian(Kernel, LaplacianConfig):
    """Vertices have features; a (sub)graph is the Gaussian that these and its Laplacian define, and two
    graphs are as alike as their Gaussians overlap. Radius by radius, the features of a vertex become its
    neighbourhood's overlaps with those of `anchors` vertices, in their `rank` strongest directions."""

    method = "mlg"
    about = "Laplacians of neighbourhoods of growing radius"
    paper = "Kondor & Pan, The Multiscale Laplacian Graph Kernel, NeurIPS 2016"
    config_class = LaplacianConfig

    def _gram(self, store: GraphStore) -> np.ndarray:
        shapes = self._shapes(store)
        return similarities(shapes, shapes)[None]

    @property
    def width(self) -> int:
        return self.directions_.shape[1]

    def _learn(self, store: GraphStore) -> None:
        require_comparable(store)
        random = np.random.default_rng(self.seed_)
        nodes = len(store.edge_ptr) - 1
        if nodes == 0:
            raise PartwholeError("mlg finds no node in these graphs; give some.")
        labels = labels_or_degrees(store, self.method)
        self.labels_, first = np.unique(
            labels[random.permutation(nodes)[: self.anchors]], return_inverse=True
        )
        alike = (first[:, None] == first[None, :]).astype(float)
        self.basis_ = np.eye(len(self.labels_))[first].T @ self._basis(alike)  # [labels, rank]
        x = self._start_features(store)
        self._foretell(store, x)
        self.levels_: list[tuple[Shapes, np.ndarray]] = []
        for radius in range(1, self.radius + 1):
            shapes = self._neighbourhoods(store, x, radius)
            chosen = shapes[random.permutation(nodes)[: self.anchors]]
            basis = self._basis(similarities(chosen, chosen))  # [anchors, rank]
            self.levels_.append((chosen, basis))
            x = similarities(shapes, chosen) @ basis
        self.known_ = graph_shapes(store, x)
        values, vectors = strongest(eigh(similarities(self.known_, self.known_)), self.dimensions)
        self.directions_ = vectors / np.sqrt(values)

    def _embed(self, store: GraphStore) -> np.ndarray:
        return (similarities(self._shapes(store), self.known_) @ self.directions_).astype(np.float32)

    def _shapes(self, store: GraphStore) -> Shapes:
        x = self._start_features(store)
        for radius, (chosen, basis) in enumerate(self.levels_, start=1):
            x = similarities(self._neighbourhoods(store, x, radius), chosen) @ basis
        return graph_shapes(store, x)

    def _start_features(self, store: GraphStore) -> np.ndarray:
        """[N, rank]; 0 for a label that no anchor has."""
        known = np.concatenate([self.basis_, np.zeros((1, self.basis_.shape[1]))])
        features: np.ndarray = known[places(labels_or_degrees(store, self.method), self.labels_)]
        return features

    def _basis(self, gram: np.ndarray) -> np.ndarray:
        values, vectors = strongest(eigh(gram), self.rank)
        return vectors / np.sqrt(values)

    def _neighbourhoods(self, store: GraphStore, x: np.ndarray, radius: int) -> Shapes:
        return vertex_shapes(store, x, radius, np.arange(len(store.edge_ptr) - 1))

    def _foretell(self, store: GraphStore, x: np.ndarray) -> None:
        """Refuse what would take too long, before it begins; the largest radius stands for all."""
        nodes = len(store.edge_ptr) - 1
        vertex_shapes(store, x, self.radius, np.zeros(1, np.int64))  # compiles
        sample = np.sort(np.random.default_rng(0).choice(nodes, min(SAMPLE, nodes), replace=False))
        started = time.perf_counter()
        shapes = vertex_shapes(store, x, self.radius, sample)
        similarities(shapes, shapes[np.arange(len(sample))[: self.anchors]])
        minutes = (time.perf_counter() - started) * nodes / len(sample) * self.radius / 60
        if minutes > self.minutes:
            raise TooLarge(
                f"mlg would take about {minutes:.0f} minutes for the neighbourhoods in {store.name}, more "
                f"than its limit of {self.minutes:g}; raise `minutes`, or choose a smaller `radius` or "
                "another kernel."
            )

    def _tensors(self) -> dict[str, Tensor]:
        arrays = {"basis": self.basis_, "directions": self.directions_, "labels": self.labels_.view(np.int64)}
        arrays |= {"known.inverse": self.known_.inverse, "known.logdet": self.known_.logdet}
        for k, (chosen, basis) in enumerate(self.levels_):
            level = {"inverse": chosen.inverse, "logdet": chosen.logdet, "basis": basis}
            arrays |= {f"level{k}.{name}": array for name, array in level.items()}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}

        def shapes(name: str) -> Shapes:
            return Shapes(arrays[f"{name}.inverse"], arrays[f"{name}.logdet"])

        self.basis_, self.directions_ = arrays["basis"], arrays["directions"]
        self.labels_, self.known_ = arrays["labels"].view(np.uint64), shapes("known")
        levels = range(self.radius)
        self.levels_ = [(shapes(f"level{k}"), arrays[f"level{k}.basis"]) for k in levels]
