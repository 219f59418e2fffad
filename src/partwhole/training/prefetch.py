"""The next batch is made while this one computes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def ahead(make: Callable[[T], U], items: Iterable[T]) -> Iterator[U]:
    """`make(item)` for every item in order, each begun before the one before it is asked for again.

    The making is array work and compiled loops that leave Python's lock to the training step.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="batches") as pool:
        pending = None
        for item in items:
            begun = pool.submit(make, item)
            if pending is not None:
                yield pending.result()
            pending = begun
        if pending is not None:
            yield pending.result()
