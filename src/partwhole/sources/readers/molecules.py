"""Molecules: lists of SMILES strings or RDKit molecules, parsed on all cores."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from partwhole.errors import PartwholeError, TooLarge
from partwhole.graphs.store import GraphStore
from partwhole.graphs.streaming import concatenate, write_store
from partwhole.graphs.values import as_ids
from partwhole.parallel.workers.all_cores import on_all_cores
from partwhole.registry import SOURCES
from partwhole.sources.base import Source, all_of
from partwhole.sources.molecule_codes import SCHEMA, codes_of
from partwhole.sources.reading import Reading

if TYPE_CHECKING:
    from rdkit.Chem import Mol
    from typing_extensions import TypeIs

CHUNK = 4096  # molecules handed to a worker at a time
Called = Callable[[int], str]  # what a person calls an item of the input, by its place: `row 3`


@dataclass(frozen=True)
class EncodedMolecules:
    """Some molecules as a store, which knows the rows that they had, and why other rows are not there."""

    store: GraphStore
    failed: list[tuple[int, str]]  # row, reason

    def tell(self, reading: Reading, called: Called) -> None:
        """Leave the rows out that could not be read, by what a person calls them."""
        for row, reason in self.failed:
            reading.leave_out(called(row), reason)


def is_molecule(item: object) -> TypeIs[Mol]:
    """Whether it is a molecule of RDKit, which need not be installed to tell."""
    return hasattr(item, "GetAtoms")


def item_of_a_list(row: int) -> str:
    """What an item of a list is called, by its place from 0."""
    return f"molecule {row}"


def read_molecules(data: Sequence[object], reading: Reading, called: Called = item_of_a_list) -> GraphStore:
    """Atoms and bonds with one-hot features; hydrogens are counted, not drawn as nodes."""
    pieces = list(encoded_pieces(data, reading, called))
    if not pieces:
        raise PartwholeError("There are no molecules; give at least one.")
    store = concatenate([piece.store for piece in pieces])
    reading.require_any(len(store))
    return store


def stream_molecules(smiles: Iterable[str], folder: str | Path) -> GraphStore:
    """Write SMILES of any number as a store in `folder`; memory holds a few thousand at a time."""
    pieces = encoded_pieces(smiles, Reading())
    return write_store((piece.store for piece in pieces), folder, name="molecules")


def encoded_pieces(
    data: Iterable[object], reading: Reading, called: Called = item_of_a_list
) -> Iterator[EncodedMolecules]:
    """`CHUNK` molecules at a time, encoded on all cores where there are several."""
    require_rdkit()
    if reading.most_graphs is not None:
        data = itertools.islice(data, reading.most_graphs + 1)  # no more than shows that there are too many
    read = 0
    chunks = _chunks(data)
    first = next(chunks, None)
    if first is None:
        return
    tasks = ((c, k * CHUNK, reading.most_nodes) for k, c in enumerate(itertools.chain([first], chunks)))
    texts = all(isinstance(item, str | None) for item in (data if isinstance(data, Sequence) else first))
    # Molecules of RDKit lose their properties on the way to another process.
    for piece in (on_all_cores if texts else itertools.starmap)(encode_molecules, tasks):
        read += len(piece.store) + len(piece.failed)
        reading.require_few(read)
        piece.tell(reading, called)
        yield piece


def _chunks(data: Iterable[object]) -> Iterator[list[object]]:
    items = iter(data)
    while chunk := list(itertools.islice(items, CHUNK)):
        yield chunk


def encode_molecules(
    items: Sequence[object], first: int = 0, most_nodes: int | None = None
) -> EncodedMolecules:
    """Molecules to a store; `first` is the row of the first."""
    kept: list[int] = []
    molecules: list[Mol] = []
    failed: list[tuple[int, str]] = []
    for i, item in enumerate(items):
        try:
            molecule = item if is_molecule(item) else parse_smiles(item, most_nodes)
        except TooLarge:
            raise
        except PartwholeError as reason:
            failed.append((first + i, str(reason)))
            continue
        if most_nodes is not None and molecule.GetNumAtoms() > most_nodes:
            raise TooLarge(
                f"Molecule {first + i} has {molecule.GetNumAtoms()} atoms, at most {most_nodes} are taken."
            )
        kept.append(i)
        molecules.append(molecule)
    codes = codes_of(molecules)
    rows = first + np.array(kept, dtype=np.int64)
    texts = any(isinstance(item, str) for item in items)
    store = GraphStore.from_arrays(
        np.diff(codes.atom_ptr),
        codes.ends,
        schema=SCHEMA,
        node_codes=codes.atoms,
        edge_codes=codes.bonds,
        ids=as_ids([_own_id(items[i], first + i) for i in kept]) if texts else rows,
        rows=rows,
        name="molecules",
    )
    return EncodedMolecules(store, failed)


def with_names(store: GraphStore, names: Sequence[object]) -> GraphStore:
    """The store with these as ids; a molecule whose name is None keeps its SMILES."""
    pairs = zip(names, store.ids.tolist(), strict=True)
    return replace(store, ids=as_ids([str(own if name is None else name) for name, own in pairs]))


def _own_id(item: object, row: int) -> str:
    """Its SMILES as given, or its place."""
    return item if isinstance(item, str) else str(row)


def parse_smiles(smiles: object, most_nodes: int | None = None) -> Mol:
    """The RDKit molecule, or an error that says why there is none."""
    from rdkit import Chem, rdBase

    if smiles is None:
        raise PartwholeError("it has no SMILES; fill it in or drop it.")
    if not isinstance(smiles, str):
        raise PartwholeError(f"{smiles!r} is not SMILES; correct or drop it.")
    if most_nodes is not None and len(smiles) > 2 * most_nodes:
        raise TooLarge(f"SMILES of {len(smiles)} characters are too long for {most_nodes} atoms; give less.")
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles.strip(), sanitize=False)
        if molecule is None or not smiles.strip():
            raise PartwholeError(f"{smiles!r} is not valid SMILES; correct or drop it.")
        require_possible(molecule, f"{smiles!r}")
        Chem.AssignStereochemistry(molecule, cleanIt=True)
    return molecule


def require_possible(molecule: Mol, called: str) -> None:
    """Raise where RDKit's own checks fail; after them it knows rings, hydrogens and aromatic bonds."""
    from rdkit import Chem

    try:
        Chem.SanitizeMol(molecule)
    except Exception as error:  # of several classes, all meaning the same here
        raise PartwholeError(f"{called} is not a possible molecule ({error}); correct or drop it.") from None


def require_rdkit() -> None:
    """Raise with the way to install RDKit where it is not installed."""
    try:
        import rdkit  # noqa: F401
    except ImportError:
        raise PartwholeError(
            "Reading molecules needs RDKit; install it with `pip install 'partwhole[molecules]'`."
        ) from None


def read_any_molecules(
    data: Sequence[object], reading: Reading, called: Called = item_of_a_list
) -> GraphStore:
    """Read molecules as the model learned them: by their bonds alone, or by the distances of their atoms."""
    from partwhole.sources.conformers import needs_coordinates, read_conformers

    read = read_conformers if needs_coordinates(reading.schema) else read_molecules
    return read(data, reading, called)


@SOURCES.register
class MoleculeSource(Source[Sequence[object]]):
    """Molecules in memory."""

    reads = "a list of SMILES strings or RDKit molecules"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether the first item is a text or a molecule."""
        return all_of(data, lambda item: isinstance(item, str) or is_molecule(item))

    @staticmethod
    def read(data: Sequence[object], reading: Reading) -> GraphStore:
        """Parse and encode all molecules; SMILES are their own ids."""
        return read_any_molecules(data, reading)
