"""Quick descriptors are those of RDKit."""

import csv
import gzip
import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem, rdBase
from rdkit.Chem import Descriptors, Mol

from partwhole.sources.quick_descriptors import BCUT2D, QUICK, burden, quick

POOL = Path(os.environ.get("PARTWHOLE_DATA") or "data") / "molecule_pool" / "pool.csv.gz"

# Small rings, on which paths close; parts that no path joins; what has no charges by Gasteiger.
SMALL = [
    "C",
    "[Na+].[Cl-]",
    "[2H]C([2H])C([2H])([2H])O",
    "[H][H]",
    "*C",
    "[CH3]",
    "C1CC1",
    "CC1CC1",
    "C1CCC1",
    "CC1CCC1",
    "C1CC12CC2",
    "C12C3C4C1C5C2C3C45",
    "CN1CC2(CC2)C[C@H](C(O)=NO)C1",
    "O=C1CC1C#N",
    "[Fe+3]",
    "C[Se]C",
    "FS(F)(F)(F)(F)F",
    "[NH3]->[Pt](Cl)(Cl)<-[NH3]",
    "C[Si](C)(C)OP(=O)([O-])S",
    "Ic1ccc(Br)cc1[N+](=O)[O-]",
    "c1ccc2[nH]ccc2c1",
]


def told(molecule: Mol, names: tuple[str, ...]) -> list[float]:
    functions, found = dict(Descriptors.descList), []
    for name in names:
        try:
            found.append(functions[name](molecule))
        except (ValueError, RuntimeError, ZeroDivisionError):
            found.append(np.nan)
    return found


def assert_as_rdkit_says(smiles: list[str]) -> None:
    with rdBase.BlockLogs():
        for text in smiles:
            molecule, again = Chem.MolFromSmiles(text), Chem.MolFromSmiles(text)
            assert np.allclose(quick(molecule), told(again, QUICK), rtol=1e-9, atol=1e-9, equal_nan=True), (
                text
            )
            try:
                found = burden(molecule)
            except (ValueError, RuntimeError):
                found = [np.nan] * len(BCUT2D)
            assert np.allclose(found, told(again, BCUT2D), rtol=1e-6, atol=1e-8, equal_nan=True), text


def test_small_molecules():
    assert_as_rdkit_says(SMALL)


def test_molecules_of_the_pool():
    if not POOL.exists():
        pytest.skip("the pool of molecules is not on this machine")
    with gzip.open(POOL, "rt") as file:
        rows = itertools.islice(csv.DictReader(file), 0, None, 2000)
        assert_as_rdkit_says([row["smiles"] for row in rows])
