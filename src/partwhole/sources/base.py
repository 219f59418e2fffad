"""What a source is, and the pieces several of them use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from partwhole.graphs.store import GraphStore
from partwhole.sources.reading import Reading


@dataclass(frozen=True)
class Piece:
    """Some of the graphs of a source and, where it is a table, their rows in it."""

    store: GraphStore
    table: pa.Table | None = None


@dataclass(frozen=True)
class Loaded:
    """A piece that is there already."""

    piece: Piece

    def read(self, reading: Reading) -> Piece:
        return self.piece


class Shard(Protocol):
    """Some of the graphs of a source, not yet read: small, and fit to be sent to another process."""

    def read(self, reading: Reading) -> Piece: ...


class Source:
    """One kind of input: a path or objects in memory."""

    about: str  # completes "… is none of: "
    has_smiles_column = False

    @staticmethod
    def accepts(data: Any) -> bool:
        """Whether this source reads such data; cheap, and False rather than an error."""
        raise TypeError("a source defines accepts")

    @staticmethod
    def read(data: Any, reading: Reading) -> GraphStore:
        """Read all of it, as `reading` says."""
        raise TypeError("a source defines read")

    @classmethod
    def shards(cls, data: Any, reading: Reading) -> Iterator[Shard]:
        """The same graphs a few thousand at a time, where the source can; for sets larger than memory."""
        yield Whole(cls, data)

    @staticmethod
    def count(data: Any) -> int | None:
        """How many graphs there are, where that is known without reading them."""
        return None


@dataclass(frozen=True)
class Whole:
    """All graphs of a source."""

    source: type[Source]
    data: Any

    def read(self, reading: Reading) -> Piece:
        return Piece(self.source.read(self.data, reading))


def is_file_of(data: Any, endings: tuple[str, ...]) -> bool:
    """A file whose name ends so, in whatever case."""
    return isinstance(data, Path) and data.is_file() and data.name.lower().endswith(endings)


def all_of(data: Any, test: Callable[[Any], bool]) -> bool:
    """True for a non-empty list or tuple (or object array) whose first item that is not missing passes.

    Only that one is looked at: a mixed list gets a clear error from the reader instead.
    """
    if isinstance(data, str | bytes) or not isinstance(data, Sequence | np.ndarray) or len(data) == 0:
        return False
    return test(next((item for item in data if item is not None), None))
