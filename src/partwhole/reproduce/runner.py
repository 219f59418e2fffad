"""Runs the cells that are not finished, in parallel processes, and keeps each at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from partwhole.errors import PartwholeError
from partwhole.reproduce.cells import Cell, Record, run_cell, source_revision
from partwhole.reproduce.journal import Journal

Report = Callable[[int, int, float | None, str], None]  # cells done, of all, seconds left, last cell


def results_file(folder: Path) -> Journal:
    return Journal(folder / "cells.jsonl")


def unfinished(cells: Sequence[Cell], records: Sequence[Record]) -> list[Cell]:
    """The cells that no record answers; a cell that stands in the list twice is taken once."""
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record["cell"], []).append(record)
    left = {c.key: c for c in cells if not any(c.answered_by(r) for r in by_key.get(c.key, []))}
    return list(left.values())


def run_cells(cells: Sequence[Cell], folder: Path, *, jobs: int | None = None, report: Report) -> None:
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
        done = len(cells) - len(left)
        report(done, len(cells), seconds_left(left, records, jobs), "")
        context = get_context("spawn")
        alive, lifeline = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(jobs, context, _start_worker, (alive, max(1, cores // jobs)))
        try:
            work, revision = folder / ".work", source_revision()
            pending: set[Future[Record]] = {pool.submit(run_cell, cell, work, revision) for cell in left}
            while pending:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    record = future.result()
                    journal.append(record)
                    records.append(record)
                    done += 1
                    remaining = unfinished(left, records)
                    report(done, len(cells), seconds_left(remaining, records, jobs), record["cell"])
        except BrokenProcessPool:
            raise PartwholeError(
                "A process was ended from outside, most often for want of memory; give fewer --jobs and run "
                "again: finished cells are kept."
            ) from None
        finally:
            lifeline.close()  # ends the workers, also those in the middle of a cell
            pool.shutdown(wait=False, cancel_futures=True)


def seconds_left(left: Sequence[Cell], records: Sequence[Record], jobs: int) -> float | None:
    """From cells of the same data set that were run; None before there is one to go by."""
    pace: dict[str, list[float]] = {}  # data set -> seconds an epoch
    for record in records:
        whole = sum(record["seconds"].values()) / max(1, record["configuration"]["epochs"])
        pace.setdefault(record["data"]["name"], []).append(whole)
    if any(cell.dataset not in pace for cell in left):
        return None
    return float(sum(np.mean(pace[cell.dataset][-8:]) * cell.epochs for cell in left)) / jobs


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
