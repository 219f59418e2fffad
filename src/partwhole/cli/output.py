"""What commands print: one JSON object for machines, a table or a line for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")]


def print_json(content: dict[str, Any]) -> None:
    print(json.dumps(content))


def print_table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    note: str = "",
) -> None:
    """A table for the terminal; the columns named in `numbers` are set flush right."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)  # a file has no edge to fold at
    look: dict[str, Any] = {"box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0)} if len(header) > 8 else {}
    title, note = escape(title), escape(note)  # [nH] of a molecule is no markup
    table = Table(title=title, title_justify="left", caption=note or None, caption_justify="left", **look)
    for k, name in enumerate(header):
        names_only = all(" " not in row[k] for row in rows)  # a name is not cut in two
        justify: Any = "right" if name in numbers else "left"
        table.add_column(
            escape(name), justify=justify, overflow="fold", no_wrap=names_only and name not in numbers
        )
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)
