"""Plain counts: what can be had of a graph without any method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options
from partwhole.kernels.base import node_labels
from partwhole.method import GraphMethod
from partwhole.registry import METHODS
from partwhole.store import GraphStore
from partwhole.training.checkpoint import RunFolder


@METHODS.register
class Counts(GraphMethod):
    """How many nodes have each degree and each label; degrees above those of the fit count as its last."""

    method = "counts"
    about = "degree histogram and label counts, no learning at all"
    paper = "a baseline: what a method must beat to be worth its time"
    learns_from = "nothing"
    config_class = Options

    @property
    def width(self) -> int:
        return int(self.largest_) + 1 + self._kinds()

    def _kinds(self) -> int:
        return int(np.prod([c.width for c in self.schema_.node if c.is_categorical], initial=1))

    def _learn(self, run: RunFolder | None = None, stop_requested: object = None) -> None:
        self.largest_ = int(np.diff(self._taken_store().edge_ptr).max(initial=0))

    def _embed(self, store: GraphStore) -> np.ndarray:
        graph = np.repeat(np.arange(len(store)), store.num_nodes)
        out = np.zeros((len(store), self.width), np.float32)
        np.add.at(out, (graph, np.minimum(np.diff(store.edge_ptr), self.largest_)), 1)
        np.add.at(out, (graph, self.largest_ + 1 + node_labels(store, self.method)), 1)
        return out

    def _tensors(self) -> dict[str, Tensor]:
        return {"largest": torch.tensor(self.largest_)}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self.largest_ = int(tensors["largest"])
