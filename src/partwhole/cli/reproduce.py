"""`partwhole reproduce`: the tables of the paper beside ours."""

from __future__ import annotations

from typing import Annotated

import typer

from partwhole.cli.output import Json, print_json, print_table
from partwhole.errors import PartwholeError, near_miss


def reproduce(
    table: Annotated[str, typer.Argument(help="table1: statistics of the data sets.")],
    datasets: Annotated[list[str] | None, typer.Option(help="Only these; may be repeated.")] = None,
    json: Json = False,
) -> None:
    """Compute a table of the paper and print it beside the published one.

    Example: partwhole reproduce table1
    """
    from partwhole.evaluation.table1 import NOTES, PAPER, statistics

    if table != "table1":
        raise PartwholeError(f"There is no table {table!r}.{near_miss(table, ['table1'])}")
    rows, absent = statistics(datasets or list(PAPER))
    if json:
        print_json({"table": table, "rows": rows, "absent": absent, "notes": NOTES})
        return

    def pair(row: dict[str, float], paper: dict[str, float], key: str) -> str:
        digits = 0 if key in ("graphs", "classes") else 2
        mark = "" if abs(row[key] - paper[key]) < 0.011 else " *"
        return f"{row[key]:.{digits}f} / {paper[key]:.{digits}f}{mark}"

    header = ["data set", "graphs", "classes", "avg. nodes", "avg. edges"]
    keys = ["graphs", "classes", "nodes", "edges"]
    body = [[name, *(pair(row, PAPER[name], key) for key in keys)] for name, row in rows.items()]
    note = "* " + " ".join(NOTES)
    if absent:
        note += f"\nNot on this machine and not to be downloaded: {', '.join(absent)}."
    print_table("Table 1: ours / paper", header, body, numbers=header[1:], note=note)
