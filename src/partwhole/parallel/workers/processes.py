"""Processes of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Self, TypeVar, TypeVarTuple

from partwhole.errors import PartwholeError
from partwhole.parallel.workers.base import POLL, cores, limit_threads

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Processes:
    """Processes of this machine, one for each core: the small matrices of a step do not fill two."""

    def __init__(self, jobs: int | None, tasks: int):
        if jobs is not None and jobs < 1:
            raise PartwholeError("Work needs at least one process; give --jobs 1 or more.")
        self.size = min(jobs or cores(), max(1, tasks))

    def __enter__(self) -> Self:
        context = get_context("spawn")
        alive, self.lifeline = context.Pipe(duplex=False)
        threads = max(1, cores() // self.size)
        self.pool = ProcessPoolExecutor(self.size, context, _start_worker, (alive, threads))
        return self

    def __exit__(self, *reason: object) -> None:
        self.lifeline.close()  # ends the workers, also those in the middle of a task
        self.pool.shutdown(wait=False, cancel_futures=True)

    def results(self, function: Callable[[*Ts], T], tasks: Iterable[tuple[*Ts]]) -> Iterator[T | None]:
        """Give `function(*task)` as each is finished; None every `POLL` seconds in which nothing is."""
        try:
            pending: set[Future[T]] = {self.pool.submit(function, *task) for task in tasks}
            while pending:
                finished, pending = wait(pending, timeout=POLL, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
                if not finished:
                    yield None
        except BrokenProcessPool:
            raise PartwholeError(
                "A process was ended from outside, most often for want of memory; give fewer --jobs and run "
                "again: what is finished is kept."
            ) from None


def _start_worker(alive: Connection, threads: int) -> None:
    """Share the cores, and end with the process that gave the work, however that ends."""
    limit_threads(threads)

    def watch() -> None:
        try:
            alive.recv()
        except EOFError:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
