"""The vector of a molecule: its views side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from torch import Tensor, nn

from partwhole.errors import PartwholeError
from partwhole.estimators.encoder import Encoder, pieces
from partwhole.estimators.molecules.network import MoleculeNetwork
from partwhole.estimators.molecules.options import MoleculeConfig
from partwhole.estimators.molecules.told import numbers_told
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs, with_first_weights
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.recipes.graph_vectors import spread
from partwhole.recipes.molecule_views import (
    WEIGHTS,
    Ranges,
    Turned,
    patterns,
    quick_descriptors,
    varied,
)
from partwhole.sources.descriptors import descriptors

SAMPLE = 16_384  # molecules that directions are learned from, spread evenly over all
BESIDE = (
    *("vector.mean", "vector.map", "vector.spread"),
    *("exact.scale", "exact.mean", "exact.range", "exact.places"),
)


@dataclass(frozen=True)
class ExactViews:
    """Descriptors and patterns as they stand in a vector."""

    config: MoleculeConfig
    ranges: Ranges
    places: np.ndarray  # [patterns] int64
    scale: np.ndarray  # [2] of descriptors, of patterns: makes their variances add up to 1

    @classmethod
    def of(cls, sample: GraphStore, config: MoleculeConfig) -> ExactViews:
        """By what is usual in a sample."""
        ranges, counted = Ranges.of(descriptors(sample, quick_descriptors())), patterns(sample)
        places = varied(counted, config.pattern_columns)
        variances = (ranges.scale > 0).sum(), counted[:, places].var(axis=0).sum()
        return cls(config, ranges, places, np.array([max(float(v), 1e-12) ** -0.5 for v in variances]))

    def __call__(self, store: GraphStore) -> list[np.ndarray]:
        """[n, columns] of each view that is on, with its weight."""
        views = []
        if self.config.descriptors:
            described = self.ranges.standardised(descriptors(store, quick_descriptors()))
            views.append(described * self.scale[0] * WEIGHTS["descriptors"] ** 0.5)
        if self.config.patterns:
            views.append(patterns(store, self.places) * self.scale[1] * WEIGHTS["patterns"] ** 0.5)
        return views


class MoleculeEncoder(Encoder):
    """The views of a molecule side by side."""

    def __init__(self, network: MoleculeNetwork, inputs: NetworkInputs, config: MoleculeConfig):
        self.network, self.config = network, config
        self.learned = NetworkEncoder(network, network, inputs, config, lift=False)
        self.parts = NetworkEncoder(network, network.model, inputs, config, lift=False, subgraphs=True)
        self.turned: Turned | None = None  # of what was learned
        self.exact: ExactViews | None = None

    @classmethod
    def first(cls, config: MoleculeConfig, schema: Schema) -> Self:
        """With its first weights."""
        inputs, told = NetworkInputs.of(schema, config), numbers_told(config.targets)
        network = with_first_weights(
            config.random_state,
            lambda: MoleculeNetwork.from_config(config.model(), inputs, config.learned_columns, told),
        )
        return cls(network, inputs, config)

    @property
    def views(self) -> dict[str, slice]:
        """Which columns of a vector say what."""
        described, counted = len(quick_descriptors()), self.config.pattern_columns
        widths = {"learned": self.config.learned_columns, "descriptors": described, "patterns": counted}
        found, end = {}, 0
        for view, width in widths.items():
            if getattr(self.config, view):
                found[view] = slice(end, end := end + width)
        return found

    @property
    def width(self) -> int:
        """Columns of all views."""
        return max((columns.stop for columns in self.views.values()), default=0)

    @property
    def model(self) -> nn.Module:
        """The network."""
        return self.network

    @property
    def learns_subgraphs(self) -> bool:
        """A generator has a part in training."""
        return True

    def memberships(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[S, atoms] of each molecule."""
        return self.parts.memberships(store)

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[n, width] float32: learned, descriptors, patterns."""
        assert self.turned is not None
        assert self.exact is not None
        prepared = self.learned.inputs.prepared(store)
        outputs = (
            self.learned.outputs_in_pieces(prepared, self.network.embed) if self.config.learned else None
        )
        for piece in pieces(store):
            views = []
            if outputs is not None:
                z = next(outputs).cpu().numpy()
                views.append(self.turned(z) * WEIGHTS["learned"] ** 0.5)
            yield np.hstack([*views, *self.exact(piece)]).astype(np.float32)

    def settle(self, store: GraphStore) -> Mapping[str, Tensor]:
        """Learn directions and ranges with the weights of the moment, from a sample of a prepared store."""
        self.parts.divide_parts(store)
        sample = store.take(spread(store, SAMPLE))
        z = torch.cat(list(self.learned.outputs_in_pieces(sample, self.network.embed)))
        self.turned = Turned.of(z.cpu().numpy())
        if self.exact is None:  # the same for all weights
            self.exact = ExactViews.of(sample, self.config)
        return self.beside()

    def beside(self) -> dict[str, Tensor]:
        """What is kept besides the weights."""
        assert self.turned is not None
        assert self.exact is not None
        kept = {"vector.mean": self.turned.mean, "vector.map": self.turned.map}
        kept |= {"vector.spread": self.turned.spread, "exact.scale": self.exact.scale}
        kept |= {"exact.mean": self.exact.ranges.mean, "exact.range": self.exact.ranges.scale}
        kept |= {"exact.places": self.exact.places}
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in kept.items()}

    def tensors(self) -> dict[str, Tensor]:
        """Weights, directions and ranges."""
        return {**self.network.state_dict(), **self.beside()}

    def restore(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Take back what `tensors` gave."""
        known = {name: tensors[name].numpy() for name in BESIDE if name in tensors}
        if len(known) < len(BESIDE) or len(known["exact.mean"]) != len(quick_descriptors()):
            raise PartwholeError(
                f"{path} was fitted with other descriptors than those of this RDKit; fit again, or install "
                "the version of RDKit that it was fitted with."
            )
        self.learned.restore({n: t for n, t in tensors.items() if n not in BESIDE}, path)
        self.turned = Turned(known["vector.mean"], known["vector.map"], known["vector.spread"])
        ranges = Ranges(known["exact.mean"], known["exact.range"])
        self.exact = ExactViews(self.config, ranges, known["exact.places"], known["exact.scale"])
