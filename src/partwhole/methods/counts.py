"""Plain counts: what can be had of a graph without any method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from partwhole.config import Options
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import PieceEncoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.graph_kernels.base import node_labels, places
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS


@dataclass(frozen=True)
class CountEncoder(PieceEncoder):
    """A column for each degree, and one for each label."""

    largest: int  # degree of the fit
    labels: np.ndarray  # [labels] uint64, sorted

    @property
    def width(self) -> int:
        """Degrees and labels."""
        return self.largest + 1 + len(self.labels)

    def embed(self, store: GraphStore) -> np.ndarray:
        """Nodes of each degree and label."""
        graph = np.repeat(np.arange(len(store)), store.num_nodes)
        out = np.zeros((len(store), self.width), np.float32)
        np.add.at(out, (graph, np.minimum(np.diff(store.edge_ptr), self.largest)), 1)
        place = places(node_labels(store, "counts"), self.labels)
        known = place >= 0
        np.add.at(out, (graph[known], self.largest + 1 + place[known]), 1)
        return out

    def tensors(self) -> dict[str, Tensor]:
        """The largest degree and all labels of the fit."""
        labels = torch.from_numpy(self.labels.view(np.int64))
        return {"largest": torch.tensor(self.largest), "labels": labels}


@METHODS.register
class Counts(GraphEstimator[Options]):
    """How many nodes have each degree and each label. Degrees above those of the fit count as its largest,
    labels that it has not seen do not count."""

    method = "counts"
    idea = "degree histogram and label counts, no learning at all"
    paper = "a baseline: what a method must beat to be worth its time"
    learns_from = "nothing"
    config_class = Options

    def learn(self, fit: Fit[Options]) -> CountEncoder:
        """See which degrees and labels there are."""
        largest = int(np.diff(fit.store.edge_ptr).max(initial=0))
        return CountEncoder(largest, np.unique(node_labels(fit.store, self.method)))

    def restore(self, kept: Kept[Options]) -> CountEncoder:
        """The degrees and labels that there were."""
        return CountEncoder(int(kept.tensors["largest"]), kept.tensors["labels"].numpy().view(np.uint64))
