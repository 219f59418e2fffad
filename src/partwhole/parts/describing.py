"""What the types of a vocabulary look like in a collection: how many, how large, what most of them are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.parts.induced import induced
from partwhole.parts.names import NAMES
from partwhole.parts.vocabulary import Parts, Vocabulary
from partwhole.sources.rebuilt import rebuilt_molecule

MOST_LOOKED_AT = 500  # parts of a type whose form is told
FORMS = 3  # that are told of a type
MOSTLY = 0.6  # share of the most frequent form, from which on it stands for all
EXAMPLES = 6
SHAPES = (
    "triangle",
    "clique",
    "chain",
    "star",
    "tree",
    "cycle",
    "dense core",
    "net",
)  # of three nodes and more


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
    forms: dict[str, float]  # the most frequent ones, each with its share
    examples: list[int]  # typical parts of that form, from different graphs

    @property
    def label(self) -> str:
        """What to call the type: the name or the form of most of its parts, of networks also their size."""
        if self.form in SHAPES and self.form != "triangle":
            return f"{self.form} of about {self.mean_size:.0f} nodes"
        mixed = " and more" if self.form_share < MOSTLY else ""
        return f"{self.name or self.form}{mixed}" if self.form else "not found"


def describe(vocabulary: Vocabulary, store: GraphStore, parts: Parts | None = None) -> list[TypeDescription]:
    """Describe every type; of each, up to 500 parts are looked at for their form, spread evenly."""
    parts = vocabulary.parts_of(store) if parts is None else parts
    return [_described(kind, store, parts) for kind in range(vocabulary.number)]


def _described(kind: int, store: GraphStore, parts: Parts) -> TypeDescription:
    own = np.flatnonzero(parts.type == kind)
    looked = own[np.unique(np.linspace(0, len(own) - 1, min(len(own), MOST_LOOKED_AT)).astype(int))]
    forms = forms_of(store, parts, looked)
    shares = {form: count / len(forms) for form, count in Counter(forms).most_common(FORMS)}
    form = next(iter(shares), "")
    return TypeDescription(
        type=kind,
        parts=len(own),
        graphs=len(np.unique(parts.graph[own])) / max(len(store), 1),
        nodes=float(parts.size[own].sum() / max(parts.size.sum(), 1)),
        mean_size=float(parts.size[own].mean()) if len(own) else 0.0,
        form=form,
        form_share=shares.get(form, 0.0),
        name=NAMES.get(form, ""),
        forms=shares,
        examples=_typical(looked[[f == form for f in forms]], store, parts),
    )


def _typical(some: np.ndarray, store: GraphStore, parts: Parts) -> list[int]:
    """A few of `some` parts, each from another graph: first those of middle size in graphs of middle size."""
    sizes = np.stack([store.num_nodes[parts.graph[some]], parts.size[some]])  # the last counts most
    ranked = some[np.lexsort(np.abs(sizes - np.median(sizes, axis=1, keepdims=True)))] if len(some) else some
    first = np.sort(np.unique(parts.graph[ranked], return_index=True)[1])
    return [int(part) for part in ranked[first][:EXAMPLES]]


def parts_as_graphs(store: GraphStore, parts: Parts, chosen: np.ndarray | None = None) -> GraphStore:
    """Each part as a graph of its own, with the attributes of its nodes and edges."""
    chosen = np.arange(len(parts)) if chosen is None else chosen
    place = np.full(len(parts), -1)
    place[chosen] = np.arange(len(chosen))
    return induced(store, place[parts.part_of_node], len(chosen), f"parts of {store.name}")


def forms_of(store: GraphStore, parts: Parts, chosen: np.ndarray | None = None) -> list[str]:
    """The form of each part, or of those that are chosen."""
    pieces = parts_as_graphs(store, parts, chosen)
    return [form_of(pieces[i]) for i in range(len(pieces))]


def form_of(part: Graph) -> str:
    """The fragment of a molecule as SMILES; the shape of a network, or where there is no RDKit."""
    fragment = _smiles(part) if part.schema.chemistry and part.schema.edge else None
    return shape_of(part) if fragment is None else fragment


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


def _smiles(part: Graph) -> str | None:
    try:
        from rdkit import Chem
    except ImportError:
        return None
    molecule = rebuilt_molecule(part)
    for atom in molecule.GetAtoms():  # where bonds were cut, hydrogens say nothing of the fragment
        atom.SetNumExplicitHs(0)
        atom.SetNoImplicit(False)
    return str(Chem.MolToSmiles(molecule))
