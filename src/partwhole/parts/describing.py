"""What the types of a vocabulary look like in a collection: how many, how large, what most of them are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.parts.induced import induced
from partwhole.parts.vocabulary import Parts, Vocabulary
from partwhole.sources.rebuilt import rebuilt_molecule

MOST_LOOKED_AT = 500  # parts of a type whose form is told
NAMES = {  # of a fragment alone, as canonical SMILES
    "C": "methyl, methylene or other single carbon",
    "CC": "two carbons of a chain",
    "CCC": "three carbons of a chain",
    "C=C": "double bond",
    "C#C": "triple bond",
    "C#N": "nitrile",
    "C=O": "carbonyl",
    "O=CO": "carboxyl or ester",
    "NC=O": "amide",
    "NC(N)=O": "urea",
    "NC(=O)O": "carbamate",
    "O": "hydroxyl, ether or oxo",
    "N": "amine",
    "S": "thiol, thioether or other sulphur",
    "P": "phosphorus",
    "F": "fluorine",
    "Cl": "chlorine",
    "Br": "bromine",
    "I": "iodine",
    "O=[NH+][O-]": "nitro",
    "O=NO": "nitro",  # where the graph tells no charges
    "O=S=O": "sulphonyl",
    "FC(F)F": "trifluoromethyl",
    "c1ccccc1": "benzene ring",
    "c1ccncc1": "pyridine ring",
    "c1ccsc1": "thiophene ring",
    "c1ccoc1": "furan ring",
    "c1ccc2ccccc2c1": "naphthalene",
    "C1CCCCC1": "cyclohexane ring",
    "C1CCCC1": "cyclopentane ring",
}


@dataclass(frozen=True)
class TypeDescription:
    """A type, as one collection shows it."""

    type: int
    parts: int
    graphs: float  # share of the graphs that have it
    nodes: float  # share of all nodes
    mean_size: float  # nodes of a part
    form: str  # most frequent: SMILES of a fragment, or the shape of a piece of a network
    form_share: float  # of the parts that were looked at
    name: str  # of that form, where a table of functional groups knows it
    examples: list[int]  # parts of that form


def describe(vocabulary: Vocabulary, store: GraphStore, parts: Parts | None = None) -> list[TypeDescription]:
    """Describe every type; of each, up to 500 parts are looked at for their form, spread evenly."""
    parts = vocabulary.parts_of(store) if parts is None else parts
    told = []
    for kind in range(vocabulary.number):
        own = np.flatnonzero(parts.type == kind)
        looked = own[np.unique(np.linspace(0, len(own) - 1, min(len(own), MOST_LOOKED_AT)).astype(int))]
        pieces = parts_as_graphs(store, parts, looked)
        forms = [form_of(pieces[i]) for i in range(len(pieces))]
        form, count = Counter(forms).most_common(1)[0] if forms else ("", 0)
        told.append(
            TypeDescription(
                type=kind,
                parts=len(own),
                graphs=len(np.unique(parts.graph[own])) / max(len(store), 1),
                nodes=float(parts.size[own].sum() / max(parts.size.sum(), 1)),
                mean_size=float(parts.size[own].mean()) if len(own) else 0.0,
                form=form,
                form_share=count / max(len(forms), 1),
                name=NAMES.get(form, ""),
                examples=[int(p) for p, f in zip(looked, forms) if f == form][:6],
            )
        )
    return told


def parts_as_graphs(store: GraphStore, parts: Parts, chosen: np.ndarray | None = None) -> GraphStore:
    """Each part as a graph of its own, with the attributes of its nodes and edges."""
    chosen = np.arange(len(parts)) if chosen is None else chosen
    place = np.full(len(parts), -1)
    place[chosen] = np.arange(len(chosen))
    return induced(store, place[parts.part_of_node], len(chosen), f"parts of {store.name}")


def form_of(part: Graph) -> str:
    """The fragment of a molecule as SMILES, or the shape of a piece of a network."""
    return _smiles(part) if part.schema.chemistry else shape_of(part)


def shape_of(part: Graph) -> str:
    """The shape by exact counts of nodes, edges and degrees."""
    ends = np.asarray(part.edges).reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    nodes, edges = part.num_nodes, len(np.unique(np.sort(ends, axis=1), axis=0))
    degree = np.bincount(np.unique(np.sort(ends, axis=1), axis=0).ravel(), minlength=nodes)
    if nodes <= 2:
        return "single node" if nodes == 1 else "pair"
    if edges == nodes * (nodes - 1) // 2:
        return "triangle" if nodes == 3 else "clique"
    if edges == nodes - 1:
        return "chain" if degree.max() <= 2 else "star" if degree.max() == nodes - 1 else "tree"
    if edges == nodes and degree.max() == 2:
        return "cycle"
    return "dense core" if 4 * edges >= nodes * (nodes - 1) else "net"


def _smiles(part: Graph) -> str:
    from rdkit import Chem

    molecule = rebuilt_molecule(part)
    for atom in molecule.GetAtoms():  # where bonds were cut, hydrogens say nothing of the fragment
        atom.SetNumExplicitHs(0)
        atom.SetNoImplicit(False)
    return str(Chem.MolToSmiles(molecule))
