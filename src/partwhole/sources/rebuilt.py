"""Molecules of RDKit again, from graphs of atoms and bonds."""

from __future__ import annotations

from typing import Any

import numpy as np

from partwhole.graph import Graph
from partwhole.schema import NO_CATEGORY, Column

BOND_ORDER = {"single": 1, "double": 2, "triple": 3, "aromatic": 12}  # RDKit's numbers


def rebuilt_molecule(graph: Graph) -> Any:
    """The molecule of a graph with chemistry: elements and bonds, and charges and hydrogens where the graph
    has them. What has no element of its own is a dummy atom; sides of stereo centres are not told."""
    from rdkit import Chem

    molecule = Chem.RWMol()
    charges = _texts(graph.schema.node, graph.node_codes, "charge")
    hydrogens = _texts(graph.schema.node, graph.node_codes, "hydrogens")
    for v, symbol in enumerate(_texts(graph.schema.node, graph.node_codes, graph.schema.node[0].name) or []):
        atom = Chem.Atom(symbol if symbol not in (None, "other") else "*")
        if charges is not None and charges[v] is not None:
            atom.SetFormalCharge(int(charges[v].split()[0]))  # "2 or more" is 2
        if hydrogens is not None and hydrogens[v] is not None:
            atom.SetNumExplicitHs(int(hydrogens[v].split()[0]))
            atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    kinds = _texts(graph.schema.edge, graph.edge_codes, graph.schema.edge[0].name) or []
    for (a, b), kind in zip(graph.edges.tolist(), kinds):
        if a < b:
            molecule.AddBond(a, b, Chem.BondType.values[BOND_ORDER.get(kind or "", 1)])
            if kind == "aromatic":
                for atom in (molecule.GetAtomWithIdx(a), molecule.GetAtomWithIdx(b)):
                    atom.SetIsAromatic(True)
                molecule.GetBondBetweenAtoms(a, b).SetIsAromatic(True)
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule


def _texts(columns: tuple[Column, ...], codes: np.ndarray, name: str) -> list[Any] | None:
    """The categories of an attribute row by row, None where one is missing; None if there is no such."""
    for k, column in enumerate(columns):
        if column.name == name and column.is_categorical:
            values = [str(value) for value in column.values]
            return [None if code == NO_CATEGORY else values[code] for code in codes[:, k]]
    return None
