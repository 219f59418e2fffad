"""Morgan fingerprints: what learned vectors of molecules have to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from partwhole.config import Options, option
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import PieceEncoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.sources.rebuilt import rebuilt_molecule, require_molecules


@dataclass(eq=False)
class MorganConfig(Options):
    """Options of `morgan`."""

    radius: int = option(2, "Bonds around an atom that are looked at.", least=0)
    bits: int = option(2048, "Width of the vectors.", least=1)
    counts: bool = option(False, "How often a pattern occurs, not only whether.")


@dataclass(frozen=True)
class FingerprintEncoder(PieceEncoder):
    """Fingerprints of the molecules as they are in the store: elements, charges, hydrogens, bonds."""

    radius: int
    bits: int
    counts: bool

    @property
    def width(self) -> int:
        """Bits."""
        return self.bits

    def embed(self, store: GraphStore) -> np.ndarray:
        """[n, bits] by RDKit."""
        from rdkit.Chem import rdFingerprintGenerator

        generator = rdFingerprintGenerator.GetMorganGenerator(radius=self.radius, fpSize=self.bits)
        read = generator.GetCountFingerprintAsNumPy if self.counts else generator.GetFingerprintAsNumPy
        return np.stack([read(rebuilt_molecule(store[i])) for i in range(len(store))]).astype(np.float32)

    def tensors(self) -> dict[str, Tensor]:
        """Nothing was learned."""
        return {}


@METHODS.register
class MorganFingerprints(GraphEstimator[MorganConfig]):
    """RDKit's Morgan fingerprints."""

    method = "morgan"
    idea = "Morgan fingerprints of molecules, by RDKit"
    paper = "Rogers & Hahn, Extended-Connectivity Fingerprints, J. Chem. Inf. Model. 2010"
    learns_from = "nothing"
    config_class = MorganConfig

    def learn(self, fit: Fit[MorganConfig]) -> FingerprintEncoder:
        """See that the graphs are molecules."""
        require_molecules(fit.store, "fingerprints")
        return FingerprintEncoder(fit.config.radius, fit.config.bits, fit.config.counts)

    def restore(self, kept: Kept[MorganConfig]) -> FingerprintEncoder:
        """The options say all."""
        return FingerprintEncoder(kept.config.radius, kept.config.bits, kept.config.counts)
