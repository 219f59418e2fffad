"""Where the batches of an epoch come from.

All that is random in a step is a function of (seed, epoch, step), so a feed can start anywhere.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
import torch

from partwhole.graph import Batch
from partwhole.lifting.lifter import Lifter, choose_batches
from partwhole.model import PartWhole
from partwhole.store import GraphStore


class Feed(Protocol):
    def steps(self) -> int:
        """Steps of an epoch."""
        ...

    def batch(self, epoch: int, step: int) -> Any:
        """What the objective gets: something with `num_graphs` that can go `to` a device."""
        ...

    def release(self) -> None:
        """Called after each step."""
        ...


def batch_indices(graphs: int, batch_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """Which graphs each step of an epoch sees.

    A remainder of one graph, which would have no tail negatives, joins the batch before it.
    """
    order = np.random.default_rng([seed, epoch]).permutation(graphs)
    starts = list(range(0, graphs, batch_size))
    if len(starts) > 1 and graphs - starts[-1] < 2:
        starts.pop()
    return [order[a:b] for a, b in zip(starts, [*starts[1:], graphs])]


def step_generator(seed: int, epoch: int, step: int) -> torch.Generator:
    """The source of randomness of one step, on the host so that devices agree."""
    mixed = np.random.SeedSequence([seed, epoch, step]).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(mixed >> 1))


class GraphFeed:
    """Every graph once an epoch, in an order drawn anew; with head negatives, a permutation of each."""

    def __init__(self, store: GraphStore, model: PartWhole):
        self.store, self.model, self.config = store, model, model.config
        self._order = 0, self._draw(0)  # the last epoch asked for, and which graphs its steps see
        self._steps = len(self._order[1])

    @cached_property
    def source(self) -> GraphStore | Lifter:
        """Chosen when the first batch is asked for: a finished run needs none."""
        return choose_batches(
            self.store,
            self.model.layer_aggregation.backbone,
            self.model.readout,
            self.config.layers,
            corrupt=self.config.head_negatives,
            lift=self.config.lift,
        )

    def _draw(self, epoch: int) -> list[np.ndarray]:
        return batch_indices(len(self.store), self.config.batch_size, self.config.random_state, epoch)

    def steps(self) -> int:
        return self._steps

    def batch(self, epoch: int, step: int) -> Batch:
        config = self.config
        random = step_generator(config.random_state, epoch, step) if config.head_negatives else None
        if self._order[0] != epoch:
            self._order = epoch, self._draw(epoch)
        return self.source.batch(self._order[1][step], random)

    def release(self) -> None:
        self.store.release_pages()
