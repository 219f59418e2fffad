"""RDKit's descriptors beside counts of Morgan patterns: the three lines that a chemist would write."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options, option
from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import PieceEncoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.graphs.store import GraphStore
from partwhole.recipes.molecule_views import Ranges
from partwhole.registry import METHODS
from partwhole.sources.descriptors import descriptor_names, descriptors, pattern_counts
from partwhole.sources.rebuilt import require_molecules

MOST_MOLECULES = 10_000  # that the usual range of a descriptor is learned from, spread evenly over all


@dataclass(eq=False)
class DescriptorConfig(Options):
    """Options of `descriptors`."""

    counts: bool = option(True, "Counts of Morgan patterns beside the descriptors.")
    radius: int = option(2, "Bonds around an atom that a pattern reaches.", least=0)
    bits: int = option(2048, "Columns that patterns are put into.", least=1)


@dataclass(frozen=True)
class DescriptorEncoder(PieceEncoder):
    """Descriptors and counts side by side, of equal variance over the graphs of the fit."""

    config: DescriptorConfig
    ranges: Ranges
    weight: float  # of the counts

    @property
    def width(self) -> int:
        """Descriptors, and columns of counts."""
        return len(self.ranges.mean) + (self.config.bits if self.config.counts else 0)

    @property
    def views(self) -> dict[str, slice]:
        """Which columns say what."""
        described = len(self.ranges.mean)
        found = {"descriptors": slice(0, described)}
        return found | ({"patterns": slice(described, self.width)} if self.config.counts else {})

    def embed(self, store: GraphStore) -> np.ndarray:
        """[n, width] by RDKit."""
        described = self.ranges.standardised(descriptors(store)).astype(np.float32)
        if not self.config.counts:
            return described
        counted = pattern_counts(store, self.config.radius, self.config.bits)
        return np.hstack([described, np.float32(self.weight) * counted])

    def tensors(self) -> dict[str, Tensor]:
        """What is usual, and the weight of the counts."""
        known = {"mean": self.ranges.mean, "scale": self.ranges.scale, "weight": np.array(self.weight)}
        return {name: torch.from_numpy(array) for name, array in known.items()}


@METHODS.register
class RDKitDescriptors(GraphEstimator[DescriptorConfig]):
    """RDKit's descriptors of molecules, and how often Morgan patterns occur.

    The descriptors are standardised by the graphs of the fit and cut off at six standard deviations. Of the
    217, the three that ask for sides of stereo centres are missing: a graph does not tell these.
    """

    method = "descriptors"
    idea = "RDKit's descriptors and counts of Morgan patterns, side by side"
    paper = "a baseline: Landrum et al., RDKit; Rogers & Hahn, J. Chem. Inf. Model. 2010"
    config_class = DescriptorConfig

    def learn(self, fit: Fit[DescriptorConfig]) -> DescriptorEncoder:
        """See what is usual."""
        store, config = fit.store, fit.config
        require_molecules(store, "descriptors")
        rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_MOLECULES)).astype(np.int64))
        some = store.take(rows)
        ranges, weight = Ranges.of(descriptors(some)), 1.0
        if config.counts:
            spread = pattern_counts(some, config.radius, config.bits).var(axis=0).sum()
            weight = float(np.sqrt(max((ranges.scale > 0).sum(), 1) / spread)) if spread > 0 else 1.0
        return DescriptorEncoder(config, ranges, weight)

    def restore(self, kept: Kept[DescriptorConfig]) -> DescriptorEncoder:
        """Take back what is usual."""
        mean, scale = kept.tensors["mean"].numpy(), kept.tensors["scale"].numpy()
        if len(mean) != len(descriptor_names()):
            raise PartwholeError(
                f"{kept.path} was fitted with an RDKit of {len(mean)} descriptors, and this one has "
                f"{len(descriptor_names())}; fit again."
            )
        return DescriptorEncoder(kept.config, Ranges(mean, scale), float(kept.tensors["weight"]))
