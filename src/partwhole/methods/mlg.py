"""Multiscale Laplacian graph kernel: neighbourhoods of growing radius, compared as graphs of their own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from scipy.linalg import eigh
from torch import Tensor

from partwhole.config import Seed, option, seed_option
from partwhole.errors import PartwholeError, TooLarge
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.graph_kernels.base import (
    GraphKernel,
    KernelConfig,
    KernelEncoder,
    places,
    require_comparable,
)
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
    """Options of `mlg`."""

    radius: int = option(3, "Largest radius of a neighbourhood.", least=1)
    anchors: int = option(50, "Vertices that the others are compared with.", least=2)
    rank: int = option(10, "Features kept of these comparisons.", least=1)
    minutes: float = option(60.0, "Longest time for all neighbourhoods; it is foretold by a sample.", above=0)
    random_state: Seed = seed_option("Seed of the draw of anchors.")


class Level(NamedTuple):
    """The features of vertices at one radius: overlaps with anchors, in their strongest directions."""

    anchors: Shapes
    basis: np.ndarray  # [anchors, rank]


@dataclass(frozen=True)
class VertexFeatures:
    """Features of vertices that grow radius by radius."""

    labels: np.ndarray  # [labels] uint64 that anchors have, sorted
    basis: np.ndarray  # [labels, rank]
    levels: list[Level]

    def start(self, store: GraphStore) -> np.ndarray:
        """[N, rank] of radius 0; zeros for a label that no anchor has."""
        known = np.concatenate([self.basis, np.zeros((1, self.basis.shape[1]))])
        features: np.ndarray = known[places(labels_or_degrees(store, "mlg"), self.labels)]
        return features

    def shapes(self, store: GraphStore) -> Shapes:
        """Whole graphs, as the Gaussians that the features of the largest radius define."""
        x = self.start(store)
        for radius, (anchors, basis) in enumerate(self.levels, start=1):
            x = similarities(neighbourhoods(store, x, radius), anchors) @ basis
        return graph_shapes(store, x)


@dataclass(frozen=True)
class LaplacianVectors(KernelEncoder):
    """Similarities with the graphs of the fit, in their strongest directions."""

    features: VertexFeatures
    known: Shapes  # the graphs of the fit
    directions: np.ndarray  # [graphs of the fit, width]

    def gram(self, store: GraphStore) -> np.ndarray:
        """[1, graphs, graphs] overlaps of Gaussians."""
        shapes = self.features.shapes(store)
        return similarities(shapes, shapes)[None]

    @property
    def width(self) -> int:
        """Directions that the graphs of the fit have."""
        return self.directions.shape[1]

    def embed(self, store: GraphStore) -> np.ndarray:
        """[n, width] float32"""
        return (similarities(self.features.shapes(store), self.known) @ self.directions).astype(np.float32)

    def tensors(self) -> dict[str, Tensor]:
        """Labels, anchors, and the graphs of the fit as Gaussians."""
        labels, basis = self.features.labels.view(np.int64), self.features.basis
        arrays = {"basis": basis, "directions": self.directions, "labels": labels}
        arrays |= {"known.inverse": self.known.inverse, "known.logdet": self.known.logdet}
        for k, (anchors, basis) in enumerate(self.features.levels):
            level = {"inverse": anchors.inverse, "logdet": anchors.logdet, "basis": basis}
            arrays |= {f"level{k}.{name}": array for name, array in level.items()}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}


@METHODS.register
class MultiscaleLaplacian(GraphKernel[LaplacianConfig]):
    """Vertices have features; a (sub)graph is the Gaussian that these and its Laplacian define, and two
    graphs are as alike as their Gaussians overlap. Radius by radius, the features of a vertex become its
    neighbourhood's overlaps with those of `anchors` vertices, in their `rank` strongest directions."""

    method = "mlg"
    idea = "Laplacians of neighbourhoods of growing radius"
    paper = "Kondor & Pan, The Multiscale Laplacian Graph Kernel, NeurIPS 2016"
    config_class = LaplacianConfig

    def learn(self, fit: Fit[LaplacianConfig]) -> LaplacianVectors:
        """Draw anchors radius by radius, and compare all graphs of the fit."""
        store, config = fit.store, fit.config
        require_comparable(store)
        random = np.random.default_rng(config.random_state)
        nodes = len(store.edge_ptr) - 1
        if nodes == 0:
            raise PartwholeError("mlg finds no node in these graphs; give some.")
        found = labels_or_degrees(store, self.method)
        labels, first = np.unique(found[random.permutation(nodes)[: config.anchors]], return_inverse=True)
        alike = (first[:, None] == first[None, :]).astype(float)
        basis = np.eye(len(labels))[first].T @ _strongest_basis(alike, config.rank)  # [labels, rank]
        features = VertexFeatures(labels, basis, [])
        x = features.start(store)
        _require_time(config, store, x)
        for radius in range(1, config.radius + 1):
            shapes = neighbourhoods(store, x, radius)
            anchors = shapes[random.permutation(nodes)[: config.anchors]]
            level = Level(anchors, _strongest_basis(similarities(anchors, anchors), config.rank))
            features.levels.append(level)
            x = similarities(shapes, anchors) @ level.basis
        known = graph_shapes(store, x)
        values, vectors = strongest(eigh(similarities(known, known)), config.dimensions)
        return LaplacianVectors(features, known, vectors / np.sqrt(values))

    def restore(self, kept: Kept[LaplacianConfig]) -> LaplacianVectors:
        """The anchors and graphs of the fit, from their tensors."""
        arrays = {name: tensor.numpy() for name, tensor in kept.tensors.items()}

        def shapes(name: str) -> Shapes:
            return Shapes(arrays[f"{name}.inverse"], arrays[f"{name}.logdet"])

        radii = range(kept.config.radius)
        levels = [Level(shapes(f"level{k}"), arrays[f"level{k}.basis"]) for k in radii]
        features = VertexFeatures(arrays["labels"].view(np.uint64), arrays["basis"], levels)
        return LaplacianVectors(features, shapes("known"), arrays["directions"])


def neighbourhoods(store: GraphStore, x: np.ndarray, radius: int) -> Shapes:
    """The neighbourhood of every vertex."""
    return vertex_shapes(store, x, radius, np.arange(len(store.edge_ptr) - 1))


def _strongest_basis(gram: np.ndarray, rank: int) -> np.ndarray:
    values, vectors = strongest(eigh(gram), rank)
    return vectors / np.sqrt(values)


def _require_time(config: LaplacianConfig, store: GraphStore, x: np.ndarray) -> None:
    """Refuse what would take too long, before it begins; the largest radius stands for all."""
    nodes = len(store.edge_ptr) - 1
    vertex_shapes(store, x, config.radius, np.zeros(1, np.int64))  # compiles
    sample = np.sort(np.random.default_rng(0).choice(nodes, min(SAMPLE, nodes), replace=False))
    started = time.perf_counter()
    shapes = vertex_shapes(store, x, config.radius, sample)
    similarities(shapes, shapes[np.arange(len(sample))[: config.anchors]])
    minutes = (time.perf_counter() - started) * nodes / len(sample) * config.radius / 60
    if minutes > config.minutes:
        raise TooLarge(
            f"mlg would take about {minutes:.0f} minutes for the neighbourhoods in {store.name}, more "
            f"than its limit of {config.minutes:g}; raise `minutes`, or choose a smaller `radius` or "
            "another kernel."
        )
