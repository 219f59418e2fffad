"""Which target is looked at, and the graphs that have it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore


@dataclass(frozen=True)
class LabelledGraphs:
    """The graphs that have a target, and its values."""

    store: GraphStore
    target: str
    values: np.ndarray  # [G] labels as given, or numbers
    is_number: bool
    unlabelled: int  # graphs that do not have it


def with_target(store: GraphStore, target: str | None = None) -> LabelledGraphs:
    """Take the graphs that have a target; the first one where none is named."""
    if not store.schema.targets:
        raise PartwholeError(f"The data set {store.name!r} has no labels; give a labelled one, or embed.")
    name = store.schema.targets[0].name if target is None else target
    values = store.target(name)
    column = next(column for column in store.schema.targets if column.name == name)
    known = ~np.isnan(store.targets[:, store.schema.targets.index(column)])
    if not known.any():
        raise PartwholeError(f"No graph of {store.name!r} has the target {name!r}; choose another.")
    some = store if known.all() else store[known]
    kept = values[known] if not column.is_categorical else np.array(values[known].tolist())
    return LabelledGraphs(some, name, kept, not column.is_categorical, int((~known).sum()))
