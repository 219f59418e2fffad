"""Files that run code when they are opened: refused, with what to do instead."""

from __future__ import annotations

from pathlib import Path

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
class PickleRefusal(Source[Path]):
    """Files that may be pickles: accepted so that the error says what to do instead."""

    reads = "no pickle, which is never opened"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether the name ends as those of pickles do."""
        return isinstance(data, Path) and any(data.suffix.lower() in endings for endings in INSTEAD)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Raise, with another way to bring the graphs."""
        cure = next(text for endings, text in INSTEAD.items() if data.suffix.lower() in endings)
        raise PartwholeError(f"{data} may run any code when it is opened, and is not; {cure} instead.")
