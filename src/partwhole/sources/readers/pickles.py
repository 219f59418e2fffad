"""Files that run code when they are opened: refused, with what to do instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.sources.reading import Reading

INSTEAD = {
    (".pkl", ".pickle", ".gpickle"): "write its graphs with networkx.write_graphml into a folder",
    (".pt", ".pth"): "give its list of PyTorch Geometric Data to `load_graphs(…).save(FOLDER)` in Python",
    (".joblib", ".npy", ".npz"): "write its graphs as GraphML, or as a table with graph, source and target",
}


@SOURCES.register
class Pickles(Source):
    about = "no pickle, which is never opened"

    @staticmethod
    def accepts(data: Any) -> bool:
        return isinstance(data, Path) and any(data.suffix.lower() in kinds for kinds in INSTEAD)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        cure = next(text for kinds, text in INSTEAD.items() if data.suffix.lower() in kinds)
        raise PartwholeError(f"{data} may run any code when it is opened, and is not; {cure} instead.")
