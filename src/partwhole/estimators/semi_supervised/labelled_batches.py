"""Batches of labelled graphs with any graphs after them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from partwhole.graphs.graph import Batch, Movable
from partwhole.graphs.store import GraphStore
from partwhole.parallel import ranks
from partwhole.training.feeds import BatchMaker, FeedOptions, GraphNetwork, Order

LABELLED = 2**32  # added to the seed: the order of the labelled graphs is drawn apart
LEAST_STEPS = 20  # of an epoch: validation after every two steps would only follow noise


@dataclass(frozen=True, eq=False)
class LabelledBatch(Movable):
    """What a step with labels sees."""

    graphs: Batch  # labelled graphs, then as many of any
    targets: Tensor  # [B, T] float64, NaN where missing

    @property
    def num_graphs(self) -> int:
        """Graphs in the batch, labelled or not."""
        return len(self.targets)


class LabelledFeed:
    """An epoch is one pass over the labelled graphs, and more where they are few; the others go on
    where the last epoch left them."""

    def __init__(
        self,
        store: GraphStore,
        network: GraphNetwork,
        options: FeedOptions,
        targets: np.ndarray,
        *,
        labelled: np.ndarray,
        everything: np.ndarray | None,
        corrupt: bool,
        lift: bool = True,
    ):
        """`targets` [G, T] of the whole store. `everything`: the graphs that are learned from without
        labels, the labelled ones among them; None: labels alone."""
        size, seed = options.batch_size, options.random_state
        self.store, self.targets = store, torch.from_numpy(targets)
        self.labelled = Order(labelled, size, LABELLED + seed)
        self.others = None if everything is None else Order(everything, size, seed)
        self.batches = BatchMaker(
            store, network, options, corrupt=corrupt and everything is not None, lift=lift
        )

    def steps(self) -> int:
        """Steps of an epoch."""
        return max(self.labelled.steps, LEAST_STEPS)

    def batch(self, epoch: int, step: int) -> LabelledBatch:
        """Labelled graphs and others, with the targets that are known."""
        labelled, others = self._at(epoch, step)
        unknown = torch.full_like(self.targets[others], torch.nan)
        graphs, targets = np.concatenate([labelled, others]), torch.cat([self.targets[labelled], unknown])
        piece = ranks.piece(len(graphs))
        return LabelledBatch(self.batches.of(graphs, epoch, step, piece), targets[piece])

    def graphs_of(self, epoch: int, step: int) -> GraphStore:
        """The graphs of that batch, on all ranks."""
        return self.store.take(np.concatenate(self._at(epoch, step)))

    def _at(self, epoch: int, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Graphs whose labels count, and others."""
        passed = epoch * self.steps() + step
        labelled = self.labelled.at(passed)
        if self.others is None:
            return labelled, labelled[:0]
        others = self.others.at(passed)
        return labelled, others[~np.isin(others, labelled)]  # a graph twice would be a negative of itself

    def release(self) -> None:
        """Give back the pages of a mapped store."""
        self.store.release_pages()
