"""What is trained, said in one value: the network, what a step makes small, and where batches come from."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.training.validation import Validation

RISING = 0.05  # of all steps, where the rate is annealed

N_contra = TypeVar("N_contra", bound=nn.Module, contravariant=True)
N = TypeVar("N", bound=nn.Module)
B = TypeVar("B", bound="StepBatch")
B_co = TypeVar("B_co", bound="StepBatch", covariant=True)


class StepBatch(Protocol):
    """What a step sees: graphs that can go to a device."""

    @property
    def num_graphs(self) -> int:
        """Graphs that a mean over the step counts."""
        ...

    def to(self, device: torch.device) -> Self:
        """The same on another device."""
        ...


class Feed(Protocol[B_co]):
    """Where the batches of an epoch come from; a feed can start at any step of any epoch."""

    def steps(self) -> int:
        """Steps of an epoch."""
        ...

    def batch(self, epoch: int, step: int) -> B_co:
        """What the objective gets in this step."""
        ...

    def graphs_of(self, epoch: int, step: int) -> GraphStore:
        """The graphs of that batch, on all ranks."""
        ...

    def release(self) -> None:
        """Give back memory after a step."""
        ...


class Objective(ABC, Generic[N_contra, B]):
    """What training makes small."""

    @abstractmethod
    def __call__(self, network: N_contra, batch: B) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, and scalars to log, `loss` among them."""

    def after_step(self, network: N_contra) -> None:
        """Called when the optimiser has moved the network."""


def nothing_beside() -> Mapping[str, Tensor]:
    """The weights of most networks are all that is kept."""
    return {}


@dataclass(frozen=True)
class TrainingPlan(Generic[N, B]):
    """All that the trainer needs to know of a method."""

    network: N
    objective: Objective[N, B]
    feed: Feed[B]
    validation: Validation[N] | None = None
    finish: Callable[[], Mapping[str, Tensor]] = nothing_beside  # what else makes the weights of now whole


class ScheduleOptions(Protocol):
    """The options that say how long and how fast."""

    epochs: int
    lr: float
    snapshot_every: int
    device: str


@dataclass(frozen=True)
class Schedule:
    """How long and how fast a plan is carried out, and where."""

    epochs: int
    lr: float = 1e-3
    snapshot_every: int = 0  # epochs; 0: never
    device: torch.device = torch.device("cpu")
    anneal: bool = False  # the rate rises to `lr` over the first steps, and falls to 0 with the last

    @classmethod
    def of(cls, options: ScheduleOptions, *, anneal: bool = False) -> Schedule:
        """The schedule that the options of a fit say."""
        device = choose_device(options.device)
        return cls(options.epochs, options.lr, options.snapshot_every, device, anneal)

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step, counted from the first, of so many."""
        done = (step + 1) / max(steps, 1)
        if done < RISING:
            return self.lr * done / RISING
        return self.lr * (1 + math.cos(math.pi * (done - RISING) / (1 - RISING))) / 2


def choose_device(name: str) -> torch.device:
    """The device that an option names; `auto` is a GPU where there is one."""
    if name == "cuda" and not torch.cuda.is_available():
        raise PartwholeError("No CUDA device was found; use `--device cpu` or `auto`.")
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())  # of several ranks each has its own
