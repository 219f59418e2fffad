"""Atoms and bonds of many molecules at once, from the bytes that RDKit writes of each.

Asking RDKit for each attribute of each atom takes longer than parsing the SMILES. Its bytes are read in one
compiled pass. They have no documented form, so what is read of some molecules is compared with what RDKit
says of them before it is trusted, and a molecule with any unusual part is left to be asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from rdkit.Chem import Mol

# RDKit's numbers.
ENDIAN, BEGIN_ATOMS, BEGIN_BONDS, BEGIN_RINGS = 0xDEADBEEF, 1, 11, 66
SINGLE, SP3 = 1, 4
MOST_ATOMS = 255  # of a molecule whose atoms are numbered by one byte each


class CodeTables(NamedTuple):
    """The code of each of RDKit's numbers."""

    element: np.ndarray  # by atomic number, int16
    hybridization: np.ndarray
    chirality: np.ndarray
    bond: np.ndarray
    stereo: np.ndarray


def read_bytes(
    molecules: list[Mol],
    tables: CodeTables,
    atom_ptr: np.ndarray,
    bond_ptr: np.ndarray,
    atoms: np.ndarray,
    ends: np.ndarray,
    bonds: np.ndarray,
) -> np.ndarray:
    """Fill in `atoms` [all atoms, 8], `ends` [all bonds, 2] and `bonds` [all bonds, 4], where the rows of a
    molecule begin at `atom_ptr` and `bond_ptr`. Returns which molecules [n] were read."""
    texts = [molecule.ToBinary() for molecule in molecules]
    ptr = np.cumsum([0, *map(len, texts)])
    data = np.frombuffer(b"".join(texts), np.uint8)
    return np.asarray(_read_all(data, ptr, atom_ptr, bond_ptr, *tables, atoms, ends, bonds))


@njit(cache=True, nogil=True)
def _read_all(
    data: np.ndarray,
    ptr: np.ndarray,
    atom_ptr: np.ndarray,
    bond_ptr: np.ndarray,
    element: np.ndarray,
    hybridization: np.ndarray,
    chirality: np.ndarray,
    bond: np.ndarray,
    stereo: np.ndarray,
    atoms: np.ndarray,
    ends: np.ndarray,
    bonds: np.ndarray,
) -> np.ndarray:
    known = np.zeros(len(ptr) - 1, np.bool_)
    for i in range(len(known)):
        at, end = ptr[i], ptr[i + 1]
        a, b = atom_ptr[i : i + 2], bond_ptr[i : i + 2]
        n = a[1] - a[0]
        own_atoms, own_ends, own_bonds = atoms[a[0] : a[1]], ends[b[0] : b[1]], bonds[b[0] : b[1]]
        if end - at < 31 or n > MOST_ATOMS or _integer(data, at) != ENDIAN:
            continue
        if _integer(data, at + 20) != n or _integer(data, at + 24) != b[1] - b[0]:
            continue
        if data[at + 29] != BEGIN_ATOMS:
            continue
        at = _read_atoms(data, at + 30, end, own_atoms, element, hybridization, chirality)
        if at < 0 or at >= end or data[at] != BEGIN_BONDS:
            continue
        at = _read_bonds(data, at + 1, end, own_ends, own_bonds, bond, stereo)
        if at < 0 or at + 5 > end or data[at] != BEGIN_RINGS:
            continue
        if not _read_rings(data, at + 1, end, own_atoms, own_ends, own_bonds):
            continue
        known[i] = True
        for v in range(n):
            own_atoms[v, 1] = min(own_atoms[v, 1], 6)
    return known


@njit(cache=True, nogil=True)
def _integer(data: np.ndarray, at: int) -> int:
    """Four bytes, the lowest first."""
    return data[at] | data[at + 1] << 8 | data[at + 2] << 16 | np.int64(data[at + 3]) << 24


@njit(cache=True, nogil=True)
def _read_atoms(
    data: np.ndarray,
    at: int,
    end: int,
    atoms: np.ndarray,
    element: np.ndarray,
    hybridization: np.ndarray,
    chirality: np.ndarray,
) -> int:
    """Where the bytes go on, or -1. An atom: its number, two sorts of flags, and a byte for each property
    that is not the usual one."""
    for v in range(len(atoms)):
        if at + 16 > end or data[at] >= len(element):
            return -1
        number, flags, present = data[at], data[at + 1], _integer(data, at + 2)
        if flags & ~0x60 or present & ~0x1FE:  # a query, a number in a reaction, coordinates
            return -1
        at += 6
        values = np.zeros(8, np.int64)  # of bits 1 to 7
        values[3] = SP3
        for k in range(1, 8):
            if present >> k & 1:
                values[k] = data[at]
                at += 1
        if present >> 8 & 1:
            at += 4  # isotope
        charge = values[1] - 256 if values[1] > 127 else values[1]
        unknown = values[2] >= len(chirality) or values[3] >= len(hybridization)
        if unknown or values[4] > 127 or values[6] > 127:  # a valence that was not computed is -1
            return -1
        atoms[v, 0] = element[number]
        atoms[v, 1] = 0  # degree: bonds are counted later
        atoms[v, 2] = min(max(charge, -2), 2) + 2
        atoms[v, 3] = min(values[4] + values[6], 4)  # hydrogens that were written, and those that were not
        atoms[v, 4] = hybridization[values[3]]
        atoms[v, 5] = flags >> 6 & 1
        atoms[v, 6] = 0  # in a ring: told later
        atoms[v, 7] = chirality[values[2]]
    return at


@njit(cache=True, nogil=True)
def _read_bonds(
    data: np.ndarray,
    at: int,
    end: int,
    ends: np.ndarray,
    bonds: np.ndarray,
    bond: np.ndarray,
    stereo: np.ndarray,
) -> int:
    """Where the bytes go on, or -1. A bond: its ends, flags, and a byte for each unusual property."""
    for e in range(len(ends)):
        if at + 8 > end:
            return -1
        ends[e, 0], ends[e, 1], flags = data[at], data[at + 1], data[at + 2]
        if flags & ~0x6E:  # a query
            return -1
        at += 3
        kind, side = SINGLE, 0
        if flags & 8:
            kind = data[at]
            at += 1
        at += flags >> 2 & 1  # direction
        if flags & 2:
            side = data[at]
            at += 2 + data[at + 1]  # how many atoms it is told by, and these
        if kind >= len(bond) or side >= len(stereo):
            return -1
        bonds[e, 0] = bond[kind]
        bonds[e, 1] = flags >> 5 & 1
        bonds[e, 2] = 0  # in a ring: told later
        bonds[e, 3] = stereo[side]
    return at


@njit(cache=True, nogil=True)
def _read_rings(
    data: np.ndarray, at: int, end: int, atoms: np.ndarray, ends: np.ndarray, bonds: np.ndarray
) -> bool:
    """Whether all of it was read. A ring: how many atoms, and these in their order around it."""
    n = len(atoms)
    next_to = np.zeros((n, n), np.bool_)
    rings = _integer(data, at)
    at += 4
    for _ in range(rings):
        if at >= end or at + 1 + data[at] > end:
            return False
        size = data[at]
        for k in range(size):
            u, v = data[at + 1 + k], data[at + 1 + (k + 1) % size]
            if u >= n or v >= n:
                return False
            atoms[u, 6] = 1
            next_to[u, v] = next_to[v, u] = True
        at += 1 + size
    for e in range(len(ends)):
        u, v = ends[e]
        if u >= n or v >= n:
            return False
        bonds[e, 2] = next_to[u, v]
        atoms[u, 1] += 1
        atoms[v, 1] += 1
    return True
