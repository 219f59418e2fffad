"""The small layers everything is built from."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from partwhole.nn.fused import bias_relu, bias_relu_norm
from partwhole.numerics.segment import segment_sum
from partwhole.parallel import ranks

TILT = 0.1  # of a weight that begins near the mean of all


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """A linear layer, Xavier-uniform with zero bias, as InfoGraph and its successors start."""
    layer = nn.Linear(inputs, outputs, bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class MLP(nn.Sequential):
    """Linear, ReLU, Linear."""

    def __init__(self, inputs: int, hidden: int, outputs: int):
        super().__init__(linear(inputs, hidden), nn.ReLU(), linear(hidden, outputs))

    def sum_over(self, x: Tensor, ptr: Tensor) -> Tensor:
        """The sum of its outputs over each segment; the last layer is linear, so it comes after the sum."""
        first, relu, last = self
        assert isinstance(last, nn.Linear)
        hidden = segment_sum(relu(first(x)), ptr)
        return hidden @ last.weight.T + ptr.diff()[:, None] * last.bias


class StackConv(nn.Module):
    """A (K, 1) convolution with one channel in and out over K slices (Eq. 4, 5, 10).

    Such a kernel is one learned weight per slice and one bias, shared by all features:
    out = sum_k w_k x_k + b. It starts as `Conv2d(1, 1, (K, 1))` does, or `even`, near the mean of the slices:
    by exactly the mean of parts that share out all nodes, nobody could tell how they are divided.
    """

    def __init__(self, slices: int, *, even: bool = False):
        super().__init__()
        bound = slices**-0.5
        self.weight = nn.Parameter(torch.empty(slices).uniform_(-bound, bound))  # [K]
        self.bias = nn.Parameter(torch.empty(1).uniform_(-bound, bound))
        if even:
            with torch.no_grad():
                self.weight.mul_(TILT / bound).add_(1).div_(slices)
            nn.init.zeros_(self.bias)

    def forward(self, slices: Sequence[Tensor]) -> Tensor:
        """K tensors [n, d] -> [n, d]"""
        out = self.bias + self.weight[0] * slices[0]
        for weight, x in zip(self.weight[1:], slices[1:], strict=True):
            out = torch.addcmul(out, weight, x)
        return out


class ReLUNorm(nn.BatchNorm1d):
    """BatchNorm(ReLU(x + bias)) over nodes, where a row may stand for `sizes` [rows] equal nodes.

    Weighting the moments by the sizes gives exactly the statistics of the nodes, those of all ranks. A
    batch of fewer than two nodes uses the running statistics. `x` is overwritten.
    """

    def forward(self, x: Tensor, bias: Tensor, sizes: Tensor | None = None) -> Tensor:  # type: ignore[override]
        """[rows, d] -> [rows, d]; in training the running statistics move on."""
        assert self.running_mean is not None
        assert self.running_var is not None
        nodes = len(x) if sizes is None else float(sizes.sum())
        if self.training:
            nodes = float(ranks.total(torch.tensor(float(nodes), dtype=torch.float64, device=x.device)))
        if not self.training or nodes < 2:
            scale = self.weight * (self.running_var + self.eps).rsqrt()
            return torch.addcmul(self.bias - self.running_mean * scale, bias_relu(x, bias), scale)
        if sizes is None:
            sizes = x.new_ones(len(x))
        share = sizes.to(x.dtype) / nodes
        out, mean, variance = bias_relu_norm(x, bias, share, self.weight, self.bias, self.eps)
        with torch.no_grad():
            assert self.num_batches_tracked is not None
            assert self.momentum is not None
            self.num_batches_tracked += 1
            self.running_mean.lerp_(mean, self.momentum)
            unbiased = variance * (nodes / (nodes - 1))  # as PyTorch keeps it
            self.running_var.lerp_(unbiased, self.momentum)
        return out
