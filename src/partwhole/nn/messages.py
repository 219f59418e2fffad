"""The messages of a GINE layer: each neighbour's vector, shifted by what the edge says, and rectified.

    m_i = sum_j max(x_j + t_p(ij), 0)

Edges are few patterns p (of bonds a few dozen), each with a row of the table t. On a CPU no vector of an edge
is ever made: one pass forward, one backward. On other devices PyTorch's own operations do the same.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from partwhole.nn import compiled
from partwhole.numerics.autograd import Context, Gradients
from partwhole.numerics.segment import segment_ids


def edge_messages(x: Tensor, table: Tensor, pattern: Tensor, edge_ptr: Tensor, neighbor: Tensor) -> Tensor:
    """[n, d] -> [n, d], with t [P, d] and the pattern [e] of every entry of the CSR."""
    if x.device.type == "cpu":
        return _EdgeMessages.apply(x, table, pattern, edge_ptr, neighbor)
    heard = (x[neighbor] + table[pattern]).relu()  # [e, d]
    return torch.zeros_like(x).index_add(0, segment_ids(edge_ptr, len(neighbor)), heard)


class _EdgeMessages(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, x: Tensor, table: Tensor, pattern: Tensor, edge_ptr: Tensor, neighbor: Tensor
    ) -> Tensor:
        x, table, out = x.contiguous(), table.contiguous(), torch.empty_like(x)
        ends = edge_ptr.numpy(), neighbor.numpy()
        compiled.edge_messages(
            x.detach().numpy(), table.detach().numpy(), pattern.numpy(), *ends, out.numpy()
        )
        ctx.save_for_backward(x, table, pattern, edge_ptr, neighbor)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: Tensor) -> Gradients:
        x, table, *structure = ctx.saved_tensors
        d_x, d_table = torch.zeros_like(x), torch.zeros_like(table)
        pattern, edge_ptr, neighbor = (index.numpy() for index in structure)
        seen = x.detach().numpy(), table.detach().numpy(), pattern, edge_ptr, neighbor
        compiled.edge_messages_backward(grad.contiguous().numpy(), *seen, d_x.numpy(), d_table.numpy())
        return d_x, d_table, None, None, None
