"""Which targets a command is asked for, and what `fit --target` learns: numbers or classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from partwhole.cli.options import flag_of
from partwhole.config import FitConfig, PredictorConfig
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator
    from partwhole.graphs.store import GraphStore

ALL = "all"  # for every target that the graphs have


def named_targets(store: GraphStore, asked: Sequence[str] | None) -> list[str]:
    """The names of the targets that are asked for, of which `all` stands for every one; a misspelt name is
    told."""
    known = [column.name for column in store.schema.targets]
    names = list(asked or [])
    if names == [ALL] and ALL not in known:
        return known
    for name in names:
        store.target(name)
    return names


def labels_of(
    store: GraphStore, asked: Sequence[str], method: str | None, family: str = ""
) -> tuple[dict[str, object], str]:
    """The targets of a data set as the fit of a predictor takes them, and the method: given, or of its family
    by what they are. Where no target is asked for, no labels and the given method."""
    if not asked:
        assert method is not None
        return {}, method
    names = named_targets(store, asked)
    columns = [store.target(name) for name in names]
    examples = {method or family + method_for(column): name for name, column in zip(names, columns)}
    if len(examples) > 1:
        number, of_classes = examples[family + "regressor"], examples[family + "classifier"]
        raise PartwholeError(
            f"{number!r} is a number and {of_classes!r} a class; fit them in two runs, or choose --method."
        )
    y = columns[0] if len(columns) == 1 else np.stack([c.astype(object) for c in columns], axis=1)
    return {"y": y, "names": names}, next(iter(examples))


def method_for(y: np.ndarray) -> str:
    """The method that learns these values [G]. Text that is mostly numbers is meant as numbers: what is not
    one is then told."""
    if y.dtype != object:
        return "regressor"
    from partwhole.sources.target_columns import is_number

    text = [value for value in y.ravel() if isinstance(value, str)]
    return "regressor" if text and sum(map(is_number, text)) > len(text) / 2 else "classifier"


def require_labels(
    method: type[AnyEstimator], targets: Sequence[str] | None, options: Collection[str]
) -> None:
    """Raise unless the method and the named options are for what is asked: a fit with targets, or without."""
    if targets and method.learns_from != "labels":
        raise PartwholeError(
            f"The method {method.method} learns without labels; leave --target out, or the method."
        )
    if not targets and method.learns_from == "labels":
        raise PartwholeError(f"The method {method.method} learns from labels; name some with --target.")
    usual = {f.name for f in dataclasses.fields(FitConfig)}
    for field in dataclasses.fields(PredictorConfig):
        if not targets and field.name in options and field.name not in usual:
            raise PartwholeError(f"{flag_of(field)} is for a fit with labels; name some with --target.")
