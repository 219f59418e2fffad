"""What the network of molecules learns to tell: descriptors, patterns, and numbers of the data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.files.whole import atomic_file
from partwhole.graphs.store import GraphStore
from partwhole.recipes.molecule_views import Ranges, hashed_patterns
from partwhole.sources.descriptors import descriptor_names, descriptors

AT_A_TIME = 4096  # molecules whose descriptors are computed before they are kept
TOLD_PATTERNS = 256  # columns of patterns that the network learns to tell, and as many of pairs of atoms

# What counts in the loss, all descriptors together 1.
WEIGHT_OF_PATTERNS, WEIGHT_OF_TARGETS = 0.3, 0.2


def numbers_told(targets: tuple[str, ...]) -> int:
    """How many numbers the network tells."""
    return len(descriptor_names()) + 2 * TOLD_PATTERNS + len(targets)


def numbers_of(store: GraphStore, targets: tuple[str, ...]) -> np.ndarray:
    """[molecules, targets] of the data set, standardised; NaN where one is not known."""
    columns = [np.asarray(store.target(name)) for name in targets]
    for name, column in zip(targets, columns):
        if column.dtype.kind != "f":
            raise PartwholeError(f"{name} has classes; the network learns to tell numbers, give others.")
    numbers = np.stack(columns, axis=1) if columns else np.zeros((len(store), 0))
    return (numbers - np.nanmean(numbers, axis=0)) / np.maximum(np.nanstd(numbers, axis=0), 1e-12)


def what_is_known(
    store: GraphStore, numbers: np.ndarray, cache: Path | None, *, shown: bool
) -> tuple[np.ndarray, Tensor]:
    """[molecules, told] float32, standardised, and the weight of each column [told]. What is computed is kept
    in `cache`, piece by piece, so that a fit that was stopped need not compute it again."""
    starts = range(0, len(store), AT_A_TIME)
    screen = Console(stderr=True)
    steps = track(
        starts, "descriptors", console=screen, transient=True, disable=not (shown and screen.is_terminal)
    )
    known = [_computed(store[i : i + AT_A_TIME], cache and cache / f"{i:09d}.npy") for i in steps]
    x = np.concatenate(known)
    described, counted = np.split(x, [len(descriptor_names())], axis=1)
    described = Ranges.of(described.astype(np.float64)).standardised(described)
    counted = (counted - counted.mean(axis=0)) / np.maximum(counted.std(axis=0), 1e-6)
    blocks = [(described, 1.0), (counted, WEIGHT_OF_PATTERNS), (numbers, WEIGHT_OF_TARGETS)]
    weight = np.concatenate([np.full(b.shape[1], w / max(b.shape[1], 1)) for b, w in blocks])
    rows = np.hstack([block.astype(np.float32) for block, _ in blocks])
    return rows, torch.from_numpy(weight.astype(np.float32))


def _computed(store: GraphStore, file: Path | None) -> np.ndarray:
    """[n, descriptors and patterns] float32"""
    if file is not None and file.exists():
        return np.load(file)
    found = np.hstack([descriptors(store), hashed_patterns(store, TOLD_PATTERNS)]).astype(np.float32)
    if file is not None:
        with atomic_file(file) as temporary, temporary.open("wb") as opened:
            np.save(opened, found)
    return found
