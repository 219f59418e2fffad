"""What is read in bulk of the bytes of molecules is what RDKit answers when it is asked."""

import csv
import gzip
import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from partwhole import load_graphs
from partwhole.sources import molecule_codes
from partwhole.sources.molecule_bytes import read_bytes
from partwhole.sources.molecule_codes import TYPICAL, MoleculeCodes, bytes_are_known, codes_of
from partwhole.sources.readers.molecules import parse_smiles

STRANGE = [
    "*C",
    "[C:7]",
    "C" * 300,  # atoms do not fit into one byte
    "[Fe+5]",
    "[B-](F)(F)(F)F",
    "[H][H]",
    "[U]",
    "C1CCCCCCCCCCCCCCCCCCCCC1",
    "[Na+].[Na+].[O-]S(=O)(=O)[O-]",
    "C[C@H]1CC[C@@](C)(O)CC1",
    "[O-][n+]1ccccc1",
    "CC#[N+][O-]",
    "c1ccc2c(c1)[nH]c1ccccc12",
    "[2H]c1ccccc1",
    "F[P-](F)(F)(F)(F)F",
    "[CH2]C",
]


def equal(a: MoleculeCodes, b: MoleculeCodes) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(vars(a).values(), vars(b).values(), strict=True))


def both_ways(molecules: list) -> tuple[MoleculeCodes, MoleculeCodes]:
    return (
        molecule_codes._codes_of(molecules, bulk=True),
        molecule_codes._codes_of(molecules, bulk=False),
    )


def was_read(molecules: list) -> np.ndarray:
    codes = molecule_codes._codes_of(molecules, bulk=False)
    room = codes.atoms.copy(), codes.ends.copy(), codes.bonds.copy()
    return read_bytes(molecules, molecule_codes._tables(), codes.atom_ptr, codes.bond_ptr, *room)


def test_the_bytes_of_this_rdkit_are_known():
    assert bytes_are_known()


def test_strange_molecules_are_read_or_asked_for():
    molecules = [parse_smiles(smiles) for smiles in STRANGE]
    assert equal(*both_ways(molecules))
    assert was_read(molecules)[STRANGE.index("[B-](F)(F)(F)F")]
    for smiles in ("*C", "[C:7]", "C" * 300):
        assert not was_read(molecules)[STRANGE.index(smiles)]


def test_molecules_of_other_origin_are_the_same_both_ways():
    block = Chem.MolFromMolBlock(Chem.MolToMolBlock(Chem.MolFromSmiles("C[C@H](N)C(=O)O")))
    query = Chem.MolFromSmarts("[C,N]-O")
    query.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(query)
    with_hydrogens = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    named = Chem.MolFromSmiles("c1ccccc1C")
    named.SetProp("_Name", "toluene")
    named.GetAtomWithIdx(0).SetProp("note", "here")
    assert equal(*both_ways([block, query, with_hydrogens, named]))


def test_molecules_of_the_pool_are_the_same_both_ways():
    pool = Path(os.environ.get("PARTWHOLE_DATA") or "data") / "molecule_pool" / "pool.csv.gz"
    if not pool.exists():
        pytest.skip("the pool of molecules is not on this machine")
    with gzip.open(pool, "rt") as file:
        rows = itertools.islice(csv.DictReader(file), 0, None, 400)
        molecules = [parse_smiles(row["smiles"]) for row in rows]
    assert len(molecules) > 2000
    assert equal(*both_ways(molecules))
    assert was_read(molecules).mean() > 0.99


def test_where_the_bytes_are_not_known_all_is_asked_for(monkeypatch):
    smiles = list(TYPICAL) * 4
    in_bulk = load_graphs(smiles)
    monkeypatch.setattr(molecule_codes, "bytes_are_known", lambda: False)
    monkeypatch.setattr(molecule_codes, "read_bytes", None)  # is not called
    asked = codes_of([parse_smiles(s) for s in smiles])
    assert np.array_equal(in_bulk.node_codes, asked.atoms)


class Cut:
    """A molecule of which only some bytes are there, or with other bytes in some places."""

    def __init__(self, molecule, change):
        self.molecule, self.change = molecule, change

    def __getattr__(self, name):
        return getattr(self.molecule, name)

    def ToBinary(self):
        return self.change(self.molecule.ToBinary())


@pytest.mark.parametrize("seed", range(3))
def test_broken_bytes_harm_nothing_outside_their_molecule(seed):
    random = np.random.default_rng(seed)
    whole = [parse_smiles(smiles) for smiles in TYPICAL]

    def broken(text: bytes) -> bytes:
        found = bytearray(text[: random.integers(len(text) + 1)] if random.random() < 0.5 else text)
        for place in random.integers(len(found), size=3) if found else ():
            found[place] = random.integers(256)
        return bytes(found)

    molecules = [Cut(m, broken) if random.random() < 0.5 else m for m in whole * 20]
    codes = molecule_codes._codes_of(molecules, bulk=True)
    asked = molecule_codes._codes_of(whole * 20, bulk=False)
    for i, molecule in enumerate(molecules):
        if not isinstance(molecule, Cut):
            own = slice(*codes.atom_ptr[i : i + 2])
            assert np.array_equal(codes.atoms[own], asked.atoms[own])
