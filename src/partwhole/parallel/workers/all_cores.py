"""Tasks in their order on all cores of this machine."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def on_all_cores(function: Callable[[*Ts], T], tasks: Iterator[tuple[*Ts]]) -> Iterator[T]:
    """Give `function(*task)` in the order of the tasks. Two for each core are taken at a time, so that making
    tasks does not run ahead of using results; a single task is done here.

    The processes are joblib's, which do not run the script of the user again.
    """
    window = list(itertools.islice(tasks, 2))
    if len(window) < 2:
        yield from (function(*task) for task in window)
        return
    from joblib import Parallel, cpu_count, delayed

    call = delayed(function)
    with Parallel(n_jobs=-1, initializer=_end_with, initargs=(os.getpid(),)) as parallel:
        while window:
            yield from parallel(call(*task) for task in window)
            window = list(itertools.islice(tasks, 2 * cpu_count()))


def _end_with(parent: int) -> None:
    """End this process when the one that gave the work is gone; joblib's would wait for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
