"""Plain counts: what can be had of a graph without any method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options
from partwhole.estimators.base import GraphMethod
from partwhole.estimators.graph_kernels.base import node_labels, places
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


@METHODS.register
class Counts(GraphMethod):
    """How many nodes have each degree and each label. Degrees above those of the fit count as its largest,
    labels that it has not seen do not count."""

    method = "counts"
    about = "degree histogram and label counts, no learning at all"
    paper = "a baseline: what a method must beat to be worth its time"
    learns_from = "nothing"
    config_class = Options

    @property
    def width(self) -> int:
        return self.largest_ + 1 + len(self.labels_)

    def _learn(self, store: GraphStore) -> None:
        self.largest_ = int(np.diff(store.edge_ptr).max(initial=0))
        self.labels_ = np.unique(node_labels(store, self.method))

    def _embed(self, store: GraphStore) -> np.ndarray:
        graph = np.repeat(np.arange(len(store)), store.num_nodes)
        out = np.zeros((len(store), self.width), np.float32)
        np.add.at(out, (graph, np.minimum(np.diff(store.edge_ptr), self.largest_)), 1)
        place = places(node_labels(store, self.method), self.labels_)
        known = place >= 0
        np.add.at(out, (graph[known], self.largest_ + 1 + place[known]), 1)
        return out

    def _tensors(self) -> dict[str, Tensor]:
        labels = torch.from_numpy(self.labels_.view(np.int64))
        return {"largest": torch.tensor(self.largest_), "labels": labels}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self.largest_ = int(tensors["largest"])
        self.labels_ = tensors["labels"].numpy().view(np.uint64)
