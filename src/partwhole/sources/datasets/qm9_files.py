"""The files of QM9: a folder of compact arrays, or the installed package qm9pack.

Both give the same 130,831 molecules with coordinates and raw targets. The package has no bonds:
those between heavy atoms are taken from its SMILES, and each hydrogen is tied to its nearest heavy
atom.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import importlib.util
import itertools
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

TARGETS = ("mu", "alpha", "homo", "lumo", "gap", "r2", "zpve", "U0", "U", "H", "G", "Cv")
FOLDER_FILES = {
    "qm9_geometry.npz": "72ab5f0baae3b02aa2b3fd6f202a4a6971b12c70f6eefb210eaaeba2b742af3e",
    "qm9_bonds.npz": "5ab5903a0ba566a4378b0435ba120bd81d8dbecd3f86d29e9f6ebc7d2abc6126",
    "qm9_targets.csv.xz": "6b4fac0e7bc439b652534d588cddbc02d8e85d8b2115b3b9bf0617979db4bb48",
}
PACKAGE_FILES = ("qm9_part1.csv", "qm9_part2.csv", "qm9_part3.csv")
PACKAGE_COLUMNS = dict(
    zip(
        TARGETS,
        (
            "Dipole_debye",
            "Polarizability_bohr3",
            "HOMO_au",
            "LUMO_au",
            "HOMO_LUMO_gap_au",
            "R2_bohr2",
            "ZPVE_au",
            "InternalEnergy_0K_au",
            "InternalEnergy_298K_au",
            "Enthalphy_298K_au",
            "GibbsFreeEnergy_298K_au",
            "Heatcapacity_Cv_cal_mol_K",
        ),
    )
)
NUMBERS = {"H": 1, "C": 6, "N": 7, "O": 8, "F": 9}


@dataclass(frozen=True)
class Molecules:
    """G molecules with N atoms and B bonds, one after the other."""

    index: np.ndarray  # [G] the number in the names dsgdb9nsd_…
    num_atoms: np.ndarray  # [G]
    numbers: np.ndarray  # [N] atomic numbers
    positions: np.ndarray  # [N, 3] float64, angstrom
    num_bonds: np.ndarray  # [G]
    bonds: np.ndarray  # [B, 3]: atoms i < j counted within the molecule; 1 single … 3 triple, 4 aromatic
    targets: np.ndarray  # [G, 12] raw, in the order of TARGETS

    def pieces(self, size: int) -> Iterator[Molecules]:
        """Molecules `size` at a time."""
        atoms = np.concatenate([[0], np.cumsum(self.num_atoms)])
        bonds = np.concatenate([[0], np.cumsum(self.num_bonds)])
        for start in range(0, len(self.index), size):
            stop = min(start + size, len(self.index))
            a, b = slice(atoms[start], atoms[stop]), slice(bonds[start], bonds[stop])
            graphs = slice(start, stop)
            yield Molecules(
                self.index[graphs],
                self.num_atoms[graphs],
                self.numbers[a],
                self.positions[a],
                self.num_bonds[graphs],
                self.bonds[b],
                self.targets[graphs],
            )


def is_folder(path: Path) -> bool:
    """Whether all compact arrays lie in this folder."""
    return all((path / name).is_file() for name in FOLDER_FILES)


def package_folder() -> Path | None:
    """Where an installed qm9pack keeps its tables."""
    spec = importlib.util.find_spec("qm9pack")
    folder = Path(spec.origin).parent / "data" if spec and spec.origin else None
    return folder if folder and all((folder / name).is_file() for name in PACKAGE_FILES) else None


def read_folder(folder: Path) -> Molecules:
    """Read the compact arrays, which are compared with known checksums."""
    for name, wanted in FOLDER_FILES.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != wanted:
                raise PartwholeError(f"{folder / name} is cut short or altered; get it again.")
    with np.load(folder / "qm9_geometry.npz") as geometry:
        fixed = (geometry["pos_hi"].astype(np.int64) << 32) | geometry["pos_lo"].astype(np.int64)
        index, num_atoms, numbers = (geometry[name] for name in ("index", "n_atoms", "z"))
    with np.load(folder / "qm9_bonds.npz") as bonds:
        pairs = np.stack([bonds[name] for name in ("i", "j", "type")], axis=1).astype(np.int64)
        num_bonds = bonds["n_bonds"].astype(np.int64)
    with lzma.open(folder / "qm9_targets.csv.xz", "rt", newline="") as text:
        targets = [[float(row[name]) for name in TARGETS] for row in csv.DictReader(text)]
    return Molecules(
        index.astype(np.int64),
        num_atoms.astype(np.int64),
        numbers,
        fixed / 1e10,  # ten decimals, exact
        num_bonds,
        pairs,
        np.array(targets),
    )


def read_package(folder: Path) -> Molecules:
    """Read the tables of qm9pack; bonds come from SMILES and distances, as said above."""
    try:
        from rdkit import Chem, RDLogger
    except ImportError:
        raise PartwholeError(
            "The bonds of QM9 are read from its SMILES by RDKit; install it with `pip install "
            "'partwhole[molecules]'`."
        ) from None
    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    rows = [row for name in PACKAGE_FILES for row in _rows(folder / name)]
    elements = [ast.literal_eval(row["Elements"]) for row in rows]
    positions = [np.array(ast.literal_eval(row["XYZ_Ang"])) for row in rows]
    numbers = [np.array([NUMBERS[e] for e in atoms], dtype=np.uint8) for atoms in elements]
    bonds = [
        bonds_from_smiles(row["SMILES"], atoms, places, Chem)
        for row, atoms, places in zip(rows, numbers, positions)
    ]
    return Molecules(
        np.array([int(row["Index"]) for row in rows]),
        np.array([len(atoms) for atoms in numbers]),
        np.concatenate(numbers),
        np.concatenate(positions),
        np.array([len(b) for b in bonds]),
        np.concatenate(bonds),
        np.array([[float(row[PACKAGE_COLUMNS[name]]) for name in TARGETS] for row in rows]),
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as text:
        yield from csv.DictReader(text)


def bonds_from_smiles(
    smiles: str, numbers: np.ndarray, positions: np.ndarray, chem: ModuleType
) -> np.ndarray:
    """[bonds, 3] of one molecule: heavy atoms as in the SMILES, hydrogens by distance."""
    molecule = chem.MolFromSmiles(smiles)
    heavy = np.flatnonzero(numbers != 1)
    bond_types = {chem.BondType.SINGLE: 1, chem.BondType.DOUBLE: 2, chem.BondType.TRIPLE: 3}
    written = [
        (b.GetBeginAtomIdx(), b.GetEndAtomIdx(), bond_types.get(b.GetBondType(), 4))
        for b in molecule.GetBonds()
    ]
    order = _places(molecule, numbers[heavy], positions[heavy])
    bonds = [(*sorted((heavy[order[a]], heavy[order[b]])), bond_type) for a, b, bond_type in written]
    for h in np.flatnonzero(numbers == 1):
        others = heavy if len(heavy) else np.delete(np.arange(len(numbers)), h)
        nearest = others[((positions[others] - positions[h]) ** 2).sum(axis=1).argmin()]
        bonds.append((*sorted((nearest, h)), 1))
    return np.array(sorted(bonds), dtype=np.int64).reshape(-1, 3)


def _places(molecule: Mol, numbers: np.ndarray, positions: np.ndarray) -> list[int]:
    """Which coordinates belong to each atom of the SMILES.

    All but six molecules list both in one order. In those six, the order of the same elements under
    which bonded atoms are nearest.
    """
    wanted = [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
    pairs = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()]

    def length(order: Sequence[int]) -> float:
        return sum(float(np.linalg.norm(positions[order[a]] - positions[order[b]])) for a, b in pairs)

    straight = list(range(len(wanted)))
    if wanted == numbers.tolist() and all(
        np.linalg.norm(positions[a] - positions[b]) < 2.0 for a, b in pairs
    ):
        return straight
    orders = (p for p in itertools.permutations(straight) if [numbers[k] for k in p] == wanted)
    return list(min(orders, key=length, default=straight))
