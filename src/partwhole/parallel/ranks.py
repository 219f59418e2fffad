"""The processes that train one model together, "ranks". Alone, every function gives back its input.

Each rank holds a piece of every batch. Vectors that are compared across graphs are gathered, so that each
rank computes the loss of the whole batch. What flows back through `gathered` and `summed` is added up over
the ranks and the gradients of the parameters are averaged, which together is the gradient of one process
that has the whole batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import torch
from torch import Tensor, distributed, nn
from torch.autograd.function import once_differentiable

from partwhole.errors import PartwholeError


def count() -> int:
    """How many processes train this model; 1 alone."""
    return distributed.get_world_size() if _together() else 1


def is_first() -> bool:
    """Whether this is the rank that writes files and speaks."""
    return not _together() or distributed.get_rank() == 0


def piece(items: int) -> slice:
    """Which of `items` this rank holds; the pieces differ by one at most."""
    if not _together():
        return slice(0, items)
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    return slice(items * rank // ranks, items * (rank + 1) // ranks)


def wait_for_all() -> None:
    """Go on when every rank has come this far."""
    if _together():
        with _speaking():
            distributed.barrier()


def total(x: Tensor) -> Tensor:
    """The sum over the ranks, without a gradient."""
    if not _together():
        return x
    x = x.detach().clone()
    with _speaking():
        distributed.all_reduce(x)
    return x


def summed(x: Tensor) -> Tensor:
    """The sum over the ranks, with a gradient: that of all ranks, summed."""
    return _Sum.apply(x) if _together() else x


def gathered(x: Tensor) -> Tensor:
    """[rows here, …] -> [rows of all ranks, …], in the order of the ranks."""
    return _Gather.apply(x) if _together() else x


def average_gradients(parameters: Iterable[nn.Parameter]) -> None:
    """Give every rank the mean gradients, in one message; a parameter without a gradient has one of zero."""
    if not _together():
        return
    parameters = list(parameters)
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    mean = total(torch.cat([g.flatten() for g in gradients])) / distributed.get_world_size()
    for p, values in zip(parameters, mean.split([p.numel() for p in parameters])):
        p.grad = values.view_as(p)


def _together() -> bool:
    return distributed.is_available() and distributed.is_initialized()


@contextmanager
def _speaking() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # gloo and NCCL have no errors of their own
        reason = str(error).splitlines()[0]
        raise PartwholeError(
            f"A process that trains with this one is gone or does not answer ({reason}); see what it said, "
            "and continue with --resume."
        ) from None


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return total(x)

    @staticmethod
    @once_differentiable
    def backward(ctx: object, grad: Tensor) -> Tensor:
        return total(grad)


class _OwnRows(Protocol):
    """Which of the gathered rows are those of this rank."""

    first: int
    rows: int


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: _OwnRows, x: Tensor) -> Tensor:
        ranks, rank = distributed.get_world_size(), distributed.get_rank()
        rows = torch.zeros(ranks, dtype=torch.int64, device=x.device)
        rows[rank] = len(x)
        sizes = total(rows).tolist()
        padded = x.new_zeros(max(sizes), *x.shape[1:])  # messages must have one size
        padded[: len(x)] = x
        pieces = [torch.empty_like(padded) for _ in sizes]
        with _speaking():
            distributed.all_gather(pieces, padded)
        ctx.first, ctx.rows = sum(sizes[:rank]), len(x)
        return torch.cat([piece[:n] for piece, n in zip(pieces, sizes)])

    @staticmethod
    @once_differentiable
    def backward(ctx: _OwnRows, grad: Tensor) -> Tensor:
        return total(grad)[ctx.first : ctx.first + ctx.rows]
