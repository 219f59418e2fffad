"""What PyTorch hands to the two passes of an operation that has a backward pass of its own."""

from __future__ import annotations

from typing import Any, Protocol

from torch import Tensor

Gradients = tuple[Tensor | None, ...]  # one for each argument of the forward pass


class Context(Protocol):
    """The first argument of `forward` and `backward`: what the one keeps for the other."""

    saved_tensors: tuple[Any, ...]  # tensors, or None where None was kept
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors; they come back as `saved_tensors`."""
        ...

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Tell that these inputs were overwritten."""
        ...

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Tell that no gradient flows through these outputs."""
        ...
