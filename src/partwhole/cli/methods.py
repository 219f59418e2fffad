"""`partwhole methods`: what can be fitted."""

from __future__ import annotations

from partwhole.cli.output import Json, print_json, print_table
from partwhole.registry import METHODS


def methods(json: Json = False) -> None:
    """List the methods with what they learn from and their papers.

    Example: partwhole methods
    """
    entries = {name: METHODS.get(name) for name in METHODS}
    rows = [
        {"name": name, "about": e.about, "learns_from": e.learns_from, "paper": e.paper}
        for name, e in entries.items()
    ]
    if json:
        print_json({"methods": rows})
        return
    header = ["name", "about", "learns from", "paper"]
    print_table("Methods", header, [[str(v) for v in row.values()] for row in rows])
