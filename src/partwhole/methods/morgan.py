"""Morgan fingerprints: what learned vectors of molecules have to beat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from partwhole.config import Options, option
from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphMethod
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.sources.rebuilt import rebuilt_molecule


@dataclass(eq=False)
class MorganConfig(Options):
    radius: int = option(2, "Bonds around an atom that are looked at.", least=0)
    bits: int = option(2048, "Width of the vectors.", least=1)
    counts: bool = option(False, "How often a pattern occurs, not only whether.")


@METHODS.register
class MorganFingerprints(GraphMethod, MorganConfig):
    """RDKit's, of the molecules as they are in the store: elements, charges, hydrogens, bonds."""

    method = "morgan"
    about = "Morgan fingerprints of molecules, by RDKit"
    paper = "Rogers & Hahn, Extended-Connectivity Fingerprints, J. Chem. Inf. Model. 2010"
    learns_from = "nothing"
    config_class = MorganConfig

    @property
    def width(self) -> int:
        return self.bits

    def _learn(self, store: GraphStore) -> None:
        if not (store.schema.chemistry and store.schema.edge):
            raise PartwholeError(
                f"{store.name} has no molecules with bonds, which fingerprints are made of; give SMILES, or "
                "use wl for other graphs."
            )

    def _embed(self, store: GraphStore) -> np.ndarray:
        from rdkit.Chem import rdFingerprintGenerator

        chosen = self._settings()  # RDKit takes no numbers of NumPy
        generator = rdFingerprintGenerator.GetMorganGenerator(radius=chosen.radius, fpSize=chosen.bits)
        read = generator.GetCountFingerprintAsNumPy if chosen.counts else generator.GetFingerprintAsNumPy
        return np.stack([read(rebuilt_molecule(store[i])) for i in range(len(store))]).astype(np.float32)

    def _tensors(self) -> dict[str, Tensor]:
        return {}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        """There is nothing to take back."""
