"""`partwhole reproduce`: the tables of the paper beside ours."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partwhole.cli.cluster import Ray
from partwhole.cli.output import Json, print_json, print_table
from partwhole.errors import DataUnavailable, PartwholeError

if TYPE_CHECKING:
    from partwhole.reproduce.cells import Cell
    from partwhole.reproduce.tables import Table

ABSENT = "Not on this machine and not to be downloaded: {}."


def reproduce(
    table: Annotated[
        str | None,
        typer.Argument(
            help="table1: statistics of the data sets; table2, table4, table5: accuracies; table3: errors on "
            "QM9; few-labels: classes from a share of the labels; molecules: properties from few labels; "
            "choices: what the paper leaves open; recipe: vectors of the recipe beside those of the paper "
            "and of rivals; ablation: the recipe with a part left out."
        ),
    ] = None,
    datasets: Annotated[list[str] | None, typer.Option(help="Only these; may be repeated.")] = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these rows, or all of table2; may be repeated.")
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these targets of table3 (or shares of few-labels, or numbers of labels of "
            "molecules); may be repeated."
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Runs of each cell. [default: the table's]", show_default=False)
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Epochs of each run. [default: the table's]", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("results"),
    jobs: Annotated[
        int | None, typer.Option(help="Cells at a time. [default: one for each core]", show_default=False)
    ] = None,
    ray: Ray = None,
    show: Annotated[bool, typer.Option("--show", help="Show what is finished and run nothing.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(metavar="CELL", help="Tell how a number came about: data set/method/epochs/run."),
    ] = None,
    json: Json = False,
) -> None:
    """Compute a table of the paper and print it beside the published one.

    Finished cells are kept at once and not computed again: stopped at any moment, the same command
    goes on. TABLE.md and TABLE.html are written beside them.

    Example: partwhole reproduce table2 --datasets MUTAG --runs 3 --epochs 20
    """
    from partwhole.reproduce.explain import explain as tell
    from partwhole.reproduce.explain import find_record
    from partwhole.reproduce.runner import results_file
    from partwhole.reproduce.tables import TABLES, selected, table_named

    if explain is not None:
        record = find_record(explain, results_file(out).read())
        print_json(record) if json else print(tell(record))
    elif table is None:
        raise PartwholeError(f"Which table? Name one: {', '.join(['table1', *TABLES])}.")
    elif table == "table1":
        _statistics(datasets, json)
    else:
        if ray is not None and jobs is not None:
            raise PartwholeError("A cluster decides how many cells are run at a time; leave out --jobs.")
        chosen = selected(table_named(table), datasets, methods, targets)
        _cells(chosen, runs, epochs, out, jobs, ray, show, json)


def _cells(
    table: Table,
    runs: int | None,
    epochs: int | None,
    out: Path,
    jobs: int | None,
    ray: str | None,
    show: bool,
    json: bool,
) -> None:
    from partwhole.reproduce.any_sheet import sheet
    from partwhole.reproduce.pages import write_pages
    from partwhole.reproduce.runner import results_file
    from partwhole.reproduce.tables import in_order, plan

    cells = plan(table, runs, epochs)
    absent: list[str] = []
    if not show:
        absent = _absent(table.datasets)
        _run([cell for cell in in_order(cells) if cell.dataset not in absent], out, jobs, ray)
    records = results_file(out).read()
    shown = sheet(table, cells, records)
    pages = [] if show else write_pages(table, cells, records, out)
    if json:
        rows = [dict(zip(shown.header, row, strict=True)) for row in shown.rows]
        keys = [cell.key for group in cells.values() for cell in group]
        print_json({"table": table.name, "rows": rows, "notes": shown.notes, "cells": keys, "absent": absent})
        return
    print_table(
        shown.title,
        shown.header,
        shown.rows,
        numbers=shown.header[shown.words :],
        note="\n".join(shown.notes),
    )
    if absent:
        print(ABSENT.format(", ".join(absent)))
    if pages:
        print(f"Written: {', '.join(str(page) for page in pages)}.")


def _absent(datasets: Sequence[str]) -> list[str]:
    """The sets that are not to be had; the others are on this machine now."""
    from partwhole.reproduce.cells import store_of
    from partwhole.sources.datasets.catalogue import fetch

    absent: list[str] = []
    for name in datasets:
        try:
            fetch(store_of(name))
        except DataUnavailable as reason:
            absent.append(name)
            if len(absent) == len(datasets):
                raise reason
    return absent


def _run(cells: list[Cell], out: Path, jobs: int | None, ray: str | None) -> None:
    """With a bar on standard error. Ctrl-C and SIGTERM end the run; what is finished is kept."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from partwhole.parallel.workers.cluster import RayCluster
    from partwhole.parallel.workers.processes import Processes
    from partwhole.reproduce.runner import State, run_cells

    workers = RayCluster(ray) if ray is not None else Processes(jobs, len(cells))

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    console = Console(stderr=True)
    bar = Progress(
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f} cells"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=console,
    )
    task = bar.add_task("", total=len(cells))
    before = signal.signal(signal.SIGTERM, stop)
    done = 0

    def report(state: State) -> None:
        nonlocal done
        done = state.done
        bar.update(task, completed=done, description="; ".join([state.time_left(), *state.running]))
        if not console.is_terminal and state.last:  # a log file gets a line for each cell
            console.print(f"{done}/{state.total} cells, {state.time_left()}: {state.last}")

    try:
        with bar:
            run_cells(cells, out, workers, report=report)
    except KeyboardInterrupt:
        console.print(f"Stopped with {done} of {len(cells)} cells finished; the same command goes on.")
        raise typer.Exit(130) from None
    finally:
        signal.signal(signal.SIGTERM, before)


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
