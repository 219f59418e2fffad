"""Scaffolds of molecules: their rings and what joins them (Bemis and Murcko 1996)."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.sources.rebuilt import rebuilt_molecule


def scaffolds_of(store: GraphStore) -> np.ndarray:
    """Number the scaffold of each molecule [G]. All molecules without rings have the same, and so have all
    forms of one molecule."""
    from rdkit.Chem import MolToSmiles
    from rdkit.Chem.Scaffolds import MurckoScaffold

    found = [
        MolToSmiles(MurckoScaffold.GetScaffoldForMol(rebuilt_molecule(store[i]))) for i in range(len(store))
    ]
    return np.unique(found, return_inverse=True)[1]
