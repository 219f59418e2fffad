"""What a head is: it learns from vectors and labels, and says numbers or shares of classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

Views = Mapping[str, slice]  # name -> columns of a vector
MODELS = "linear", "gaussian-process", "forest"  # what heads are called


@dataclass(frozen=True)
class Said:
    """What a head says of n graphs."""

    mean: np.ndarray  # [n, outputs] standardised numbers, or shares of classes
    deviation: np.ndarray | None = None  # [n, outputs] of numbers, where the head can tell


class Head(ABC):
    """A fitted head. Labels are [n, outputs]: standardised numbers, or a 1 in the column of the class."""

    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def fit(cls, x: np.ndarray, y: np.ndarray, views: Views, *, classes: bool, seed: int) -> Self:
        """From vectors [n, d], whose columns are `views`."""

    @abstractmethod
    def say(self, x: np.ndarray) -> Said:
        """Of vectors [n, d]."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """What is kept."""

    @classmethod
    @abstractmethod
    def restored(cls, arrays: Mapping[str, np.ndarray], views: Views) -> Self:
        """What `arrays` gave, again."""
