"""What the ways to do work that splits have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar, TypeVarTuple

import torch
from threadpoolctl import threadpool_limits

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
POLL = 2.0  # seconds between two looks at what is being done


class Workers(Protocol):
    """Processes or machines that do tasks; a context, and what it started ends with it."""

    size: int  # tasks at a time

    def __enter__(self) -> Workers: ...

    def __exit__(self, *reason: object) -> None: ...

    def results(self, function: Callable[[*Ts], T], tasks: Iterable[tuple[*Ts]]) -> Iterator[T | None]:
        """`function(*task)` as each is finished; None now and then, when nothing is."""
        ...


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def limit_threads(threads: int) -> None:
    """Let PyTorch, NumPy and SciPy use so many threads of this process each."""
    torch.set_num_threads(threads)
    threadpool_limits(threads)  # those of NumPy and SciPy
