"""All that methods with learned subgraphs share, with labels or without."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from partwhole.config import FitConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.base import EMBED_GRAPHS, load_run
from partwhole.estimators.network import BackboneMethod, evaluation_mode
from partwhole.graphs.store import GraphStore
from partwhole.losses.head_tail import IDEA, PAPER
from partwhole.model import PartWhole
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import names, run_folder
from partwhole.training.feeds import Feed, GraphFeed
from partwhole.training.objectives import HeadTailObjective, Objective

# What two models agree in when one begins with the weights of the other, and with those of its subgraphs.
SHAPE = ("hidden", "layers", "backbone", "readout", "structure")
SHAPE_OF_SUBGRAPHS = ("generator", "num_subgraphs", "subgraph_conv")


class SubgraphMethod(BackboneMethod, FitConfig):
    """An encoder that aggregates learned subgraphs (Wang & Liu), trained by the Head-Tail bound."""

    about, paper = IDEA, PAPER
    config_class: type[FitConfig] = FitConfig

    def subgraphs(self, graph: Any) -> np.ndarray:
        """Membership [S, nodes] of one graph: how much of each node each subgraph holds."""
        self._require_subgraphs()
        store = self._prepared(graph if isinstance(graph, GraphStore | list) else [graph])
        return next(self._memberships(store[:1]))

    def all_subgraphs(self, graphs: Any) -> list[np.ndarray]:
        """`subgraphs` of each of many graphs."""
        self._require_subgraphs()
        return list(self._memberships(self._prepared(graphs)))

    def _memberships(self, store: GraphStore) -> Iterator[np.ndarray]:
        for start in range(0, len(store), EMBED_GRAPHS):
            batch = store.batch(np.arange(start, min(start + EMBED_GRAPHS, len(store))))
            with torch.inference_mode(), evaluation_mode(self._network()):
                found = self._encoder().subgraphs(batch.to(self.device_)).cpu().numpy()  # [S, n]
            yield from np.split(found, batch.node_ptr[1:-1].numpy(), axis=1)

    def _require_subgraphs(self) -> None:
        if not self.learns_subgraphs():
            raise PartwholeError(
                "This model learned no subgraphs; fit with subgraph-infomax, and with a weight above 0 where "
                "there are labels."
            )

    def learns_subgraphs(self) -> bool:
        """Whether the subgraph generator has a part in training."""
        return True

    def _model(self, config: FitConfig, widths: Mapping[str, int], edge_width: int) -> PartWhole:
        return PartWhole(config, widths, edge_width)

    def _begin(self) -> None:
        """With the weights of `start_from`, which must know the same attributes and have the same shape. If
        subgraphs are made in another way than there, theirs begin with random weights."""
        if not self.start_from:
            return
        start = load_run(self.start_from)
        if not isinstance(start, SubgraphMethod):
            raise PartwholeError(
                f"{self.start_from} is a run of {start.method}, whose weights cannot be used here; "
                "give a run of subgraph-infomax."
            )
        if not start.schema_.same_inputs(self.schema_):
            raise PartwholeError(
                f"{self.start_from} was fitted to graphs with other attributes; begin with a run on "
                "graphs of the same kind, or leave start_from out."
            )
        theirs, ours = start._settings().options(), self._settings().options()
        for name in SHAPE:
            if theirs[name] != ours[name]:
                raise PartwholeError(
                    f"{self.start_from} has {name} = {theirs[name]!r}, not {ours[name]!r}; "
                    "give the same, or leave start_from out."
                )
        weights = {k: v for k, v in start._encoder().state_dict().items() if not k.startswith("summary.")}
        if any(theirs[name] != ours[name] for name in SHAPE_OF_SUBGRAPHS):
            weights = {k: v for k, v in weights.items() if not k.startswith("subgraph_aggregation.")}
        self.model_.load_state_dict(self.model_.state_dict() | weights)

    def _about(self, store: GraphStore) -> dict[str, Any]:
        about = super()._about(store)
        if not self.start_from:
            return about
        weights = RunFolder(run_folder(self.start_from)).weights_file
        if not weights.exists():
            raise PartwholeError(
                f"There is no finished run {self.start_from} to begin with; give the folder of one, or a "
                f"pretrained encoder ({', '.join(names())})."
            )
        return about | {"start": {"weights": hashlib.sha256(weights.read_bytes()).hexdigest()}}

    def _objective(self) -> Objective:
        return HeadTailObjective()

    def _spans_ranks(self) -> bool:
        return True

    def _feed(self, store: GraphStore) -> Feed:
        return GraphFeed(store, self.model_, corrupt=self.head_negatives, lift=self.lift)
