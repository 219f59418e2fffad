"""Molecules: lists of SMILES strings or RDKit molecules, parsed on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.registry import SOURCES
from partwhole.schema import Column, Schema
from partwhole.sources.base import Source, all_of
from partwhole.store import GraphStore

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
CHUNK = 4096  # molecules handed to a worker at a time

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


def read_molecules(data: Sequence[Any]) -> GraphStore:
    """Atoms and bonds with one-hot features; hydrogens are counted, not drawn as nodes."""
    _require_rdkit()
    chunks = [data[i : i + CHUNK] for i in range(0, len(data), CHUNK)]
    if len(chunks) > 1 and isinstance(data[0], str):
        from joblib import Parallel, delayed

        jobs = (delayed(encode_molecules)(list(c), i * CHUNK) for i, c in enumerate(chunks))
        parts = Parallel(n_jobs=-1)(jobs)
    else:
        parts = [encode_molecules(list(c), i * CHUNK) for i, c in enumerate(chunks)]
    counts, atoms, bonds, features = (list(column) for column in zip(*parts))
    offset = 0
    for count, bond in zip(counts, bonds):
        bond += offset
        offset += int(count.sum())
    return GraphStore.from_arrays(
        np.concatenate(counts),
        np.concatenate(bonds),
        schema=SCHEMA,
        node_codes=np.concatenate(atoms),
        edge_codes=np.concatenate(features),
        ids=np.array(data) if isinstance(data[0], str) else None,
        name="molecules",
    )


def encode_molecules(
    items: list[Any], first: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Atom counts [G], atom codes [N, 8], bonds [E, 2] counted throughout, bond codes [E, 4]."""
    counts: list[int] = []
    atoms: list[list[int]] = []
    bonds: list[tuple[int, int]] = []
    features: list[list[int]] = []
    for i, item in enumerate(items):
        molecule = parse_smiles(item, first + i) if isinstance(item, str) else item
        offset = len(atoms)
        for atom in molecule.GetAtoms():
            atoms.append(_atom_codes(atom))
        for bond in molecule.GetBonds():
            bonds.append((offset + bond.GetBeginAtomIdx(), offset + bond.GetEndAtomIdx()))
            features.append(_bond_codes(bond))
        counts.append(len(atoms) - offset)
    return (
        np.array(counts, dtype=np.int64),
        np.array(atoms, dtype=np.int16).reshape(-1, len(SCHEMA.node)),
        np.array(bonds, dtype=np.int64).reshape(-1, 2),
        np.array(features, dtype=np.int16).reshape(-1, len(SCHEMA.edge)),
    )


def parse_smiles(smiles: str, row: int) -> Any:
    """The RDKit molecule, or an error that names the row and says why."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles.strip(), sanitize=False)
        if molecule is None or not smiles.strip():
            raise PartwholeError(f"Molecule {row}: {smiles!r} is not valid SMILES; correct or drop it.")
        try:
            Chem.SanitizeMol(molecule)
        except Exception as error:  # RDKit raises several kinds, all meaning the same here
            raise PartwholeError(
                f"Molecule {row}: {smiles!r} is not a possible molecule ({error}); correct or drop it."
            ) from None
        Chem.AssignStereochemistry(molecule, cleanIt=True)
    return molecule


def _index(values: Sequence[str], name: str) -> int:
    """Position of a name; the last entry stands for everything else."""
    return values.index(name) if name in values else len(values) - 1


def _atom_codes(atom: Any) -> list[int]:
    chirality = {"CHI_UNSPECIFIED": 0, "CHI_TETRAHEDRAL_CW": 1, "CHI_TETRAHEDRAL_CCW": 2}
    return [
        _index(ELEMENTS, atom.GetSymbol()),
        min(atom.GetDegree(), 6),
        min(max(atom.GetFormalCharge(), -2), 2) + 2,
        min(atom.GetTotalNumHs(), 4),
        _index(HYBRIDIZATIONS, str(atom.GetHybridization())),
        int(atom.GetIsAromatic()),
        int(atom.IsInRing()),
        chirality.get(str(atom.GetChiralTag()), 3),
    ]


def _bond_codes(bond: Any) -> list[int]:
    stereo = {"STEREONONE": 0, "STEREOANY": 1, "STEREOZ": 2, "STEREOE": 3}
    return [
        _index(BONDS, str(bond.GetBondType()).lower()),
        int(bond.GetIsConjugated()),
        int(bond.IsInRing()),
        stereo.get(str(bond.GetStereo()), 4),
    ]


def _require_rdkit() -> None:
    try:
        import rdkit  # noqa: F401
    except ImportError:
        raise PartwholeError(
            "Reading molecules needs RDKit; install it with `pip install 'partwhole[molecules]'`."
        ) from None


@SOURCES.register
class MoleculeSource(Source):
    about = "a list of SMILES strings or RDKit molecules"

    @staticmethod
    def accepts(data: Any) -> bool:
        return all_of(data, lambda item: isinstance(item, str) or hasattr(item, "GetAtoms"))

    @staticmethod
    def read(data: Any, schema: Schema | None) -> GraphStore:
        return read_molecules(data)
