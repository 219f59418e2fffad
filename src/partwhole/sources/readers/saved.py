"""A folder that `GraphStore.save` wrote, memory-mapped."""

from __future__ import annotations

from pathlib import Path

from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.sources.reading import Reading


@SOURCES.register
class SavedSource(Source[Path]):
    """A saved store."""

    reads = "a folder saved by GraphStore.save"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether the folder has the `schema.json` of a store."""
        return isinstance(data, Path) and (data / "schema.json").is_file()

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Map the columns; nothing is copied until it is used."""
        return GraphStore.open(data)
