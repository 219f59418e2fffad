"""Command-line options made from the fields of the configurations, so that each is declared once."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from partwhole.config import Options, PredictorConfig, RecipeConfig, field_type
from partwhole.errors import PartwholeError, near_miss
from partwhole.registry import Registry


def fit_fields() -> list[dataclasses.Field[Any]]:
    """List the options of a fit without labels, and what one with labels has besides."""
    fields = {f.name: f for config in (RecipeConfig, PredictorConfig) for f in dataclasses.fields(config)}
    return list(fields.values())


def flag_of(field: dataclasses.Field[Any]) -> str:
    """Name a field on the command line: `--batch-size` for batch_size, unless it names another; empty where
    it is not an option."""
    given: str | None = field.metadata["flag"]
    return f"--{field.name.replace('_', '-')}" if given is None else given


def with_fit_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command(…, options)` one option per field; those that the user set arrive in `options`."""
    fields = [f for f in fit_fields() if flag_of(f)]
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "options"]

    def wrapper(**given: Any) -> None:
        chosen = {f.name: given.pop(f.name) for f in fields}
        options = {name: value for name, value in chosen.items() if value not in (None, [])}
        command(options=options, **given)

    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    signature = inspect.Signature([*own, *(_parameter(f) for f in fields)])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    return wrapper


class FitCommand(TyperCommand):
    """Names the plug-ins when its help is shown and not before: to look what is installed takes a while."""

    def format_options(self, *where: Any, **more: Any) -> None:
        """Show the options, those of plug-ins by name."""
        texts = {f.name: _help(f, names=True) for f in fit_fields()}
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and parameter.name in texts:
                parameter.help = texts[parameter.name]
        super().format_options(*where, **more)


def named_options(pairs: Sequence[str], config: type[Options], method: str | None) -> dict[str, object]:
    """Read options given as `rounds=3` into the values that the method takes."""
    fields = {f.name: f for f in dataclasses.fields(config)}
    given = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.replace("-", "_")
        if not equals:
            raise PartwholeError(f"--option takes NAME=VALUE, not {pair!r}.")
        require_options([name], config, method)
        given[name] = _value(fields[name], text)
    return given


def require_options(names: Iterable[str], config: type[Options], method: str | None) -> None:
    """Raise unless the method has these options."""
    known = {f.name: f for f in dataclasses.fields(config) if flag_of(f)}
    flags = {f.name: flag_of(f) for f in fit_fields()}
    for name in names:
        if name not in known:
            what = f"The method {method}" if method else "A fit with labels"
            hint = near_miss(name, known) if known else " It has none."
            raise PartwholeError(f"{what} has no option {name!r} ({flags.get(name, 'for --option')}).{hint}")


def _value(field: dataclasses.Field[Any], text: str) -> object:
    wanted = field_type(field)
    if wanted is bool and text in ("true", "false"):
        return text == "true"
    if wanted is tuple:
        return tuple(text.split(","))
    try:
        return text if wanted is bool else wanted(text)
    except ValueError:
        raise PartwholeError(f"{field.name} must be of type {wanted.__name__}, not {text!r}.") from None


def _parameter(field: dataclasses.Field[Any]) -> inspect.Parameter:
    taken: Any = field_type(field)
    flag = flag_of(field)
    if taken is bool:
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    elif taken is tuple:
        taken = list[str]
    annotation = Annotated[taken | None, typer.Option(flag, help=_help(field), show_default=False)]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _help(field: dataclasses.Field[Any], *, names: bool = False) -> str:
    """What the option is; `names`: also those of plug-ins."""
    text, choices = field.metadata["help"], field.metadata["choices"]
    if choices is not None and (names or not isinstance(choices, Registry)):
        text += f" One of: {', '.join(choices)}."
    if isinstance(field.default, bool):
        return f"{text} [default: {'on' if field.default else 'off'}]"
    return (
        f"{text} May be repeated."
        if isinstance(field.default, tuple)
        else f"{text} [default: {field.default}]"
    )
