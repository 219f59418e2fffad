"""How many threads a fit or an embedding uses: one, unless its matrices are worth more.

Threads that share a small product spend as long waiting for each other as it takes. On a machine that does
other work, they wait for each other's turn on a core: epochs of MUTAG took three times as long with two
threads as with one. Where matrices are large, all cores are used, as PyTorch would.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import ThreadpoolController

from partwhole.nn.fused import match_threads

ENOUGH = 20_000 * 128**2  # multiplications in a product of a step from which several threads pay


def threads_for(nodes: float, width: int, forced: int = 0) -> int:
    """For steps of so many nodes with vectors so wide; `forced`: what a user asks for, 0 for nothing."""
    if forced:
        return forced
    return torch.get_num_threads() if nodes * width**2 >= ENOUGH else 1


@contextmanager
def using_threads(number: int) -> Iterator[None]:
    """PyTorch, compiled loops and linear algebra with so many threads, and afterwards as before."""
    before = torch.get_num_threads()
    with _libraries().limit(
        limits=number, user_api="blas"
    ):  # whose threads go on waiting for work after a call
        torch.set_num_threads(number)
        match_threads()
        try:
            yield
        finally:
            torch.set_num_threads(before)
            match_threads()


@functools.cache
def _libraries() -> ThreadpoolController:
    """Found once: looking for them takes longer than a step."""
    return ThreadpoolController()
