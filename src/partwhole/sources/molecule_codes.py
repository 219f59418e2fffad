"""What a graph says of the atoms and bonds of a molecule, as codes: asked of RDKit, or read in bulk."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from partwhole.graphs.schema import Column, Schema
from partwhole.sources.molecule_bytes import CodeTables, read_bytes

if TYPE_CHECKING:
    from rdkit.Chem import Mol

ELEMENTS = [
    "C",
    "N",
    "O",
    "S",
    "F",
    "Cl",
    "Br",
    "I",
    "P",
    "B",
    "Si",
    "Se",
    "H",
    "Na",
    "K",
    "Li",
    "Ca",
    "Mg",
    "Al",
    "Sn",
    "Zn",
    "Fe",
    "Cu",
    "As",
    "Hg",
    "other",
]
HYBRIDIZATIONS = ("S", "SP", "SP2", "SP3", "SP3D", "SP3D2", "other")
BONDS = ("single", "double", "triple", "aromatic", "other")
STEREO = ("none", "any", "Z", "E", "other")
CHIRALITY = ("none", "clockwise", "counterclockwise", "other")
FEWEST_IN_BULK = 64  # molecules; fewer are not worth the compiled code that has to be loaded

SCHEMA = Schema(
    node=(
        Column.categorical("atom", ELEMENTS),
        Column.categorical("degree", ["0", "1", "2", "3", "4", "5", "6 or more"]),
        Column.categorical("charge", ["-2 or less", "-1", "0", "1", "2 or more"]),
        Column.categorical("hydrogens", ["0", "1", "2", "3", "4 or more"]),
        Column.categorical("hybridization", HYBRIDIZATIONS),
        Column.categorical("aromatic", ["no", "yes"]),
        Column.categorical("ring", ["no", "yes"]),
        Column.categorical("chirality", CHIRALITY),
    ),
    edge=(
        Column.categorical("bond", BONDS),
        Column.categorical("conjugated", ["no", "yes"]),
        Column.categorical("ring", ["no", "yes"]),
        Column.categorical("stereo", STEREO),
    ),
    chemistry=True,
)

# With everything that the bytes of a molecule are read for.
TYPICAL = (
    "CC(=O)Oc1ccccc1C(=O)O",
    "C[N+](C)(C)CC([O-])=O",
    "F/C=C/Cl",
    "F/C=C\\Cl",
    "CC=CC",
    "N[C@@H](C)C(=O)O",
    "N[C@H](C)C(=O)O",
    "[2H]C([2H])([2H])O",
    "[13CH4]",
    "[CH3]",
    "[NH4+].[Cl-]",
    "O=S(=O)(O)c1cc2ccccc2[nH]1",
    "C1CC2CCC1C2",
    "FS(F)(F)(F)(F)F",
    "C#N",
    "[Na+].[O-]P(=O)([O-])[O-].[Fe+3]",
    "[NH3]->[Pt](Cl)(Cl)<-[NH3]",
    "*C",
    "[Xe]",
    "OB(O)c1ccsc1",
    "C[Si](C)(C)C=C=C",
    "C[S@](=O)CC",
)


@dataclass(frozen=True)
class MoleculeCodes:
    """Molecules one after the other; a bond stands once."""

    atom_ptr: np.ndarray  # [n + 1] where the atoms of each begin
    bond_ptr: np.ndarray  # [n + 1]
    atoms: np.ndarray  # [all atoms, 8] int16
    ends: np.ndarray  # [all bonds, 2] int64, counted over all atoms
    bonds: np.ndarray  # [all bonds, 4] int16


def codes_of(molecules: list[Mol]) -> MoleculeCodes:
    """The codes of molecules that know their rings and hydrogens."""
    return _codes_of(molecules, bulk=len(molecules) >= FEWEST_IN_BULK and bytes_are_known())


def _codes_of(molecules: list[Mol], *, bulk: bool) -> MoleculeCodes:
    atom_ptr = np.cumsum([0, *(m.GetNumAtoms() for m in molecules)])
    bond_ptr = np.cumsum([0, *(m.GetNumBonds() for m in molecules)])
    atoms = np.zeros((atom_ptr[-1], len(SCHEMA.node)), np.int16)
    ends = np.zeros((bond_ptr[-1], 2), np.int64)
    bonds = np.zeros((bond_ptr[-1], len(SCHEMA.edge)), np.int16)
    known = np.zeros(len(molecules), bool)
    if bulk:
        known = read_bytes(molecules, _tables(), atom_ptr, bond_ptr, atoms, ends, bonds)
    for i in np.flatnonzero(~known):
        own_atoms, own_bonds = slice(*atom_ptr[i : i + 2]), slice(*bond_ptr[i : i + 2])
        atoms[own_atoms], ends[own_bonds], bonds[own_bonds] = _asked(molecules[i])
    ends += np.repeat(atom_ptr[:-1], np.diff(bond_ptr))[:, None]
    return MoleculeCodes(atom_ptr, bond_ptr, atoms, ends, bonds)


@functools.cache
def bytes_are_known() -> bool:
    """Whether the bytes that this RDKit writes say what it answers when it is asked."""
    from rdkit import Chem

    molecules = [Chem.MolFromSmiles(smiles) for smiles in TYPICAL]
    read, asked = _codes_of(molecules, bulk=True), _codes_of(molecules, bulk=False)
    return all(np.array_equal(a, b) for a, b in zip(vars(read).values(), vars(asked).values(), strict=True))


def _asked(molecule: Mol) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of atoms, ends of bonds and codes of bonds, attribute by attribute."""
    tables = _tables()
    atoms, ends, bonds = [], [], []
    for v in range(molecule.GetNumAtoms()):  # RDKit's own iterators are written in Python
        atom = molecule.GetAtomWithIdx(v)
        code = (
            tables.element[atom.GetAtomicNum()],
            min(atom.GetDegree(), 6),
            min(max(atom.GetFormalCharge(), -2), 2) + 2,
            min(atom.GetTotalNumHs(), 4),
            tables.hybridization[int(atom.GetHybridization())],
            atom.GetIsAromatic(),
            atom.IsInRing(),
            tables.chirality[int(atom.GetChiralTag())],
        )
        atoms.append(code)
    for e in range(molecule.GetNumBonds()):
        bond = molecule.GetBondWithIdx(e)
        ends.append((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
        bonds.append(
            (
                tables.bond[int(bond.GetBondType())],
                bond.GetIsConjugated(),
                bond.IsInRing(),
                tables.stereo[int(bond.GetStereo())],
            )
        )
    return (
        np.array(atoms, np.int16).reshape(-1, len(SCHEMA.node)),
        np.array(ends, np.int64).reshape(-1, 2),
        np.array(bonds, np.int16).reshape(-1, len(SCHEMA.edge)),
    )


@functools.cache
def _tables() -> CodeTables:
    """The code of each of RDKit's numbers; the last category is for all else."""
    from rdkit.Chem import BondStereo, BondType, ChiralType, GetPeriodicTable, HybridizationType

    def table(numbers: Mapping[int, Any], known: Sequence[Any], last: int) -> np.ndarray:
        codes = [known.index(of) if of in known else last for _, of in sorted(numbers.items())]
        return np.array(codes, np.int16)

    periodic = GetPeriodicTable()
    symbols = {k: periodic.GetElementSymbol(k) for k in range(periodic.GetMaxAtomicNumber() + 1)}
    hybrids = [getattr(HybridizationType, name) for name in HYBRIDIZATIONS[:-1]]
    turns = [ChiralType.CHI_UNSPECIFIED, ChiralType.CHI_TETRAHEDRAL_CW, ChiralType.CHI_TETRAHEDRAL_CCW]
    orders = [getattr(BondType, name.upper()) for name in BONDS[:-1]]
    sides = [BondStereo.STEREONONE, BondStereo.STEREOANY, BondStereo.STEREOZ, BondStereo.STEREOE]
    return CodeTables(
        table(symbols, ELEMENTS[:-1], len(ELEMENTS) - 1),
        table(HybridizationType.values, hybrids, len(HYBRIDIZATIONS) - 1),
        table(ChiralType.values, turns, len(CHIRALITY) - 1),
        table(BondType.values, orders, len(BONDS) - 1),
        table(BondStereo.values, sides, len(STEREO) - 1),
    )
