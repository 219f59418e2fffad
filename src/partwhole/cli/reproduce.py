"""`partwhole reproduce`: the tables of the paper beside ours."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.cluster import Ray
from partwhole.cli.output import Json, print_json, print_table
from partwhole.cli.stopping import interrupted_by
from partwhole.errors import DataUnavailable, PartwholeError

if TYPE_CHECKING:
    from partwhole.reproduce.cells import Cell, Plan
    from partwhole.reproduce.tables import Table

ABSENT = "Not on this machine and not to be downloaded: {}."

TableName = Annotated[
    str | None,
    typer.Argument(
        help="table1: statistics of the data sets; table2, table4, table5: accuracies; table3: errors on "
        "QM9; few-labels: classes from a share of the labels; molecules: properties from few labels; "
        "choices: what the paper leaves open; recipe: vectors of the recipe beside those of the paper "
        "and of rivals; ablation: the recipe with a part left out."
    ),
]
Datasets = Annotated[list[str] | None, typer.Option(help="Only these; may be repeated.")]
Methods = Annotated[
    list[str] | None, typer.Option(help="Only these rows, or all of table2; may be repeated.")
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        help="Only these targets of table3 (or shares of few-labels, or numbers of labels of "
        "molecules); may be repeated."
    ),
]
Runs = Annotated[
    int | None, typer.Option(help="Runs of each cell. [default: the table's]", show_default=False)
]
Epochs = Annotated[
    int | None, typer.Option(help="Epochs of each run. [default: the table's]", show_default=False)
]
Jobs = Annotated[
    int | None, typer.Option(help="Cells at a time. [default: one for each core]", show_default=False)
]
Explain = Annotated[
    str | None,
    typer.Option(metavar="CELL", help="Tell how a number came about: data set/method/epochs/run."),
]


def reproduce(
    table: TableName = None,
    datasets: Datasets = None,
    methods: Methods = None,
    targets: Targets = None,
    runs: Runs = None,
    epochs: Epochs = None,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("results"),
    jobs: Jobs = None,
    ray: Ray = None,
    show: Annotated[bool, typer.Option("--show", help="Show what is finished and run nothing.")] = False,
    explain: Explain = None,
    json: Json = False,
) -> None:
    """Compute a table of the paper and print it beside the published one.

    Finished cells are kept at once and not computed again: stopped at any moment, the same command
    goes on. TABLE.md and TABLE.html are written beside them.

    Example: partwhole reproduce table2 --datasets MUTAG --runs 3 --epochs 20
    """
    from partwhole.reproduce.tables import TABLES, plan, selected, table_named

    if explain is not None:
        _explain(explain, out, json)
    elif table is None:
        raise PartwholeError(f"Which table? Name one: {', '.join(['table1', *TABLES])}.")
    elif table == "table1":
        _statistics(datasets, json)
    else:
        if ray is not None and jobs is not None:
            raise PartwholeError("A cluster decides how many cells are run at a time; leave out --jobs.")
        chosen = selected(table_named(table), datasets, methods, targets)
        cells = plan(chosen, runs, epochs)
        absent = [] if show else _compute(chosen, cells, out, jobs, ray)
        _show(chosen, cells, out, absent, json, write=not show)


def _explain(cell: str, out: Path, json: bool) -> None:
    from partwhole.reproduce.explain import explain, find_record
    from partwhole.reproduce.runner import results_file

    record = find_record(cell, results_file(out).read())
    print_json(record) if json else print(explain(record))


def _compute(table: Table, cells: Plan, out: Path, jobs: int | None, ray: str | None) -> list[str]:
    """Run the cells that are not finished; the data sets that are not to be had."""
    from partwhole.reproduce.tables import in_order

    absent = _absent(table.datasets)
    _run([cell for cell in in_order(cells) if cell.dataset not in absent], out, jobs, ray)
    return absent


def _show(table: Table, cells: Plan, out: Path, absent: list[str], json: bool, write: bool) -> None:
    """Print the table as far as it is finished, and `write` its pages."""
    from partwhole.reproduce.pages import write_pages
    from partwhole.reproduce.rendering import render
    from partwhole.reproduce.runner import results_file

    records = results_file(out).read()
    sheet = render(table, cells, records)
    pages = write_pages(table, cells, records, out) if write else []
    if json:
        rows = [dict(zip(sheet.header, row, strict=True)) for row in sheet.rows]
        keys = [cell.key for group in cells.values() for cell in group]
        print_json({"table": table.name, "rows": rows, "notes": sheet.notes, "cells": keys, "absent": absent})
        return
    print_table(
        sheet.title,
        sheet.header,
        sheet.rows,
        numbers=sheet.header[sheet.words :],
        note="\n".join(sheet.notes),
    )
    if absent:
        print(ABSENT.format(", ".join(absent)))
    if pages:
        print(f"Written: {', '.join(str(page) for page in pages)}.")


def _absent(datasets: Sequence[str]) -> list[str]:
    """The sets that are not to be had; the others are on this machine now."""
    from partwhole.reproduce.cells import set_of
    from partwhole.sources.datasets.catalogue import fetch

    absent: list[str] = []
    for name in datasets:
        try:
            fetch(set_of(name))
        except DataUnavailable as reason:
            absent.append(name)
            if len(absent) == len(datasets):
                raise reason
    return absent


def _run(cells: list[Cell], out: Path, jobs: int | None, ray: str | None) -> None:
    """Run cells with a bar on standard error. Ctrl-C and SIGTERM end it; what is finished is kept."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from partwhole.parallel.workers.cluster import RayCluster
    from partwhole.parallel.workers.processes import Processes
    from partwhole.reproduce.runner import TableProgress, run_cells

    workers = RayCluster(ray) if ray is not None else Processes(jobs, len(cells))
    console = Console(stderr=True)
    bar = Progress(
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f} cells"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=console,
    )
    task = bar.add_task("", total=len(cells))
    done = 0

    def report(now: TableProgress) -> None:
        nonlocal done
        done = now.done
        bar.update(task, completed=done, description="; ".join([now.time_left(), *now.running]))
        if not console.is_terminal and now.last:  # a log file gets a line for each cell
            console.print(f"{done}/{now.total} cells, {now.time_left()}: {now.last}")

    with interrupted_by(signal.SIGTERM):
        try:
            with bar:
                run_cells(cells, out, workers, report=report)
        except KeyboardInterrupt:
            console.print(f"Stopped with {done} of {len(cells)} cells finished; the same command goes on.")
            raise typer.Exit(130) from None


def _statistics(datasets: list[str] | None, json: bool) -> None:
    from partwhole.reproduce.table1 import NOTES, PAPER, statistics

    rows, absent = statistics(datasets or list(PAPER))
    if json:
        print_json({"table": "table1", "rows": rows, "absent": absent, "notes": NOTES})
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
        note += "\n" + ABSENT.format(", ".join(absent))
    print_table("Table 1: ours / paper", header, body, numbers=header[1:], note=note)
