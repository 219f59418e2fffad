"""`partwhole methods`: what can be fitted."""

from __future__ import annotations

from partwhole.cli.output import Json, print_json, print_table
from partwhole.registry import METHODS, UNLABELLED


def methods(json: Json = False) -> None:
    """List the methods with what they learn from and their papers, and what the regressor and the
    classifier can learn from unlabelled graphs.

    Example: partwhole methods
    """
    entries = {name: METHODS.get(name) for name in METHODS}
    rows = [
        {"name": name, "about": e.about, "learns_from": e.learns_from, "paper": e.paper}
        for name, e in entries.items()
    ]
    companions = [
        {"name": name, "about": UNLABELLED.get(name).about, "paper": UNLABELLED.get(name).paper}
        for name in UNLABELLED
    ]
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
