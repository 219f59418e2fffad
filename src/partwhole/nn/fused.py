"""The memory-bound steps of a GIN layer, each in one pass over its rows on a CPU.

On other devices the same arithmetic is left to PyTorch's own operations.
"""

from __future__ import annotations

import numba
import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from partwhole.nn import compiled
from partwhole.numerics.autograd import Context, Gradients
from partwhole.parallel import ranks


def _start_numba() -> int:
    """How many threads numba has. Starting them sets those of PyTorch, from the same pool, to as many."""
    threads = torch.get_num_threads()
    most = numba.get_num_threads()
    torch.set_num_threads(threads)
    return most


MOST_THREADS = _start_numba()


def match_threads() -> None:
    """Let the compiled loops use as many threads as PyTorch does."""
    numba.set_num_threads(min(torch.get_num_threads(), MOST_THREADS))


def bias_relu(x: Tensor, bias: Tensor) -> Tensor:
    """max(x + bias, 0). On a CPU `x` is overwritten: give the fresh result of a product."""
    if x.device.type != "cpu":
        return (x + bias).relu()
    return _BiasReLU.apply(x, bias)


def bias_relu_norm(
    x: Tensor, bias: Tensor, share: Tensor, gain: Tensor, shift: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """y = max(x + bias, 0), normalised by its mean and variance over rows weighted by `share` [rows].

    The shares of all ranks add up to one. Returns the normalised rows, the mean and the variance. On a CPU
    `x` is overwritten.
    """
    if x.device.type == "cpu":
        return _BiasReLUNorm.apply(x, bias, share, gain, shift, eps)
    y = (x + bias).relu()
    mean = ranks.summed(share @ y)
    centred = y - mean
    variance = ranks.summed(share @ centred.square())
    return torch.addcmul(shift, centred, gain * (variance + eps).rsqrt()), mean.detach(), variance.detach()


class _BiasReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Context, x: Tensor, bias: Tensor) -> Tensor:
        compiled.add_relu(x.numpy(), bias.detach().numpy())
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: Tensor) -> Gradients:
        (y,) = ctx.saved_tensors
        out = torch.empty_like(y)
        sums = compiled.relu_backward(grad.contiguous().numpy(), y.numpy(), out.numpy())
        return out, torch.from_numpy(sums).to(y.dtype)


class _BiasReLUNorm(torch.autograd.Function):
    """With y the rectified rows and w their shares, x^ = (y - m) / s and z = gain x^ + shift:

    dL/dy_i = gain / s (g_i - w_i (sum_j g_j + x^_i sum_j g_j x^_j)), where w_i = 1 / n is the usual case.
    """

    @staticmethod
    def forward(
        ctx: Context, x: Tensor, bias: Tensor, share: Tensor, gain: Tensor, shift: Tensor, eps: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        y = x.detach()
        moments = compiled.add_relu_moments(y.numpy(), bias.detach().numpy(), share.numpy())
        mean, square = ranks.total(torch.from_numpy(np.stack(moments)))  # in double precision
        variance = (square - mean * mean).clamp_min(0)
        inverse = (variance + eps).rsqrt()
        scale = gain.double() * inverse
        out = torch.empty_like(y)
        offset = (shift - mean * scale).to(y.dtype)
        compiled.scale_shift(
            y.numpy(), scale.to(y.dtype).detach().numpy(), offset.detach().numpy(), out.numpy()
        )
        ctx.save_for_backward(y, share, scale, mean, inverse)
        result = mean.to(y.dtype), variance.to(y.dtype)
        ctx.mark_non_differentiable(*result)
        return out, *result

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: Tensor, *_: Tensor) -> Gradients:
        y, share, scale, mean, inverse = ctx.saved_tensors
        grad = grad.contiguous()
        sums = compiled.norm_backward_sums(grad.numpy(), y.numpy())
        total, product = here = torch.from_numpy(np.stack(sums))
        d_gain = (product - mean * total) * inverse  # sum_j g_j x^_j
        all_total, all_product = ranks.total(here)  # rows of other ranks depend on the same moments
        slope = scale * (all_product - mean * all_total) * inverse * inverse
        constant = scale * all_total - slope * mean
        out = torch.empty_like(y)
        to = y.dtype
        bias = compiled.norm_relu_backward(
            grad.numpy(),
            y.numpy(),
            share.numpy(),
            scale.to(to).numpy(),
            constant.to(to).numpy(),
            slope.to(to).numpy(),
            out.numpy(),
        )
        return out, torch.from_numpy(bias).to(to), None, d_gain.to(to), total.to(to), None
