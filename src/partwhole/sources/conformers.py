"""RDKit molecules with coordinates, as a model of QM9 takes them: complete graphs with distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.sources.datasets.qm9_files import TARGETS, Molecules
from partwhole.sources.readers.molecules import is_molecule
from partwhole.sources.readers.qm9 import ELEMENTS, complete_graphs
from partwhole.sources.reading import Reading

if TYPE_CHECKING:
    from rdkit.Chem import Mol

BONDS = {1.0: 1, 2.0: 2, 3.0: 3}  # all else is aromatic, 4


def needs_coordinates(schema: Schema | None) -> bool:
    """Whether the model of this schema learned from distances between atoms."""
    return schema is not None and any(column.name == "distance" for column in schema.edge)


def read_conformers(
    molecules: Sequence[object], reading: Reading, called: Callable[[int], str]
) -> GraphStore:
    """The first conformer of each molecule; hydrogens must be atoms of their own."""
    numbers, positions, bonds, kept = [], [], [], []
    reading.require_few(len(molecules))
    for row, molecule in enumerate(molecules):
        if lack := _lacks(molecule):
            reading.leave_out(
                called(row),
                f"it has no {lack}, and the model needs distances between all atoms; give RDKit molecules or "
                "an SDF file with hydrogens and 3-D coordinates.",
            )
            continue
        assert is_molecule(molecule)  # SMILES lack coordinates
        size = molecule.GetNumAtoms()
        reading.require_small(called(row), size, size * (size - 1) // 2)
        atoms = [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
        if strange := sorted(set(atoms) - set(ELEMENTS)):
            reading.leave_out(
                called(row),
                f"it has atoms of atomic number {strange[0]}, and the model knows "
                f"{', '.join(ELEMENTS.values())}; leave it out.",
            )
            continue
        kept.append(row)
        numbers.append(np.array(atoms, dtype=np.uint8))
        positions.append(np.array(molecule.GetConformer().GetPositions(), dtype=np.float64))
        bonds.append(_bonds(molecule))
    reading.require_any(len(kept))
    store = complete_graphs(
        Molecules(
            index=np.arange(len(numbers)),
            num_atoms=np.array([len(n) for n in numbers]),
            numbers=np.concatenate(numbers),
            positions=np.concatenate(positions),
            num_bonds=np.array([len(b) for b in bonds]),
            bonds=np.concatenate(bonds),
            targets=np.full((len(numbers), len(TARGETS)), np.nan),
        )
    )
    return replace(store, name="molecules", rows=np.array(kept))


def _lacks(molecule: object) -> str:
    if not is_molecule(molecule) or molecule.GetNumConformers() == 0:
        return "coordinates"
    if not molecule.GetConformer().Is3D():
        return "coordinates in space, only in the plane"
    molecule.UpdatePropertyCache(strict=False)
    if any(atom.GetNumImplicitHs() for atom in molecule.GetAtoms()):
        return "hydrogens as atoms of their own"
    return ""


def _bonds(molecule: Mol) -> np.ndarray:
    """[bonds, 3]: atoms i < j; 1 single … 3 triple, 4 aromatic."""
    rows = [
        (*sorted((b.GetBeginAtomIdx(), b.GetEndAtomIdx())), BONDS.get(b.GetBondTypeAsDouble(), 4))
        for b in molecule.GetBonds()
    ]
    return np.array(sorted(rows), dtype=np.int64).reshape(-1, 3)
