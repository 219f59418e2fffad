"""`load_graphs`: a name, a path or objects in memory, to a `GraphStore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from partwhole.errors import PartwholeError
from partwhole.graph import Graph
from partwhole.registry import SOURCES
from partwhole.schema import Schema
from partwhole.sources import catalogue
from partwhole.sources.base import all_of
from partwhole.store import GraphStore


def load_graphs(data: Any, *, schema: Schema | None = None) -> GraphStore:
    """Graphs from a data set name, a path, or a list of objects.

    Objects may be `Graph`s, PyTorch Geometric `Data`, networkx graphs, SMILES strings or RDKit
    molecules. With the `schema` of a fitted model, new objects are encoded as that model learned
    them, and what it cannot know is an error.
    """
    if isinstance(data, GraphStore):
        store = data
    elif isinstance(data, Graph):
        store = GraphStore.from_graphs([data])
    elif all_of(data, lambda item: isinstance(item, Graph)):
        store = GraphStore.from_graphs(list(data))
    elif isinstance(data, str | Path):
        store = _load_named(data, schema)
    else:
        store = _load_objects(data, schema)
    if len(store) == 0:
        raise PartwholeError(f"The data set {store.name!r} holds no graphs; give at least one.")
    if schema is not None:
        schema.require_same_inputs(store.schema)
    return store


def _load_named(data: str | Path, schema: Schema | None) -> GraphStore:
    path = Path(data)
    if path.exists():
        store = _ask_sources(path, schema)
        if store is None:
            kinds = "; ".join(SOURCES.get(name).about for name in SOURCES)
            raise PartwholeError(f"{path} is none of: {kinds}; check the path.")
        return store
    if isinstance(data, Path) or "/" in str(data) or path.suffix:
        raise PartwholeError(f"There is no file or folder {path}; check the path.")
    return catalogue.load(str(data))


def _load_objects(data: Any, schema: Schema | None) -> GraphStore:
    if hasattr(data, "__len__") and len(data) == 0:
        raise PartwholeError("There are no graphs; give at least one.")
    store = _ask_sources(data, schema)
    if store is not None:
        return store
    first = type(data[0]).__name__ if hasattr(data, "__getitem__") and len(data) else ""
    what = f"{type(data).__name__}{' of ' + first if first else ''}"
    raise PartwholeError(
        f"Cannot read graphs from a {what}; give a list of PyTorch Geometric Data, networkx graphs, "
        "SMILES strings or RDKit molecules, a path, or the name of a data set."
    )


def _ask_sources(data: Any, schema: Schema | None) -> GraphStore | None:
    """The store of the first source that takes such data; None when none does."""
    for name in SOURCES:
        source = SOURCES.get(name)
        if source.accepts(data):
            store: GraphStore = source.read(data, schema)
            return store
    return None
