"""What commands print: one JSON object for machines, a table or a line for people; and where they write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from partwhole.errors import PartwholeError

NARROWEST = 10  # characters of a column that is cut

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="The output may replace the input itself.")]


def print_json(content: Mapping[str, object]) -> None:
    """Print one object on one line of standard output."""
    print(json.dumps(content))


def require_other_file(files: Sequence[Path], data: str, overwrite: bool) -> None:
    """Raise if what is to be written is what is read."""
    place = Path(data).resolve()
    if not overwrite and place.exists() and any(file.resolve() == place for file in files):
        raise PartwholeError(
            f"{data} is the input and would be replaced; write to another file, or allow it with --overwrite."
        )


def print_table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    note: str = "",
) -> None:
    """Print a table; the columns named in `numbers` are set flush right."""
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
    _console().print(table)


def print_cut_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()
) -> None:
    """Print a table in which each row is a line.

    The columns `numbers` come first and stay whole; other text is cut, which an ellipsis marks, and columns
    that have no place are left out, which is said.
    """
    console = _console()
    lines = [[" ".join(cell.split()) for cell in row] for row in rows]
    natural = [max(map(cell_len, column)) for column in zip(header, *lines)]
    widths = fitting(natural, whole=len(numbers), room=console.width)
    table = Table()
    for name, width in zip(header, widths):
        justify: Any = "right" if name in numbers else "left"
        table.add_column(escape(name), justify=justify, width=width, no_wrap=True, overflow="ellipsis")
    for line in lines:
        table.add_row(*map(escape, line[: len(widths)]))
    console.print(Text(title, style="italic"))
    console.print(table)
    if missing := len(header) - len(widths):
        columns = "column is" if missing == 1 else "columns are"
        console.print(Text(f"{missing} more {columns} not shown; --json gives all.", style="dim"))


def fitting(natural: Sequence[int], whole: int, room: int) -> list[int]:
    """Choose the widths of the first columns of a table that find room, with their frame, in characters.

    The first `whole` keep theirs; of the others the widest give way first, and none has less than ten
    characters of what it has.
    """
    least = [*natural[:whole], *(min(width, NARROWEST) for width in natural[whole:])]
    count = whole
    while count < len(natural) and sum(least[: count + 1]) + 3 * (count + 1) + 1 <= room:
        count += 1
    left = room - 3 * count - 1 - sum(natural[:whole])
    level = max(natural[whole:count], default=0)  # no column is wider
    while sum(min(width, level) for width in natural[whole:count]) > left:
        level -= 1
    return [*natural[:whole], *(min(width, level) for width in natural[whole:count])]


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=160)  # a file has no edge to fold at
