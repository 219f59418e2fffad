"""The paper's method with scikit-learn's face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from partwhole.config import FitConfig
from partwhole.encoder import BackboneMethod
from partwhole.errors import PartwholeError
from partwhole.losses.head_tail import IDEA, PAPER
from partwhole.model import PartWhole
from partwhole.store import GraphStore
from partwhole.training.feeds import Feed, GraphFeed
from partwhole.training.objectives import HeadTailObjective, Objective


class SubgraphInfoMax(BackboneMethod, FitConfig):
    """Vectors for whole graphs by aggregating learned subgraphs (Wang & Liu).

    `fit` takes graphs and no labels; `transform` gives an array [graphs, hidden]. Graphs may be a
    `GraphStore`, a data set name or path, or a list of PyTorch Geometric `Data`, networkx graphs,
    SMILES strings or RDKit molecules. The parameters are the fields of `FitConfig`.
    """

    method = "subgraph-infomax"
    about, paper = IDEA, PAPER
    config_class: type[FitConfig] = FitConfig

    def subgraphs(self, graph: Any) -> np.ndarray:
        """Membership [S, nodes] of one graph: how much of each node each subgraph holds."""
        if not self.learns_subgraphs():
            raise PartwholeError(
                "This model learned no subgraphs; fit with subgraph-infomax, and with a weight above 0 where "
                "there are labels."
            )
        store = self._prepared(graph if isinstance(graph, GraphStore | list) else [graph])
        with torch.inference_mode():
            return self._encoder().subgraphs(store.batch(np.arange(1)).to(self.device_)).cpu().numpy()

    def learns_subgraphs(self) -> bool:
        """Whether the subgraph generator has a part in training."""
        return True

    def _model(self, config: FitConfig, widths: Mapping[str, int], edge_width: int) -> PartWhole:
        return PartWhole(config, widths, edge_width)

    def _objective(self) -> Objective:
        return HeadTailObjective()

    def _feed(self, store: GraphStore) -> Feed:
        return GraphFeed(store, self.model_, corrupt=self.head_negatives, lift=self.lift)
