"""A folder that `GraphStore.save` wrote, memory-mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.store import GraphStore


def _is_store(data: Any) -> bool:
    return isinstance(data, Path) and (data / "schema.json").is_file()


SOURCES.register("store")(
    Source("a folder saved by GraphStore.save", _is_store, lambda path, _: GraphStore.open(path))
)
