"""The epoch is chosen, and the learning rate lowered, by the error on graphs held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from torch import nn

from partwhole.training.adam import Adam

N = TypeVar("N", bound=nn.Module)


@dataclass
class EpochChoice:
    """What has been seen so far; part of the state to resume from."""

    error: float = float("inf")  # the least so far
    epoch: int = 0  # where that was
    stale: int = 0  # epochs since it, or since the rate was last lowered
    lr: float = 0.0  # 0: that of the configuration


@dataclass(frozen=True)
class Validation(Generic[N]):
    """`error(network)` after every epoch; after `patience` epochs without a better one, `lr_decay`."""

    error: Callable[[N], float]
    lr_decay: float
    patience: int

    def after_epoch(self, network: N, optimizer: Adam, epoch: int, choice: EpochChoice) -> tuple[float, bool]:
        """The error, and whether it is the best so far."""
        error = self.error(network)
        better = error < choice.error
        if better:
            choice.error, choice.epoch, choice.stale = error, epoch, 0
        else:
            choice.stale += 1
            if choice.stale > self.patience:
                optimizer.lr *= self.lr_decay
                choice.stale = 0
        choice.lr = optimizer.lr
        return error, better
