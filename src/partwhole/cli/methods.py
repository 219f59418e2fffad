"""`partwhole methods`: what can be fitted."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.options import flag_of
from partwhole.cli.output import Json, print_json, print_table
from partwhole.registry import METHODS, UNLABELLED

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator


def methods(
    name: Annotated[str | None, typer.Argument(help="A method, to see its options.")] = None,
    json: Json = False,
) -> None:
    """List the methods with what they learn from and their papers, and what the regressor and the
    classifier can learn from unlabelled graphs; or the options of one method.

    Example: partwhole methods wl
    """
    if name is not None:
        _show(METHODS.get(name), json)
        return
    rows = [_described(entry) for _, entry in METHODS.entries()]
    companions = [{"name": name, "about": e.idea, "paper": e.paper} for name, e in UNLABELLED.entries()]
    if json:
        print_json({"methods": rows, "unlabelled": companions})
        return
    header = ["name", "about", "learns from", "paper"]
    print_table("Methods", header, [[str(v) for v in row.values()] for row in rows])
    print_table(
        "What the regressor and the classifier learn from unlabelled graphs (--unlabelled)",
        ["name", "about", "paper"],
        [[str(v) for v in row.values()] for row in companions],
    )


def _described(entry: type[AnyEstimator]) -> dict[str, str]:
    return {
        "name": entry.method,
        "about": entry.idea,
        "learns_from": entry.learns_from,
        "paper": entry.paper,
    }


def _show(entry: type[AnyEstimator], json: bool) -> None:
    """One method: what it is, and what `--option` can change."""
    fields = [f for f in dataclasses.fields(entry.config_class) if flag_of(f)]
    if json:
        options = {f.name: {"default": f.default, "about": f.metadata["help"]} for f in fields}
        print_json({**_described(entry), "options": options})
        return
    rows = [[f.name, str(f.default), f.metadata["help"]] for f in fields]
    if not rows:
        print(f"{entry.method}: {entry.idea} ({entry.paper}). It has no options.")
        return
    print_table(f"{entry.method}: {entry.idea} ({entry.paper})", ["option", "default", "about"], rows)
    print(f"Use: partwhole fit DATA --method {entry.method} --out RUN --option NAME=VALUE")
