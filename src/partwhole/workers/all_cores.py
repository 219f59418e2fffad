"""Tasks in their order on all cores of this machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def on_all_cores(function: Callable[..., T], tasks: Iterator[tuple[Any, ...]]) -> Iterator[T]:
    """`function(*task)` in the order of the tasks. Two for each core are taken at a time, so that making
    tasks does not run ahead of using results; a single task is done here."""
    window = list(itertools.islice(tasks, 2))
    if len(window) < 2:
        yield from (function(*task) for task in window)
        return
    from joblib import Parallel, cpu_count, delayed

    with Parallel(n_jobs=-1) as parallel:
        while window:
            yield from parallel(delayed(function)(*task) for task in window)
            window = list(itertools.islice(tasks, 2 * cpu_count()))
