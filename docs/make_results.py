"""Write the tables of docs/results.md and the pictures from results/cells.jsonl.

The text between the tables is written by hand; each table stands between two marks. With --check,
write nothing and fail where the page and the records disagree.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

from partwhole.reproduce.accuracy_sheet import lines
from partwhole.reproduce.picture import picture
from partwhole.reproduce.rendering import render
from partwhole.reproduce.runner import results_file
from partwhole.reproduce.sheet import to_markdown
from partwhole.reproduce.tables import ALL, TABLES, Table, plan, selected

DOCS = Path(__file__).parent
BLOCK = re.compile(r"(<!-- ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def rendered() -> dict[Path, str]:
    """Each file with the content that it should have."""
    records = results_file(DOCS.parent / "results").read()

    every = selected(TABLES["table2"], None, [ALL])
    measured = {row for _, row in lines(plan(every), records)}
    methods = replace(every, rows=tuple(row for row in every.rows if row.name in measured))

    def block(match: re.Match[str]) -> str:
        table = methods if match[2] == "methods" else selected(TABLES[match[2]], None, None)
        return f"{match[1]}{to_markdown(render(table, plan(table), records))}{match[3]}"

    def drawn(table: Table) -> str:
        return picture(table, lines(plan(table), records))

    page = DOCS / "results.md"
    return {
        page: BLOCK.sub(block, page.read_text()),
        DOCS / "results.svg": drawn(selected(TABLES["table2"], None, None)),
        DOCS / "methods.svg": drawn(methods),
        DOCS / "recipe.svg": drawn(selected(TABLES["recipe"], None, None)),
    }


def main() -> None:
    stale = [path for path, content in rendered().items() if not path.exists() or path.read_text() != content]
    if "--check" in sys.argv[1:]:
        if stale:
            names = ", ".join(path.name for path in stale)
            sys.exit(f"{names}: not what results/cells.jsonl says; run `make results-page`.")
        return
    for path, content in rendered().items():
        path.write_text(content)


if __name__ == "__main__":
    main()
