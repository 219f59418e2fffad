"""What RDKit computes of molecules: its descriptors, and how often Morgan patterns occur."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from partwhole.errors import PartwholeError
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.parallel.workers.all_cores import on_all_cores
from partwhole.sources.quick_descriptors import BCUT2D, QUICK, burden, quick
from partwhole.sources.readers.molecules import require_possible
from partwhole.sources.rebuilt import rebuilt_molecule
from partwhole.sources.remembered import RememberedRows

if TYPE_CHECKING:
    from rdkit.Chem import Mol

Group = Callable[["Mol"], Sequence[float]]  # several descriptors at once

AT_A_TIME = 64  # molecules that a process computes in one go

# These ask for the sides of stereo centres, which a graph does not tell.
OF_STEREO = ("SPS", "NumAtomStereoCenters", "NumUnspecifiedAtomStereoCenters")


@functools.cache
def descriptor_names() -> tuple[str, ...]:
    """All descriptors of this RDKit that a graph suffices for, in its order."""
    from rdkit.Chem import Descriptors

    return tuple(name for name, _ in Descriptors.descList if name not in OF_STEREO)


def descriptors(store: GraphStore, names: tuple[str, ...] | None = None) -> np.ndarray:
    """[graphs, descriptors] float64 of these names or of all, on all cores; NaN where RDKit has no number.
    They take milliseconds a molecule, so those of the last molecules are remembered."""
    return _remembered(descriptor_names() if names is None else names).of(store)


@functools.cache
def _remembered(names: tuple[str, ...]) -> RememberedRows:
    return RememberedRows(functools.partial(_computed, names=names))


def _computed(store: GraphStore, names: tuple[str, ...]) -> np.ndarray:
    tasks = ((store[i : i + AT_A_TIME], names) for i in range(0, len(store), AT_A_TIME))
    rows = list(on_all_cores(_descriptors_of_some, tasks))
    return np.concatenate(rows) if rows else np.zeros((0, len(names)))


def pattern_counts(
    store: GraphStore, radius: int, width: int, places: np.ndarray | None = None
) -> np.ndarray:
    """[graphs, width] float32: log(1 + how often each Morgan pattern occurs), patterns put into columns by
    their hash; or only some of these columns, in their order."""
    return _counted(store, width, radius, places)


def pair_counts(store: GraphStore, width: int) -> np.ndarray:
    """The same of pairs of atoms and the number of bonds between them."""
    return _counted(store, width, None, None)


def _counted(store: GraphStore, width: int, radius: int | None, places: np.ndarray | None) -> np.ndarray:
    tasks = ((store[i : i + AT_A_TIME], width, radius, places) for i in range(0, len(store), AT_A_TIME))
    rows = list(on_all_cores(_counts_of_some, tasks))
    return (
        np.concatenate(rows) if rows else np.zeros((0, width if places is None else len(places)), np.float32)
    )


def _counts_of_some(
    store: GraphStore, width: int, radius: int | None, places: np.ndarray | None
) -> np.ndarray:
    from rdkit.Chem import rdFingerprintGenerator as Generators

    generator = (
        Generators.GetAtomPairGenerator(fpSize=width)
        if radius is None
        else Generators.GetMorganGenerator(radius=radius, fpSize=width)
    )
    counts = [generator.GetCountFingerprintAsNumPy(rebuilt_molecule(store[i])) for i in range(len(store))]
    counted = np.log1p(np.array(counts, np.float32).reshape(-1, width))
    return counted if places is None else counted[:, places]


def _descriptors_of_some(store: GraphStore, names: tuple[str, ...]) -> np.ndarray:
    from rdkit import rdBase

    # Small matrices: RDKit takes eight times as long where BLAS has threads of its own.
    with threadpool_limits(1), rdBase.BlockLogs():
        return np.array([list(_row(store[i], names)) for i in range(len(store))], np.float64)


def _row(graph: Graph, names: tuple[str, ...]) -> Iterator[float]:
    molecule, found = _sanitised(graph), dict[str, float]()
    if molecule is not None:
        for group, given in _groups(names):
            with suppress(ValueError, RuntimeError, ZeroDivisionError, OverflowError):  # RDKit cannot say it
                found |= zip(given, group(molecule), strict=True)
    for name in names:
        value = float(found.get(name, np.nan))
        yield value if np.isfinite(value) else np.nan


@functools.cache
def _groups(names: tuple[str, ...]) -> tuple[tuple[Group, tuple[str, ...]], ...]:
    """What gives these descriptors, and the names of all that each gives. RDKit's own list has a function for
    each name; of those that share their work, it does the work again for each name, and some are slow."""
    from rdkit.Chem import Descriptors, rdMolDescriptors

    def numbered(name: str, last: int) -> tuple[str, ...]:
        return tuple(f"{name}{k}" for k in range(1, last + 1))

    shared: list[tuple[Group, tuple[str, ...]]] = [
        (quick, QUICK),
        (burden, BCUT2D),
        (rdMolDescriptors.CalcCrippenDescriptors, ("MolLogP", "MolMR")),
        (rdMolDescriptors.SlogP_VSA_, numbered("SlogP_VSA", 12)),
        (rdMolDescriptors.SMR_VSA_, numbered("SMR_VSA", 10)),
        (rdMolDescriptors.PEOE_VSA_, numbered("PEOE_VSA", 14)),
    ]
    together = {name for _, given in shared for name in given}
    alone: list[tuple[Group, tuple[str, ...]]] = [
        (functools.partial(_alone, of), (name,)) for name, of in Descriptors.descList if name not in together
    ]
    return tuple((of, given) for of, given in shared + alone if not set(names).isdisjoint(given))


def _alone(of: Callable[[Mol], float], molecule: Mol) -> tuple[float]:
    return (of(molecule),)


def _sanitised(graph: Graph) -> Mol | None:
    molecule = rebuilt_molecule(graph)
    try:
        require_possible(molecule, "it")
    except PartwholeError:
        return None
    return molecule
