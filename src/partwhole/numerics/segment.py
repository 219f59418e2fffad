"""Sums, maxima and softmax over contiguous segments, and the neighbour sum.

Pure functions. A segment is a run of rows, given by `ptr` [segments + 1]; it may be empty,
and an empty segment sums to zero. The nodes of a graph and the entries of a CSR row are both
such runs.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from partwhole.numerics.autograd import Context, Gradients


def _gather_sum(x: Tensor, index: Tensor, ptr: Tensor, weight: Tensor | None = None) -> Tensor:
    """out[r] = sum over k in ptr[r] : ptr[r + 1] of weight[k] * x[index[k]]"""
    if len(index) == 0:
        return x.new_zeros(len(ptr) - 1, x.shape[1])
    return torch.nn.functional.embedding_bag(
        index, x, ptr, mode="sum", per_sample_weights=weight, include_last_offset=True
    )


class _NeighborSum(torch.autograd.Function):
    """A x for a symmetric adjacency A, so that the gradient is the same sum: A^T g = A g."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, edge_ptr: Tensor, neighbor: Tensor) -> Tensor:
        ctx.save_for_backward(edge_ptr, neighbor)
        return _gather_sum(x, neighbor, edge_ptr)

    @staticmethod
    def backward(ctx: Context, grad: Tensor) -> Gradients:
        edge_ptr, neighbor = ctx.saved_tensors
        return _NeighborSum.apply(grad.contiguous(), edge_ptr, neighbor), None, None


class _SegmentSum(torch.autograd.Function):
    """Weighted sum of the rows of each segment."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, weight: Tensor | None, ptr: Tensor, segment: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight, segment)
        return _gather_sum(x, torch.arange(len(x), device=x.device), ptr, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: Tensor) -> Gradients:
        x, weight, segment = ctx.saved_tensors
        spread = grad.index_select(0, segment)  # [n, d]
        if weight is None:
            return spread, None, None, None
        return spread * weight[:, None], (spread * x).sum(1), None, None


def neighbor_sum(x: Tensor, edge_ptr: Tensor, neighbor: Tensor) -> Tensor:
    """[n, d] -> [n, d]: each node's sum over its neighbours, A X of Eq. 1."""
    return _NeighborSum.apply(x, edge_ptr, neighbor)


def segment_ids(ptr: Tensor, rows: int) -> Tensor:
    """[rows] the segment of every row."""
    segments = torch.arange(len(ptr) - 1, device=ptr.device)
    return segments.repeat_interleave(ptr.diff(), output_size=rows)


def segment_sum(
    x: Tensor, ptr: Tensor, segment: Tensor | None = None, weight: Tensor | None = None
) -> Tensor:
    """[n, d] (times weight [n]) -> [segments, d]. `segment` [n] may be given to save its making."""
    if segment is None:
        segment = segment_ids(ptr, len(x))
    return _SegmentSum.apply(x, weight, ptr, segment)


def segment_max(x: Tensor, ptr: Tensor) -> Tensor:
    """[n, d] -> [segments, d]: the largest entry; zero for an empty segment."""
    largest = torch.segment_reduce(x, "max", offsets=ptr, axis=0)
    return largest.where(ptr.diff()[:, None] > 0, 0.0)


def segment_softmax(score: Tensor, ptr: Tensor, segment: Tensor, weight: Tensor | None = None) -> Tensor:
    """[n] -> [n]: weight * exp(score), scaled to sum to one in each segment.

    A row of weight 0 counts for nothing; a segment without weight is all zeros.
    """
    top = segment_max(score.detach()[:, None], ptr)[segment, 0]  # any shift is exact
    mass = (score - top).exp()
    if weight is not None:
        mass = mass * weight
    total = segment_sum(mass[:, None], ptr, segment)[segment, 0]
    return mass / total.where(total > 0, 1.0)


def permute_within_graphs(graph_of_node: Tensor, generator: torch.Generator) -> Tensor:
    """Eq. 16: a random order [n] of the nodes in which every graph keeps its places.

    Sorting random numbers and then, stably, by graph draws every order with equal chance.
    """
    noise = _noise(len(graph_of_node), generator)
    order = noise.argsort(stable=True)
    return order[graph_of_node[order].argsort(stable=True)]


def skip(generator: torch.Generator, nodes: int) -> None:
    """Advance the generator as if an order of so many nodes had been drawn."""
    _noise(nodes, generator)


def _noise(nodes: int, generator: torch.Generator) -> Tensor:
    return torch.rand(nodes, generator=generator, dtype=torch.float64)
