"""What a fit learned, whatever the method: it makes vectors of graphs, and can be kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

import numpy as np
from torch import Tensor, nn

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore

EMBED_GRAPHS = 512  # graphs embedded at a time; the more, the more classes they share


class Encoder(ABC):
    """Graphs to vectors. Stores that it is given have the schema of the fit."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Columns of a vector."""

    @abstractmethod
    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[n, width] float32, a few graphs at a time, in their order."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """All that was learned, by name, as a run folder keeps it."""

    @property
    def views(self) -> Mapping[str, slice]:
        """Which columns of a vector say what; most encoders have one view."""
        return {"vectors": slice(0, self.width)}

    @property
    def model(self) -> nn.Module | None:
        """The network that gives the vectors, where there is one."""
        return None

    @property
    def learns_subgraphs(self) -> bool:
        """Whether a subgraph generator has a part in training."""
        return False

    def memberships(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[S, nodes] of each graph: how much of each node each subgraph holds."""
        raise PartwholeError(
            "This model learned no subgraphs; fit with subgraph-infomax, and with a weight above 0 where "
            "there are labels."
        )


class PieceEncoder(Encoder):
    """One that needs only to know how a few graphs are embedded at once."""

    @abstractmethod
    def embed(self, store: GraphStore) -> np.ndarray:
        """[n, width] float32 of a few graphs."""

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """Embed piece after piece."""
        for piece in pieces(store):
            yield self.embed(piece)
            store.release_pages()


class Predictor(Encoder):
    """One that also tells what a task makes predictions of."""

    @abstractmethod
    def outputs(self, store: GraphStore) -> Tensor:
        """[graphs, outputs] as the task wants them: standardised numbers, or scores of classes."""


def pieces(store: GraphStore) -> Iterator[GraphStore]:
    """A store `EMBED_GRAPHS` graphs at a time."""
    for start in range(0, len(store), EMBED_GRAPHS):
        yield store[start : start + EMBED_GRAPHS]


def require_finite(vectors: np.ndarray, ids: np.ndarray) -> None:
    """Raise where a vector is no numbers; ids are those of the graphs."""
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise PartwholeError(
            f"The vector of graph {ids[bad[0]]} is not finite: its attributes are too large; scale them "
            "down, or leave the graph out."
        )
