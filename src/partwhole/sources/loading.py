"""`load_graphs`: a name, a path or objects in memory, to a `GraphStore`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.graphs.graph import Graph
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import LoadedShard, Piece, Shard, all_of
from partwhole.sources.datasets import catalogue
from partwhole.sources.items import as_items
from partwhole.sources.readers import ASKED_IN_ORDER
from partwhole.sources.reading import Reading
from partwhole.sources.recoding import recoded


def load_graphs(
    data: Any,
    *,
    schema: Schema | None = None,
    strict: bool = True,
    fallback: bool = False,
    smiles_column: str | None = None,
    categorical: Sequence[str] = (),
) -> GraphStore:
    """Read graphs from the name of a data set, a path, or objects in memory.

    What is left out, what counts as missing, and what else is worth knowing is told by warnings.

    Parameters
    ----------
    data : str, Path or objects
        The name of a data set, as `partwhole datasets` lists them. A file or folder: a TU set, a table with a
        column of SMILES or with the columns graph, source and target, SMILES, SDF, GraphML, GML, node-link
        JSON, lists of edges, a saved store. Objects: PyTorch Geometric `Data` (a list, a `Batch` or a data
        set), networkx graphs, SMILES strings, RDKit molecules, `Graph`s, or one of these alone; a `Series` of
        pandas that holds such; a `DataFrame` with the columns of such a table.
    schema : Schema, optional
        That of a fitted model (`model.schema_`): new graphs are encoded as the model learned them, and what
        it cannot know is an error.
    strict : bool
        Whether a graph that cannot be read is an error. Otherwise it is left out, and `store.rows` tells the
        places of the graphs that are there.
    fallback : bool
        With a schema, let what the model never saw count as missing.
    smiles_column : str, optional
        The column of a table that holds SMILES; otherwise it is found by its name or its content.
    categorical : sequence of str
        Attributes whose whole numbers name categories, such as the codes of OGB: `["x", "edge_attr"]`.

    Returns
    -------
    GraphStore
        The graphs with their attributes and targets.

    Raises
    ------
    PartwholeError
        Where the data cannot be read, with cause and cure in one sentence.

    Examples
    --------
    >>> import networkx as nx
    >>> from partwhole import load_graphs
    >>> ring, path = nx.cycle_graph(5), nx.path_graph(4)
    >>> nx.set_node_attributes(ring, "red", "tint")
    >>> nx.set_node_attributes(path, "blue", "tint")
    >>> load_graphs([ring, path])
    GraphStore('graphs': 2 graphs, 9 nodes, 8 edges; node: tint (2 categories))
    """
    named = (categorical,) if isinstance(categorical, str) else tuple(categorical)
    reading = Reading(schema, strict, fallback, smiles_column=smiles_column, categorical=named)
    store = read_graphs(data, reading)
    for note in reading.told():
        warnings.warn(note, stacklevel=2)
    return store


def read_graphs(data: Any, reading: Reading) -> GraphStore:
    """Read graphs as `load_graphs` does; what there is to say of them stands in `reading` afterwards."""
    store = read_as_given(data, reading)
    return store if reading.schema is None else recoded(store, reading.schema, reading)


def read_as_given(data: Any, reading: Reading) -> GraphStore:
    """Read graphs in the columns that the data has itself; a model need not know all of their values."""
    data = as_items(data)
    source = None
    if isinstance(data, GraphStore):
        store = data
    elif all_of(data, lambda item: isinstance(item, Graph)):
        store = GraphStore.from_graphs(list(data))
    else:
        source = _source_of(data)
        store = catalogue.load(str(data)) if source is None else source.read(_place(data), reading)
        if isinstance(data, str | Path) and source is not None:
            store = replace(store, origin=str(Path(data).absolute()))
    if len(store) == 0:
        raise PartwholeError(f"The data set {store.name!r} holds no graphs; give at least one.")
    _require_used(reading, source, store)
    return store


def _require_used(reading: Reading, source: Any, store: GraphStore) -> None:
    """Raise where something was asked for that this data has not."""
    if reading.smiles_column is not None and not getattr(source, "has_smiles_column", False):
        raise PartwholeError(
            f"{store.name!r} is not a table of molecules, and has no column {reading.smiles_column!r}; leave "
            "the name of the column out."
        )
    columns = {column.name: column for column in (*store.schema.node, *store.schema.edge)}
    for name in reading.categorical:
        of_name = [c for c in columns.values() if c.name == name or c.name.rstrip("0123456789") == name]
        if not any(column.is_categorical for column in of_name):
            raise PartwholeError(
                f"No attribute {name!r} can be read as categories.{near_miss(name, columns)}"
            )


def shards_of(data: Any, reading: Reading) -> tuple[Iterator[Shard], int | None]:
    """The same graphs a few thousand at a time where the source can, for `read_shard`, and the number of all
    where it is known beforehand."""
    source = _source_of(data) if isinstance(data, str | Path) else None
    if source is None or (reading.smiles_column is not None and not source.has_smiles_column):
        store = read_graphs(data, reading)
        return iter([LoadedShard(Piece(store))]), len(store)
    place = _place(data)
    return source.shards(place, reading), source.count(place)


def read_shard(shard: Shard, reading: Reading) -> tuple[Piece, Reading]:
    """Read a shard in whatever process; what there is to say stands in the reading that comes back."""
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
                "SMILES strings or RDKit molecules, a DataFrame, a path, or the name of a data set."
            )
        return source
    path = Path(data)
    if not exists(path):
        if isinstance(data, Path) or "/" in str(data) or path.suffix:
            raise PartwholeError(f"There is no file or folder {path}; check the path.")
        return None
    source = _accepting(path)
    if source is None:
        known = "; ".join(source.reads for _, source in _readers())
        raise PartwholeError(f"{path} is none of: {known}; check the path.")
    return source


def exists(path: Path) -> bool:
    """Whether there is such a file; False for texts that cannot be a path, such as long SMILES."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _accepting(data: Any) -> Any:
    return next((source for name, source in _readers() if _accepts(name, source, data)), None)


def _readers() -> Iterator[tuple[str, Any]]:
    """Those of users first, so that they may take over what ours would read."""
    theirs = [name for name in SOURCES if name not in SOURCES.shipped]
    unlisted = sorted(SOURCES.shipped.difference(ASKED_IN_ORDER))
    return SOURCES.entries([*theirs, *ASKED_IN_ORDER, *unlisted])


def _accepts(name: str, source: Any, data: Any) -> bool:
    """One of a user that fails here would stop the reading of whatever there is; it is passed over."""
    try:
        return bool(source.accepts(data))
    except Exception as error:
        if name in SOURCES.shipped:
            raise
        reason = f"{type(error).__name__}: {error}"
        warnings.warn(f"The source {name!r} cannot tell whether it reads this ({reason}).", stacklevel=2)
        return False
