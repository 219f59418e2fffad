"""The molecules that the encoder learns from: drawn by a seed from $PARTWHOLE_DATA, none of a benchmark."""

from __future__ import annotations

import csv
import gzip
import lzma
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partwhole import GraphStore
from partwhole.errors import PartwholeError
from partwhole.files.whole import open_unpacked
from partwhole.parallel.workers.all_cores import on_all_cores
from partwhole.sources.readers.molecules import parse_smiles, stream_molecules

POOL, QM9, SEED = 200_000, 40_000, 0  # molecules drawn from each; those of benchmarks are left out after that
QUANTUM = ("mu", "alpha", "homo", "lumo", "gap", "r2", "zpve", "Cv")  # of QM9, by density functional theory
BENCHMARKS = ("moleculenet/*.csv*", "fsmol/valid.csv.gz")
SMILES_COLUMN = ("smiles", "SMILES")
AT_A_TIME = 4096


@dataclass(frozen=True)
class Collected:
    """Molecules in the order in which training may take them."""

    smiles: list[str]
    quantum: np.ndarray  # [molecules, QUANTUM] float64; NaN for those that are not of QM9


def collect() -> Collected:
    """Draw, leave out what a benchmark has, and shuffle."""
    root, draw = Path(os.environ["PARTWHOLE_DATA"]), random.Random(SEED)
    nothing = [float("nan")] * len(QUANTUM)
    with gzip.open(root / "molecule_pool" / "pool.csv.gz", "rt") as file:
        drawn = [(row["smiles"], nothing) for row in draw.sample(list(csv.DictReader(file)), POOL)]
    with lzma.open(root / "qm9" / "qm9_targets.csv.xz", "rt") as file:
        rows = draw.sample(list(csv.DictReader(file)), QM9)
    drawn += [(row["smiles"], [float(row[name]) for name in QUANTUM]) for row in rows]
    draw.shuffle(drawn)
    tested = set(_all_cores(list(benchmark_smiles(root)))) - {None}
    keys = _all_cores([smiles for smiles, _ in drawn])
    seen: set[str] = set()
    kept = []
    for molecule, key in zip(drawn, keys):
        if key is not None and key not in tested and key not in seen:
            seen.add(key)
            kept.append(molecule)
    return Collected([smiles for smiles, _ in kept], np.array([values for _, values in kept]))


def benchmark_smiles(root: Path) -> Iterator[str]:
    """All molecules of the tables that the encoder is judged by."""
    for pattern in BENCHMARKS:
        for path in sorted(root.glob(pattern)):
            with open_unpacked(path) as file:
                rows = csv.DictReader(line.decode() for line in file)
                column = next(name for name in rows.fieldnames or () if name in SMILES_COLUMN)
                yield from (row[column] for row in rows)


def keys_of(smiles: list[str]) -> list[str | None]:
    """What two forms of one molecule share: the largest part, without stereo; None where there is none."""
    from rdkit import Chem, rdBase
    from rdkit.Chem.MolStandardize.rdMolStandardize import LargestFragmentChooser

    largest, found = LargestFragmentChooser(), []
    with rdBase.BlockLogs():
        for text in smiles:
            try:
                molecule = largest.choose(parse_smiles(text))
            except PartwholeError:
                found.append(None)
                continue
            found.append(Chem.MolToSmiles(molecule, isomericSmiles=False))
    return found


def _all_cores(smiles: list[str]) -> list[str | None]:
    tasks = ((smiles[i : i + AT_A_TIME],) for i in range(0, len(smiles), AT_A_TIME))
    return [key for keys in on_all_cores(keys_of, tasks) for key in keys]


def stored(work: Path) -> tuple[GraphStore, np.ndarray]:
    """The molecules as a store, and what is known of them by quantum chemistry; made once."""
    store, known = work / "store", work / "quantum.npy"
    if not store.exists():
        collected = collect()
        work.mkdir(parents=True, exist_ok=True)
        np.save(known, collected.quantum)
        stream_molecules(collected.smiles, store)
    return GraphStore.open(store), np.load(known)
