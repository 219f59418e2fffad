"""Signatures made from options, so that each option is declared once."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable

from partwhole.config import Options


def initializer(config: type[Options]) -> Callable[..., None]:
    """An `__init__` that keeps the options of a configuration as they are given, as scikit-learn asks; its
    signature shows them."""
    fields = dataclasses.fields(config)
    defaults = {f.name: f.default for f in fields}

    def __init__(self: object, **options: object) -> None:
        for name in options:
            if name not in defaults:
                raise TypeError(f"{type(self).__name__} got an unexpected keyword argument {name!r}")
        for name, default in defaults.items():
            setattr(self, name, options.get(name, default))

    shown = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for f in fields:
        shown.append(
            inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
        )
    __init__.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return __init__
