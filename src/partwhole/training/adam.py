"""Adam (Kingma & Ba 2015), as the paper trains.

PyTorch's own optimisers load its compiler when they are made, which takes longer than the first
epoch of a small data set. This is the same update in a few calls over all parameters at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn


class Adam:
    """m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,  p <- p - lr m^ / (sqrt(v^) + eps)."""

    def __init__(
        self,
        parameters: Iterable[tuple[str, nn.Parameter]],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ):
        self.names, self.parameters = zip(*parameters)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.steps = 0
        self.first = [torch.zeros_like(p) for p in self.parameters]  # m
        self.second = [torch.zeros_like(p) for p in self.parameters]  # v

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """A parameter without a gradient (a hard selection's W) has a gradient of zero."""
        self.steps += 1
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters]
        b1, b2 = self.betas
        torch._foreach_lerp_(self.first, gradients, 1 - b1)
        torch._foreach_mul_(self.second, b2)
        torch._foreach_addcmul_(self.second, gradients, gradients, 1 - b2)
        scale = torch._foreach_sqrt(self.second)
        torch._foreach_div_(scale, (1 - b2**self.steps) ** 0.5)
        torch._foreach_add_(scale, self.eps)
        torch._foreach_addcdiv_(self.parameters, self.first, scale, -self.lr / (1 - b1**self.steps))

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on, by name."""
        moments = {f"first.{n}": m for n, m in zip(self.names, self.first)}
        moments |= {f"second.{n}": v for n, v in zip(self.names, self.second)}
        return moments | {"steps": torch.tensor(self.steps)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Take back what `state` gave."""
        for name, first, second in zip(self.names, self.first, self.second):
            first.copy_(state[f"first.{name}"])
            second.copy_(state[f"second.{name}"])
        self.steps = int(state["steps"])
