"""Files that show a table: Markdown, and one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import jinja2

from partwhole.files.whole import atomic_file
from partwhole.reproduce.accuracy_sheet import lines
from partwhole.reproduce.cells import Plan
from partwhole.reproduce.journal import Record
from partwhole.reproduce.picture import picture
from partwhole.reproduce.rendering import render
from partwhole.reproduce.sheet import to_markdown
from partwhole.reproduce.tables import Table


def write_pages(table: Table, plan: Plan, records: Sequence[Record], folder: Path) -> list[Path]:
    """Write TABLE.md and TABLE.html into the folder of the results."""
    sheet = render(table, plan, records)
    template = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(
        files("partwhole.reproduce").joinpath("page.html").read_text()
    )
    drawing = picture(table, lines(plan, records)) if table.published else ""
    pages = {
        folder / f"{table.name}.md": f"# {sheet.title}\n\n{to_markdown(sheet)}",
        folder / f"{table.name}.html": template.render(sheet=sheet, picture=drawing),
    }
    for path, content in pages.items():
        with atomic_file(path) as temporary:
            temporary.write_text(content)
    return list(pages)
