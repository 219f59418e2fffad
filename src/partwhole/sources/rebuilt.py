"""Molecules of RDKit again, from graphs of atoms and bonds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import NO_CATEGORY, Column
from partwhole.graphs.store import GraphStore
from partwhole.sources.readers.molecules import encode_molecules, parse_smiles
from partwhole.sources.reading import Reading
from partwhole.sources.recoding import recoded

if TYPE_CHECKING:
    from rdkit.Chem import Mol, RWMol

BOND_ORDER = {"single": 1, "double": 2, "triple": 3, "aromatic": 12}  # RDKit's numbers
NO_BOND = "none"  # atoms that are joined by their distance only
OPEN_CHARGES = {"2 or more": "n+", "-2 or less": "n-"}  # the graph does not tell how many


def require_molecules(store: GraphStore, made: str) -> None:
    """Raise where graphs are no molecules with bonds; `made`: what is made of these."""
    if not (store.schema.chemistry and store.schema.edge):
        raise PartwholeError(
            f"{store.name} has no molecules with bonds, which {made} are made of; give SMILES, or use wl for "
            "other graphs."
        )


def rebuilt_molecule(graph: Graph) -> RWMol:
    """The molecule of a graph with chemistry: elements and bonds, and charges and hydrogens where the graph
    has them. What has no element of its own is a dummy atom; sides of stereo centres are not told."""
    from rdkit import Chem

    molecule = Chem.RWMol()
    charges = _texts(graph.schema.node, graph.node_codes, "charge")
    hydrogens = _texts(graph.schema.node, graph.node_codes, "hydrogens")
    for v, symbol in enumerate(_texts(graph.schema.node, graph.node_codes, graph.schema.node[0].name) or []):
        atom = Chem.Atom(symbol if symbol not in (None, "other") else "*")
        if charges is not None and (charge := charges[v]) is not None:
            atom.SetFormalCharge(int(charge.split()[0]))  # "2 or more" is 2
        if hydrogens is not None and (count := hydrogens[v]) is not None:
            atom.SetNumExplicitHs(int(count.split()[0]))
            atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    bonds = _texts(graph.schema.edge, graph.edge_codes, graph.schema.edge[0].name) or []
    for (a, b), bond in zip(graph.edges.tolist(), bonds):
        if a < b and bond != NO_BOND:
            molecule.AddBond(a, b, Chem.BondType.values[BOND_ORDER.get(bond or "", 1)])
            if bond == "aromatic":
                for atom in (molecule.GetAtomWithIdx(a), molecule.GetAtomWithIdx(b)):
                    atom.SetIsAromatic(True)
                molecule.GetBondBetweenAtoms(a, b).SetIsAromatic(True)
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule


def molecule_to_draw(graph: Graph) -> Mol:
    """The molecule that a chemist should see. An id that is the SMILES of this very graph tells most: every
    element and charge, and the sides of stereo centres. Otherwise nothing is shown that the graph does not
    tell: no hydrogens where it counts none, no exact charge where it has a bound."""
    told = molecule_of_id(graph)
    if told is not None:
        return told
    molecule = rebuilt_molecule(graph)
    columns, codes = graph.schema.node, graph.node_codes
    for atom, charge in zip(molecule.GetAtoms(), _texts(columns, codes, "charge") or []):
        if charge in OPEN_CHARGES:
            atom.SetProp("_displayLabel", f"{atom.GetSymbol()}<sup>{OPEN_CHARGES[charge]}</sup>")
    if _texts(columns, codes, "hydrogens") is None:
        for atom in molecule.GetAtoms():
            atom.SetNoImplicit(True)
        molecule.UpdatePropertyCache(strict=False)
    _set_sides_of_double_bonds(molecule, graph)
    return molecule


def molecule_of_id(graph: Graph) -> Mol | None:
    """None unless the id is SMILES that give this graph again, atom by atom, in its own columns."""
    if not isinstance(graph.id, str):
        return None
    try:
        molecule = parse_smiles(graph.id)
        if molecule.GetNumAtoms() != graph.num_nodes:
            return None
        store = encode_molecules([molecule]).store
        again = recoded(store, graph.schema, Reading(graph.schema, fallback=True))[0]
    except PartwholeError:
        return None
    names = ("node_codes", "edges", "edge_codes")
    return molecule if all(np.array_equal(getattr(again, n), getattr(graph, n)) for n in names) else None


def _set_sides_of_double_bonds(molecule: Mol, graph: Graph) -> None:
    """E and Z as the graph has them: a drawing has to show one of the two."""
    from rdkit import Chem
    from rdkit.Chem import rdCIPLabeler

    wanted = {}
    sides = _texts(graph.schema.edge, graph.edge_codes, "stereo") or []
    for (a, b), side in zip(graph.edges.tolist(), sides):
        if a < b and side in ("E", "Z"):
            of_a, of_b = _neighbor(molecule, a, b), _neighbor(molecule, b, a)
            if of_a is not None and of_b is not None:
                bond = molecule.GetBondBetweenAtoms(a, b)
                bond.SetStereoAtoms(of_a, of_b)
                bond.SetStereo(Chem.BondStereo.STEREOCIS)
                wanted[bond.GetIdx()] = side
    if not wanted:
        return
    rdCIPLabeler.AssignCIPLabels(molecule)
    for k, side in wanted.items():
        bond = molecule.GetBondWithIdx(k)
        if bond.HasProp("_CIPCode") and bond.GetProp("_CIPCode") != side:
            bond.SetStereo(Chem.BondStereo.STEREOTRANS)


def _neighbor(molecule: Mol, v: int, other: int) -> int | None:
    """A neighbour of atom `v` that is not `other`."""
    return next((n.GetIdx() for n in molecule.GetAtomWithIdx(v).GetNeighbors() if n.GetIdx() != other), None)


def _texts(columns: tuple[Column, ...], codes: np.ndarray, name: str) -> list[str | None] | None:
    """The categories of an attribute row by row, None where one is missing; None if there is no such."""
    for k, column in enumerate(c for c in columns if c.is_categorical):
        if column.name == name:
            values = [str(value) for value in column.values]
            return [None if code == NO_CATEGORY else values[code] for code in codes[:, k]]
    return None
