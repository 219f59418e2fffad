"""Products with sparse matrices whose transpose is at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding_bag

from partwhole.graphs.graph import Movable
from partwhole.nn.compiled import entry_dots
from partwhole.numerics.autograd import Context, Gradients


@dataclass(frozen=True, eq=False)
class Sparse(Movable):
    """A CSR matrix [rows, columns] and its transpose."""

    ptr: Tensor  # [rows + 1] int32
    column: Tensor  # [entries] int32
    weight: Tensor  # [entries] float
    t_ptr: Tensor  # [columns + 1] int32
    t_row: Tensor  # [entries] int32, the row of each entry, column by column
    t_place: Tensor  # [entries] int32, its place in the original order
    t_weight: Tensor | None  # [entries] its weight; None: look it up, the weights change

    @classmethod
    def from_entries(cls, row: Tensor, column: Tensor, weight: Tensor, shape: tuple[int, int]) -> Sparse:
        """The matrix of these entries [entries], which stand in the order of their rows."""
        place = column.argsort(stable=True)
        return cls(
            _pointers(row, shape[0]),
            column.int(),
            weight.contiguous(),
            _pointers(column, shape[1]),
            row[place].int(),
            place.int(),
            weight[place],
        )

    def __matmul__(self, x: Tensor) -> Tensor:
        """[columns, d] -> [rows, d]"""
        return _SparseProduct.apply(x, self.weight.to(x.dtype), self)

    def with_weight(self, weight: Tensor) -> Sparse:
        """The same pattern with other weights, which may want gradients."""
        return Sparse(self.ptr, self.column, weight, self.t_ptr, self.t_row, self.t_place, None)


class _ProductContext(Context, Protocol):
    matrix: Sparse


class _SparseProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: _ProductContext, x: Tensor, weight: Tensor, matrix: Sparse) -> Tensor:
        ctx.save_for_backward(x if ctx.needs_input_grad[1] else None, weight)
        ctx.matrix = matrix
        return _product(x, matrix.column, matrix.ptr, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: _ProductContext, grad: Tensor) -> Gradients:
        x, weight = ctx.saved_tensors
        matrix = ctx.matrix
        grad = grad.contiguous()
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            t_weight = weight[matrix.t_place] if matrix.t_weight is None else matrix.t_weight
            grad_x = _product(grad, matrix.t_row, matrix.t_ptr, t_weight.to(grad.dtype))
        if ctx.needs_input_grad[1]:
            grad_weight = _entry_dots(x, grad, matrix)
        return grad_x, grad_weight, None


def _pointers(index: Tensor, size: int) -> Tensor:
    counts = torch.bincount(index, minlength=size)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)]).int()


def _entry_dots(x: Tensor, grad: Tensor, matrix: Sparse) -> Tensor:
    """[entries]: the gradient of the weights, x[column] . grad[row]"""
    if x.device.type == "cpu":
        out = x.new_empty(len(matrix.column))
        entry_dots(x.numpy(), grad.numpy(), matrix.ptr.numpy(), matrix.column.numpy(), out.numpy())
        return out
    row = torch.repeat_interleave(matrix.ptr.diff(), output_size=len(matrix.column))
    return (x[matrix.column] * grad[row]).sum(1)


def _product(x: Tensor, index: Tensor, ptr: Tensor, weight: Tensor) -> Tensor:
    if len(index) == 0:
        return x.new_zeros(len(ptr) - 1, x.shape[1])
    return embedding_bag(index, x, ptr, mode="sum", per_sample_weights=weight, include_last_offset=True)
