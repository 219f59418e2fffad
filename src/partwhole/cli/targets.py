"""What `fit --target` learns: numbers or classes, and from which graphs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partwhole.cli.options import flag_of
from partwhole.config import FitConfig, PredictorConfig
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore

ALL = "all"  # for every target that the graphs have


def labels_of(store: GraphStore, names: Sequence[str], method: str | None) -> tuple[dict[str, Any], str]:
    """The targets of a data set as the fit of a predictor takes them, and the method: given, or by what
    they are. Without names, no labels and the given method."""
    if not names:
        assert method is not None
        return {}, method
    names = all_targets(store) if list(names) == [ALL] and ALL not in all_targets(store) else names
    columns = [store.target(name) for name in names]
    kinds = {method or labels_kind(column): name for name, column in zip(names, columns)}
    if len(kinds) > 1:
        number, of_classes = kinds["regressor"], kinds["classifier"]
        raise PartwholeError(
            f"{number!r} is a number and {of_classes!r} a class; fit them in two runs, or choose --method."
        )
    y = columns[0] if len(columns) == 1 else np.stack([c.astype(object) for c in columns], axis=1)
    return {"y": y, "names": list(names)}, next(iter(kinds))


def all_targets(store: GraphStore) -> list[str]:
    return [column.name for column in store.schema.targets]


def labels_kind(y: np.ndarray) -> str:
    """The method for these targets. Text that is mostly numbers is meant as numbers: what is not one
    is then told."""
    if y.dtype != object:
        return "regressor"
    from partwhole.sources.target_columns import is_number

    text = [value for value in y.ravel() if isinstance(value, str)]
    return "regressor" if text and sum(map(is_number, text)) > len(text) / 2 else "classifier"


def require_labels(kind: Any, targets: Sequence[str] | None, options: dict[str, Any]) -> None:
    """A method and its options fit what is asked for."""
    if targets and kind.learns_from != "labels":
        raise PartwholeError(
            f"The method {kind.method} learns without labels; leave --target out, or the method."
        )
    if not targets and kind.learns_from == "labels":
        raise PartwholeError(f"The method {kind.method} learns from labels; name some with --target.")
    usual = {f.name for f in dataclasses.fields(FitConfig)}
    for field in dataclasses.fields(PredictorConfig):
        if not targets and field.name in options and field.name not in usual:
            raise PartwholeError(f"{flag_of(field)} is for a fit with labels; name some with --target.")
