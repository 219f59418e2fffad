"""What a source is, and the pieces several of them use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from partwhole.graphs.store import GraphStore
from partwhole.sources.reading import Reading

Data = TypeVar("Data")  # what a source reads


@dataclass(frozen=True)
class Piece:
    """Some of the graphs of a source and, where it is a table, their rows in it."""

    store: GraphStore
    table: pa.Table | None = None


class Shard(Protocol):
    """Some of the graphs of a source, not yet read: small, and fit to be sent to another process."""

    def read(self, reading: Reading) -> Piece:
        """Read these graphs; `reading` tells how, and takes what there is to say."""
        ...


class Source(ABC, Generic[Data]):
    """One form of input: a path or objects in memory. A subclass reads it."""

    reads: str  # a phrase for what it reads, which completes the error "… is none of: "
    has_smiles_column = False

    @staticmethod
    @abstractmethod
    def accepts(data: object) -> bool:
        """Whether this source reads such data; cheap, and False rather than an error."""

    @staticmethod
    @abstractmethod
    def read(data: Data, reading: Reading) -> GraphStore:
        """Read all of it, as `reading` says."""

    @classmethod
    def shards(cls, data: Data, reading: Reading) -> Iterator[Shard]:
        """The same graphs a few thousand at a time, where the source can; for sets larger than memory."""
        yield WholeShard(cls, data)

    @staticmethod
    def count(data: Data) -> int | None:
        """How many graphs there are, where that is known without reading them."""
        return None


@dataclass(frozen=True)
class LoadedShard:
    """A shard that has been read already."""

    piece: Piece

    def read(self, reading: Reading) -> Piece:
        """Give the piece as it is."""
        return self.piece


@dataclass(frozen=True)
class WholeShard(Generic[Data]):
    """All graphs of a source in one shard."""

    source: type[Source[Data]]
    data: Data

    def read(self, reading: Reading) -> Piece:
        """Read all graphs."""
        return Piece(self.source.read(self.data, reading))


def is_file_of(data: object, endings: tuple[str, ...]) -> bool:
    """Whether it is a file whose name ends so, in whatever case."""
    return isinstance(data, Path) and data.is_file() and data.name.lower().endswith(endings)


def all_of(data: object, test: Callable[[object], bool]) -> bool:
    """True for a non-empty list or tuple (or object array) whose first item that is not missing passes.

    Only that one is looked at: a mixed list gets a clear error from the reader instead.
    """
    if isinstance(data, str | bytes) or not isinstance(data, Sequence | np.ndarray) or len(data) == 0:
        return False
    return test(next((item for item in data if item is not None), None))
