"""The targets of a store as they were given: numbers, or labels of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partwhole.errors import PartwholeError, near_miss

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore


def target_values(store: GraphStore, name: str) -> np.ndarray:
    """[G] numbers with NaN, or labels with None where they are missing."""
    places = {column.name: k for k, column in enumerate(store.schema.targets)}
    if name not in places:
        known = near_miss(name, places) if places else " It has none; give labelled graphs."
        raise PartwholeError(f"The data set {store.name!r} has no target {name!r}.{known}")
    column, values = store.schema.targets[places[name]], store.targets[:, places[name]]
    if not column.is_categorical:
        return np.asarray(values)
    labels = np.array([*column.values, None], dtype=object)
    return labels[np.where(np.isnan(values), -1, values).astype(np.int64)]


def first_target(store: GraphStore) -> np.ndarray:
    """[G] the first target; of classes no label may be missing."""
    if not store.schema.targets:
        raise PartwholeError(f"The data set {store.name!r} has no labels; give a labelled one, or embed.")
    column, missing = store.schema.targets[0], int(np.isnan(store.targets[:, 0]).sum())
    if column.is_categorical and missing:
        raise PartwholeError(
            f"{missing} of {len(store)} graphs of {store.name!r} have no label; leave them out first."
        )
    return np.array(target_values(store, column.name).tolist())
