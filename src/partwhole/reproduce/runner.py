"""Runs the cells that are not finished, several at a time, and keeps each at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partwhole.parallel.workers.base import Workers
from partwhole.reproduce.cells import Cell, run_cell
from partwhole.reproduce.journal import Journal, Record
from partwhole.reproduce.provenance import source_revision


@dataclass(frozen=True)
class TableProgress:
    """Where the cells of a table stand."""

    done: int
    total: int
    left: float  # seconds, by the pace of cells of the same method on the same data set
    certain: bool  # False: for some there is no finished cell yet, and their time is not in `left`
    running: tuple[str, ...]  # what each process is at
    last: str = ""  # the cell that has just been finished

    def time_left(self) -> str:
        """Tell in words how long the rest takes."""
        if self.certain:
            return f"about {duration(self.left)} left"
        return f"more than {duration(self.left)} left" if self.left else "time left not known yet"


def duration(seconds: float) -> str:
    """Write a time as `3 h 20 min`, `4 min` or `50 s`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def results_file(folder: Path) -> Journal:
    """The journal of a folder of results."""
    return Journal(folder / "cells.jsonl")


def unfinished(cells: Sequence[Cell], records: Sequence[Record]) -> list[Cell]:
    """List the cells that no record answers; a cell that stands in the list twice is taken once."""
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record["cell"], []).append(record)
    left = {c.key: c for c in cells if not any(c.answered_by(r) for r in by_key.get(c.key, []))}
    return list(left.values())


def run_cells(
    cells: Sequence[Cell], folder: Path, workers: Workers, *, report: Callable[[TableProgress], None]
) -> None:
    """Run what is not finished. Killed at any moment, the same call goes on where it stopped."""
    journal = results_file(folder)
    with journal.writing():
        records = journal.read()
        waiting = {cell.key: cell for cell in unfinished(cells, records)}
        if not waiting:
            return
        work, revision = folder / ".work", source_revision()

        def tell(last: str = "") -> None:
            remaining = list(waiting.values())
            seconds, certain = seconds_left(remaining, records, workers.size)
            done = len(cells) - len(remaining)
            report(TableProgress(done, len(cells), seconds, certain, in_progress(remaining, work), last))

        with workers:
            tell()
            tasks = [(cell, work.absolute(), revision) for cell in waiting.values()]
            for record in workers.results(run_cell, tasks):
                if record is not None:
                    journal.append(record)
                    records.append(record)
                    del waiting[record["cell"]]
                tell(record["cell"] if record else "")


def in_progress(cells: Sequence[Cell], work: Path) -> tuple[str, ...]:
    """Name the cells that have begun, with their epoch, as their run folders show it."""
    stages = [(cell, cell.stage(work / cell.folder)) for cell in cells if (work / cell.folder).exists()]
    return tuple(f"{cell.dataset} {cell.row} {cell.run}: {stage}" for cell, stage in stages)


def seconds_left(left: Sequence[Cell], records: Sequence[Record], jobs: int) -> tuple[float, bool]:
    """Estimate the seconds that are left by the pace of finished cells of the method on the same data set,
    and tell whether that covers all cells."""
    pace: dict[tuple[str, str], list[float]] = {}  # data set, method -> seconds an epoch
    for record in records:
        epochs = max(1, record["configuration"].get("epochs", 1))
        whole = sum(record["seconds"].values()) / epochs
        pace.setdefault((record["data"]["name"], record["method"]), []).append(whole)
    known = [cell for cell in left if (cell.dataset, cell.method) in pace]
    paces = [np.mean(pace[cell.dataset, cell.method][-8:]) * max(1, cell.epochs) for cell in known]
    return float(sum(paces)) / jobs, len(known) == len(left)
