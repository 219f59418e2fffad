"""What RDKit computes of molecules: its descriptors, and how often Morgan patterns occur."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from partwhole.errors import PartwholeError
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.parallel.workers.all_cores import on_all_cores
from partwhole.sources.readers.molecules import require_possible
from partwhole.sources.rebuilt import rebuilt_molecule

if TYPE_CHECKING:
    from rdkit.Chem import Mol

AT_A_TIME = 64  # molecules that a process computes in one go

# These ask for the sides of stereo centres, which a graph does not tell.
OF_STEREO = ("SPS", "NumAtomStereoCenters", "NumUnspecifiedAtomStereoCenters")


@functools.cache
def descriptor_names() -> tuple[str, ...]:
    """All descriptors of this RDKit that a graph suffices for, in its order."""
    from rdkit.Chem import Descriptors

    return tuple(name for name, _ in Descriptors.descList if name not in OF_STEREO)


def descriptors(store: GraphStore) -> np.ndarray:
    """[graphs, descriptors] float64, on all cores; NaN where RDKit has no number."""
    tasks = ((store[i : i + AT_A_TIME],) for i in range(0, len(store), AT_A_TIME))
    rows = list(on_all_cores(_descriptors_of_some, tasks))
    return np.concatenate(rows) if rows else np.zeros((0, len(descriptor_names())))


def pattern_counts(store: GraphStore, radius: int, width: int) -> np.ndarray:
    """[graphs, width] float32: log(1 + how often each Morgan pattern occurs), patterns put into columns by
    their hash."""
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=width)
    counts = [generator.GetCountFingerprintAsNumPy(rebuilt_molecule(store[i])) for i in range(len(store))]
    return np.log1p(np.array(counts, np.float32).reshape(-1, width))


def _descriptors_of_some(store: GraphStore) -> np.ndarray:
    from rdkit import rdBase

    # Small matrices: RDKit takes eight times as long where BLAS has threads of its own.
    with threadpool_limits(1), rdBase.BlockLogs():
        return np.array([list(_row(store[i])) for i in range(len(store))], np.float64)


def _row(graph: Graph) -> Iterator[float]:
    from rdkit.Chem import Descriptors

    molecule = _sanitised(graph)
    found = (
        {} if molecule is None else Descriptors.CalcMolDescriptors(molecule, missingVal=np.nan, silent=True)
    )
    for name in descriptor_names():
        value = float(found.get(name, np.nan))
        yield value if np.isfinite(value) else np.nan


def _sanitised(graph: Graph) -> Mol | None:
    molecule = rebuilt_molecule(graph)
    try:
        require_possible(molecule, "it")
    except PartwholeError:
        return None
    return molecule
