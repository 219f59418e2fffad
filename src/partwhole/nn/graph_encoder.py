"""What every network that is trained here can do in the end: give vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from torch import Tensor, nn


class GraphEncoder(nn.Module, ABC):
    """A network that gives a vector for each graph of a batch."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Columns of a vector."""

    @abstractmethod
    def embed(self, batch: Any) -> Tensor:
        """[B, width], from the kind of batch that the network takes."""
