"""A folder that `GraphStore.save` wrote, memory-mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.sources.reading import Reading


@SOURCES.register
class SavedSource(Source):
    about = "a folder saved by GraphStore.save"

    @staticmethod
    def accepts(data: Any) -> bool:
        return isinstance(data, Path) and (data / "schema.json").is_file()

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        return GraphStore.open(data)
