"""Which graphs of a store are the same, atom by atom or node by node."""

from __future__ import annotations

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.sources.rebuilt import molecule_of_id, rebuilt_molecule
from partwhole.sources.remembered import content_of


def numbers_of_the_same(store: GraphStore) -> np.ndarray:
    """Number the graphs [G], so that the same have one number: molecules of one canonical SMILES, in whatever
    order their atoms come, and of other graphs those that are equal node by node."""
    molecules = store.schema.chemistry and store.schema.edge
    name = _molecule if molecules else content_of
    return np.unique([name(store[i]) for i in range(len(store))], return_inverse=True)[1]


def _molecule(graph: Graph) -> bytes:
    """Its canonical SMILES. Where only the codes of atoms tell the sides of stereo centres, which depend on
    the order of atoms, a molecule is the same as one with equal codes."""
    from rdkit.Chem import MolToSmiles

    molecule = molecule_of_id(graph)
    if molecule is not None:
        return str(MolToSmiles(molecule)).encode()
    if _has_sides(graph):
        return content_of(graph)
    return str(MolToSmiles(rebuilt_molecule(graph))).encode()


def _has_sides(graph: Graph) -> bool:
    """Whether an atom or a bond has one of two forms."""
    for columns, codes in ((graph.schema.node, graph.node_codes), (graph.schema.edge, graph.edge_codes)):
        for k, column in enumerate(c for c in columns if c.is_categorical):
            if column.name in ("chirality", "stereo") and bool((codes[:, k] > 0).any()):
                return True
    return False
