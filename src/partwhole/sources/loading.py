"""`load_graphs`: a name, a path or objects in memory, to a `GraphStore`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graph import Graph
from partwhole.registry import SOURCES
from partwhole.schema import Schema
from partwhole.sources import catalogue
from partwhole.sources.base import Loaded, Piece, Shard, all_of
from partwhole.sources.reading import Reading
from partwhole.sources.recoding import recoded
from partwhole.store import GraphStore


def load_graphs(
    data: Any, *, schema: Schema | None = None, strict: bool = True, fallback: bool = False
) -> GraphStore:
    """Graphs from a data set name, a path, or a list of objects.

    Objects may be `Graph`s, PyTorch Geometric `Data`, networkx graphs, SMILES strings or RDKit molecules.
    With the `schema` of a fitted model, new graphs are encoded as that model learned them, and what it
    cannot know is an error; with `fallback` it counts as missing. What cannot be read is an error;
    without `strict` it is left out. Both, and what else is worth knowing, is told by warnings.
    """
    reading = Reading(schema, strict, fallback)
    store = read_graphs(data, reading)
    for note in reading.told():
        warnings.warn(note, stacklevel=2)
    return store


def read_graphs(data: Any, reading: Reading) -> GraphStore:
    """`load_graphs`; what there is to say about the graphs stands in `reading` afterwards."""
    if isinstance(data, GraphStore):
        store = data
    elif isinstance(data, Graph):
        store = GraphStore.from_graphs([data])
    elif all_of(data, lambda item: isinstance(item, Graph)):
        store = GraphStore.from_graphs(list(data))
    else:
        source = _source_of(data)
        store = catalogue.load(str(data)) if source is None else source.read(_place(data), reading)
        if isinstance(data, str | Path) and source is not None:
            store = replace(store, origin=str(Path(data).absolute()))
    if len(store) == 0:
        raise PartwholeError(f"The data set {store.name!r} holds no graphs; give at least one.")
    return store if reading.schema is None else recoded(store, reading.schema, reading)


def shards_of(data: Any, reading: Reading) -> tuple[Iterator[Shard], int | None]:
    """The same graphs a few thousand at a time where the source can, for `read_shard`, and the number of all
    where it is known beforehand."""
    source = _source_of(data) if isinstance(data, str | Path) else None
    if source is None:
        store = read_graphs(data, reading)
        return iter([Loaded(Piece(store))]), len(store)
    place = _place(data)
    return source.shards(place, reading), source.count(place)


def read_shard(shard: Shard, reading: Reading) -> tuple[Piece, Reading]:
    """In whatever process; what there is to say stands in the reading that comes back."""
    piece = shard.read(reading)
    if reading.schema is not None:
        piece = replace(piece, store=recoded(piece.store, reading.schema, reading))
    return piece, reading


def _place(data: Any) -> Any:
    return Path(data) if isinstance(data, str) else data


def _source_of(data: Any) -> Any:
    """The source that reads such data; None for the name of a data set."""
    if not isinstance(data, str | Path):
        if hasattr(data, "__len__") and len(data) == 0:
            raise PartwholeError("There are no graphs; give at least one.")
        source = _accepting(data)
        if source is None:
            first = type(data[0]).__name__ if isinstance(data, list | tuple | np.ndarray) else ""
            what = f"{type(data).__name__}{' of ' + first if first else ''}"
            raise PartwholeError(
                f"Cannot read graphs from a {what}; give a list of PyTorch Geometric Data, networkx graphs, "
                "SMILES strings or RDKit molecules, a path, or the name of a data set."
            )
        return source
    path = Path(data)
    if not exists(path):
        if isinstance(data, Path) or "/" in str(data) or path.suffix:
            raise PartwholeError(f"There is no file or folder {path}; check the path.")
        return None
    source = _accepting(path)
    if source is None:
        kinds = "; ".join(SOURCES.get(name).about for name in SOURCES)
        raise PartwholeError(f"{path} is none of: {kinds}; check the path.")
    return source


def exists(path: Path) -> bool:
    """Also of texts that cannot be a path, such as a long SMILES string."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _accepting(data: Any) -> Any:
    sources = (SOURCES.get(name) for name in SOURCES)
    return next((source for source in sources if source.accepts(data)), None)
