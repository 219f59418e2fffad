"""Command-line options made from the fields of `PredictorConfig`, so that each is declared once."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from partwhole.config import PredictorConfig, field_type


def flag_of(field: dataclasses.Field[Any]) -> str:
    """`--batch-size` for batch_size, unless the field names another; empty: not an option."""
    given: str | None = field.metadata["flag"]
    return f"--{field.name.replace('_', '-')}" if given is None else given


def with_fit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command(…, options)` one option per field; those that the user set arrive in `options`."""
    fields = [f for f in dataclasses.fields(PredictorConfig) if flag_of(f)]
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "options"]

    def wrapper(**given: Any) -> Any:
        chosen = {f.name: given.pop(f.name) for f in fields}
        options = {name: value for name, value in chosen.items() if value not in (None, [])}
        return command(options=options, **given)

    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    signature = inspect.Signature([*own, *(_parameter(f) for f in fields)])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    return wrapper


def _parameter(field: dataclasses.Field[Any]) -> inspect.Parameter:
    kind: Any = field_type(field)
    flag, text, choices = flag_of(field), field.metadata["help"], field.metadata["choices"]
    if choices is not None:
        text += f" One of: {', '.join(choices)}."
    if kind is bool:
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
        text += f" [default: {'on' if field.default else 'off'}]"
    elif kind is tuple:
        kind = list[str]
        text += " May be repeated."
    else:
        text += f" [default: {field.default}]"
    annotation = Annotated[kind | None, typer.Option(flag, help=text, show_default=False)]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
