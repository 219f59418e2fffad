"""Runs the cells that are not finished, in parallel processes, and keeps each at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from partwhole.errors import PartwholeError
from partwhole.reproduce.cells import Cell, Record, run_cell
from partwhole.reproduce.journal import Journal
from partwhole.reproduce.provenance import source_revision

POLL = 2.0  # seconds between two looks at the cells that are being run


@dataclass(frozen=True)
class State:
    """Where a run of cells stands."""

    done: int
    total: int
    left: float  # seconds, by the pace of cells of the same method on the same data set
    certain: bool  # False: for some there is no finished cell yet, and their time is not in `left`
    running: tuple[str, ...]  # what each process is at
    last: str = ""  # the cell that has just been finished

    def time_left(self) -> str:
        if self.certain:
            return f"about {duration(self.left)} left"
        return f"more than {duration(self.left)} left" if self.left else "time left not known yet"


def duration(seconds: float) -> str:
    """`3 h 20 min`, `4 min`, `50 s`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def results_file(folder: Path) -> Journal:
    return Journal(folder / "cells.jsonl")


def unfinished(cells: Sequence[Cell], records: Sequence[Record]) -> list[Cell]:
    """The cells that no record answers; a cell that stands in the list twice is taken once."""
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record["cell"], []).append(record)
    left = {c.key: c for c in cells if not any(c.answered_by(r) for r in by_key.get(c.key, []))}
    return list(left.values())


def run_cells(
    cells: Sequence[Cell], folder: Path, *, jobs: int | None = None, report: Callable[[State], None]
) -> None:
    """Run what is not finished. Killed at any moment, the same call goes on where it stopped.

    One process for each core is the fastest: the small matrices of a step do not fill two.
    """
    journal = results_file(folder)
    if jobs is not None and jobs < 1:
        raise PartwholeError("Cells need at least one process; give --jobs 1 or more.")
    with journal.writing():
        records = journal.read()
        left = unfinished(cells, records)
        if not left:
            return
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        jobs = min(jobs or cores, len(left))
        work, revision = folder / ".work", source_revision()
        waiting = {cell.key: cell for cell in left}

        def tell(last: str = "") -> None:
            remaining = list(waiting.values())
            seconds, certain = seconds_left(remaining, records, jobs)
            done = len(cells) - len(remaining)
            report(State(done, len(cells), seconds, certain, in_progress(remaining, work), last))

        tell()
        context = get_context("spawn")
        alive, lifeline = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(jobs, context, _start_worker, (alive, max(1, cores // jobs)))
        try:
            pending: set[Future[Record]] = {pool.submit(run_cell, cell, work, revision) for cell in left}
            while pending:
                finished, pending = wait(pending, timeout=POLL, return_when=FIRST_COMPLETED)
                for future in finished:
                    record = future.result()
                    journal.append(record)
                    records.append(record)
                    del waiting[record["cell"]]
                    tell(record["cell"])
                if not finished:
                    tell()
        except BrokenProcessPool:
            raise PartwholeError(
                "A process was ended from outside, most often for want of memory; give fewer --jobs and run "
                "again: finished cells are kept."
            ) from None
        finally:
            lifeline.close()  # ends the workers, also those in the middle of a cell
            pool.shutdown(wait=False, cancel_futures=True)


def in_progress(cells: Sequence[Cell], work: Path) -> tuple[str, ...]:
    """The cells that have begun, with their epoch, as their run folders show it."""
    stages = [(cell, cell.stage(work / cell.folder)) for cell in cells if (work / cell.folder).exists()]
    return tuple(f"{cell.dataset} {cell.row} {cell.run}: {stage}" for cell, stage in stages)


def seconds_left(left: Sequence[Cell], records: Sequence[Record], jobs: int) -> tuple[float, bool]:
    """By the pace of finished cells of the method on the same data set, and whether that covers all that
    is left."""
    pace: dict[tuple[str, str], list[float]] = {}  # data set, method -> seconds an epoch
    for record in records:
        epochs = max(1, record["configuration"].get("epochs", 1))
        whole = sum(record["seconds"].values()) / epochs
        pace.setdefault((record["data"]["name"], record["method"]), []).append(whole)
    known = [cell for cell in left if (cell.dataset, cell.method) in pace]
    paces = [np.mean(pace[cell.dataset, cell.method][-8:]) * max(1, cell.epochs) for cell in known]
    return float(sum(paces)) / jobs, len(known) == len(left)


def _start_worker(alive: Connection, threads: int) -> None:
    """Share the cores, and end with the process that gave the work, however that ends."""
    torch.set_num_threads(threads)
    threadpool_limits(threads)  # those of NumPy and SciPy

    def watch() -> None:
        try:
            alive.recv()
        except EOFError:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
