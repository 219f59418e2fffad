"""Graphs in memory, as people hold them: a list, one graph alone, or a collection of another package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
from torch.utils.data import Dataset

from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.graphs.values import plain
from partwhole.sources.frames import is_frame, is_series


def as_items(data: object) -> object:
    """A list of the graphs; names, paths, stores and tables stay as they are."""
    if isinstance(data, str | Path | GraphStore | list | tuple) or is_frame(data):
        return data
    if is_series(data) or (isinstance(data, np.ndarray) and data.dtype != object):
        return [plain(item) for item in data.tolist()]
    if hasattr(data, "to_data_list"):  # a Batch of PyTorch Geometric
        return data.to_data_list()
    if isinstance(data, Dataset):  # of PyTorch, as those of PyTorch Geometric are
        return [data[i] for i in range(len(data))]  # type: ignore[arg-type]
    if isinstance(data, Graph | nx.Graph) or hasattr(data, "GetAtoms") or hasattr(data, "edge_index"):
        return [data]
    return list(data) if isinstance(data, Iterator) else data
