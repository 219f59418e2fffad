"""Descriptors that RDKit computes slowly, computed quickly: the same numbers, up to rounding.

RDKit finds paths anew for each chi index, takes a solver for general matrices for BCUT2D, whose matrices are
symmetric, and loops over atoms in Python for the rest.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from rdkit.Chem import Mol

NOT_BONDED = 0.001  # of a Burden matrix
LONGEST = 5  # atoms of a path
FARTHEST = 1e6  # more is the distance of atoms that no path joins
LAST_OF_PERIOD = np.array([2, 10, 18, 36, 54, 86])  # atomic numbers

# Kier and Hall's weights of a path of 3, 4 and 5 atoms, by outer electrons or by valence.
PATHS = ("Chi2n", "Chi3n", "Chi4n", "Chi2v", "Chi3v", "Chi4v")
BONDS_AND_ELECTRONS = ("Chi0", "Chi1", "NumValenceElectrons", "NumRadicalElectrons")
BCUT2D = tuple(
    f"BCUT2D_{end}" for end in ("MWHI", "MWLOW", "CHGHI", "CHGLO", "LOGPHI", "LOGPLOW", "MRHI", "MRLOW")
)
ELECTRONIC = (
    *("MaxEStateIndex", "MinEStateIndex", "MaxAbsEStateIndex", "MinAbsEStateIndex"),
    *(f"EState_VSA{k}" for k in range(1, 12)),
    *(f"VSA_EState{k}" for k in range(1, 11)),
)
QUICK = BONDS_AND_ELECTRONS + PATHS + ELECTRONIC


@dataclass(frozen=True)
class Atoms:
    """What RDKit says of each atom [n], and the ends of bonds [m, 2]."""

    number: np.ndarray
    degree: np.ndarray
    hydrogens: np.ndarray
    charge: np.ndarray
    radicals: np.ndarray
    ends: np.ndarray
    outer: np.ndarray  # electrons of the outer shell of the element

    @classmethod
    def of(cls, molecule: Mol) -> Atoms:
        """Ask for all once."""
        told = []
        for v in range(molecule.GetNumAtoms()):
            a = molecule.GetAtomWithIdx(v)
            electrons = a.GetFormalCharge(), a.GetNumRadicalElectrons()
            told.append((a.GetAtomicNum(), a.GetDegree(), a.GetTotalNumHs(), *electrons))
        number, degree, hydrogens, charge, radicals = np.array(told, np.int64).reshape(-1, 5).T
        bonds = (molecule.GetBondWithIdx(e) for e in range(molecule.GetNumBonds()))
        ends = np.array([(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds], np.int64).reshape(-1, 2)
        return cls(number, degree, hydrogens, charge, radicals, ends, _outer_electrons()[number])


def quick(molecule: Mol) -> tuple[float, ...]:
    """`QUICK`."""
    atoms = Atoms.of(molecule)
    return (*bonds_and_electrons(atoms), *paths(atoms), *electronic(molecule, atoms))


def bonds_and_electrons(atoms: Atoms) -> tuple[float, ...]:
    """`BONDS_AND_ELECTRONS`."""
    joined = atoms.degree[atoms.degree > 0]
    chi1 = (np.prod(atoms.degree[atoms.ends], axis=1) ** -0.5).sum()
    electrons = (atoms.outer - atoms.charge + atoms.hydrogens).sum()
    return (joined**-0.5).sum(), chi1, electrons, atoms.radicals.sum()


def paths(atoms: Atoms) -> tuple[float, ...]:
    """`PATHS`: sums over paths of the product of the weights of their atoms."""
    by_electrons = (atoms.outer - atoms.hydrogens).astype(np.float64)
    inner = np.where(atoms.number > 10, atoms.number - atoms.outer - 1, 1)
    by_valence = by_electrons / inner
    weights = np.stack([by_electrons, by_valence], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Hydrogens that are atoms of their own have none.
        weights = np.where((weights == 0) | (atoms.number[:, None] == 1), 0, weights**-0.5)
    both = np.concatenate([atoms.ends, atoms.ends[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    ptr = np.searchsorted(both[:, 0], np.arange(len(weights) + 1))
    return tuple(_path_sums(ptr, np.ascontiguousarray(both[:, 1]), weights).T.ravel().tolist())


@njit(cache=True, nogil=True)
def _path_sums(ptr: np.ndarray, neighbor: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """[3, 2] sums over paths of 3, 4, 5 atoms. As RDKit does, a path may end where it has been: a ring counts
    once, and so does a ring with a tail, with the weight of the atom that both share taken twice."""
    sums = np.zeros((LONGEST - 2, 2))
    path, place = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.int64)
    for start in range(len(ptr) - 1):
        path[0], place[0], last = start, ptr[start], 0
        while last >= 0:
            v = path[last]
            if place[last] == ptr[v + 1]:  # no neighbour is left
                last -= 1
                continue
            u = neighbor[place[last]]
            place[last] += 1
            met = -1
            for k in range(last + 1):
                if path[k] == u:
                    met = k
            size = last + 2  # atoms of the path with u
            counts = False
            if met < 0:
                counts = size >= 3 and u > start  # and not again from its other end
            elif last - met >= 2:
                counts = path[met + 1] < v  # one way around
                if met == 0:  # from the first of its atoms
                    for k in range(1, last + 1):
                        counts = counts and path[k] > start
            if counts:
                for w in range(2):
                    product = 1.0 if met == 0 else weights[u, w]
                    for k in range(last + 1):
                        product *= weights[path[k], w]
                    sums[size - 3, w] += product
            if met < 0 and size < LONGEST:
                last += 1
                path[last], place[last] = u, ptr[u]
    return sums


def electronic(molecule: Mol, atoms: Atoms) -> tuple[float, ...]:
    """`ELECTRONIC`: states of atoms after Kier and Hall, and surfaces by state and states by surface."""
    from rdkit import Chem
    from rdkit.Chem import rdMolDescriptors
    from rdkit.Chem.EState import EState_VSA

    joined = np.maximum(atoms.degree, 1)
    period = 1 + np.searchsorted(LAST_OF_PERIOD, atoms.number)
    own = np.where(atoms.degree > 0, (4 / period**2 * (atoms.outer - atoms.hydrogens) + 1) / joined, 0.0)
    apart = Chem.GetDistanceMatrix(molecule) + 1
    felt = np.where(apart < FARTHEST, apart, np.inf) ** -2.0
    state = own + own * felt.sum(axis=1) - felt @ own
    surface = np.array(rdMolDescriptors._CalcLabuteASAContribs(molecule)[0])
    extremes = state.max(), state.min(), abs(state).max(), abs(state).min()
    of_states = _binned(state, EState_VSA.estateBins, surface)
    of_surfaces = _binned(surface, EState_VSA.vsaBins, state)
    return (*extremes, *of_states, *of_surfaces)


def _binned(x: np.ndarray, edges: list[float], weights: np.ndarray) -> np.ndarray:
    """[bins] sums of the weights of what falls into each."""
    return np.bincount(np.searchsorted(edges, x, side="right"), weights, minlength=len(edges) + 1)


def burden(molecule: Mol) -> tuple[float, ...]:
    """`BCUT2D`: the largest and smallest eigenvalue of Burden's matrix, with four properties on its
    diagonal."""
    from rdkit.Chem import rdMolDescriptors, rdPartialCharges

    bonds = [molecule.GetBondWithIdx(e) for e in range(molecule.GetNumBonds())]
    orders = [_order(bond.GetBondTypeAsDouble()) for bond in bonds]
    atoms = [molecule.GetAtomWithIdx(v) for v in range(molecule.GetNumAtoms())]
    numbers = [atom.GetAtomicNum() for atom in atoms]
    if not atoms or 1 in numbers or None in orders:  # RDKit takes hydrogens away, or refuses
        return tuple(rdMolDescriptors.BCUT2D(molecule))
    rdPartialCharges.ComputeGasteigerCharges(molecule, 12, True)
    charges = [atom.GetDoubleProp("_GasteigerCharge") for atom in atoms]
    logp, refraction = np.array(rdMolDescriptors._CalcCrippenContribs(molecule)).T
    matrix = np.full((len(atoms), len(atoms)), NOT_BONDED)
    for bond, order in zip(bonds, orders):
        u, v = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        matrix[u, v] = matrix[v, u] = order
    diagonals = np.array([[atom.GetMass() for atom in atoms], charges, logp, refraction])
    if not np.isfinite(diagonals).all():
        return tuple(rdMolDescriptors.BCUT2D(molecule))
    matrices = np.repeat(matrix[None], len(diagonals), axis=0)
    np.einsum("kii->ki", matrices)[:] = diagonals
    values = np.linalg.eigvalsh(matrices)  # [4, n], in ascending order
    return tuple(values[:, [-1, 0]].ravel().tolist())


def _order(bond: float) -> float | None:
    """The entry of a bond; None for a bond that is neither single, double, triple nor aromatic."""
    return bond**-0.5 if bond in (1.0, 1.5, 2.0, 3.0) else None


@functools.cache
def _outer_electrons() -> np.ndarray:
    """[elements] by atomic number, with the dummy atom."""
    from rdkit.Chem import GetPeriodicTable

    table = GetPeriodicTable()
    return np.array([table.GetNOuterElecs(k) for k in range(table.GetMaxAtomicNumber() + 1)])
