"""What a fit is to do: gathered from the command line, a TOML file and the run that goes on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from partwhole.cli.options import named_options, require_options
from partwhole.cli.targets import require_labels
from partwhole.config import Options, PredictorConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.property.options import AUTO_FAMILY, PropertyConfig
from partwhole.files.toml import read_toml
from partwhole.registry import METHODS

if TYPE_CHECKING:
    from partwhole.runs.folder import RunFolder

USUAL = "subgraph-infomax"  # where neither a method nor a target is named


@dataclass(frozen=True)
class FitSettings:
    """A method, what it learns to predict, and its options."""

    method: str | None  # None: by what the targets are, a regressor or a classifier of the family
    family: str  # "auto-": of these; "": the networks that learn from labels
    targets: list[str]  # none: it learns without labels
    options: Options


def settle(
    given: Mapping[str, object],
    pairs: Sequence[str],
    *,
    method: str | None,
    targets: Sequence[str] | None,
    config: Path | None,
    resumed: RunFolder | None,
) -> FitSettings:
    """Put together what is asked for: options given on the command line go before those of the file
    `config`, and these before those of the run that is `resumed`. `pairs` are options as NAME=VALUE."""
    base: dict[str, object] = {}
    if resumed is not None:
        kept = resumed.read_config()
        base, method = dict(kept["options"]), method or kept["method"]
        targets = targets or kept.get("task", {}).get("targets")
    if config is not None:
        named, options = _read_options(config)
        base |= options
        method = method or named
    if not targets:
        method = method or USUAL
    config_class = _config_class(method, targets, given, {*base, *(pair.partition("=")[0] for pair in pairs)})
    if resumed is not None:
        base = config_class.completed(base)
    own = {**given, **named_options(pairs, config_class, method)}
    require_options(own, config_class, method)
    chosen = config_class.from_options({**base, **own, "verbose": True})
    return FitSettings(
        method, AUTO_FAMILY if config_class is PropertyConfig else "", list(targets or []), chosen
    )


def _read_options(path: Path) -> tuple[str | None, dict[str, object]]:
    """The method that a file names, if any, and its options."""
    content = read_toml(path)
    method = content.pop("method", "")
    options = content.get("options", content)
    if not isinstance(options, dict) or not isinstance(method, str):
        raise PartwholeError(
            f"{path} must have `options` as a table and `method` as text, as the config.toml of a run."
        )
    return method or None, options


def _config_class(
    method: str | None, targets: Sequence[str] | None, given: Mapping[str, object], named: set[str]
) -> type[Options]:
    """Where no method is named, whoever gives an option of a network wants a network."""
    if not method:
        usual = {f.name for f in dataclasses.fields(PropertyConfig)}
        return PropertyConfig if usual.issuperset({*given, *named}) else PredictorConfig
    entry = METHODS.get(method)
    require_labels(entry, targets, given)
    config_class: type[Options] = entry.config_class
    return config_class
