"""The small layers everything is built from."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


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


class StackConv(nn.Module):
    """A (K, 1) convolution with one channel in and out over K slices (Eq. 4, 5, 10).

    Such a kernel is one learned weight per slice and one bias, shared by all features:
    out = sum_k w_k x_k + b. It starts as `Conv2d(1, 1, (K, 1))` does.
    """

    def __init__(self, slices: int):
        super().__init__()
        bound = slices**-0.5
        self.weight = nn.Parameter(torch.empty(slices).uniform_(-bound, bound))  # [K]
        self.bias = nn.Parameter(torch.empty(1).uniform_(-bound, bound))

    def forward(self, slices: Sequence[Tensor]) -> Tensor:
        """K tensors [n, d] -> [n, d]"""
        out = self.bias + self.weight[0] * slices[0]
        for weight, x in zip(self.weight[1:], slices[1:], strict=True):
            out = torch.addcmul(out, weight, x)
        return out


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation over rows; a batch of fewer than two rows uses the running statistics."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) < 2:
            return nn.functional.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.eps
            )
        return super().forward(x)
