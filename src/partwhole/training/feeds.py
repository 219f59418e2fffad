"""Where the batches of an epoch come from.

All that is random in a step is a function of (seed, epoch, step), so a feed can start anywhere.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
import torch

from partwhole.config import TrainConfig
from partwhole.graphs.graph import Batch
from partwhole.graphs.store import GraphStore
from partwhole.lifting.lifter import Lifter, choose_batches
from partwhole.numerics.segment import skip
from partwhole.parallel import ranks


class Feed(Protocol):
    def steps(self) -> int:
        """Steps of an epoch."""
        ...

    def batch(self, epoch: int, step: int) -> Any:
        """What the objective gets: something with `num_graphs` that can go `to` a device."""
        ...

    def graphs_of(self, epoch: int, step: int) -> GraphStore:
        """The graphs of that batch, on all ranks."""
        ...

    def release(self) -> None:
        """Called after each step."""
        ...


def batch_indices(graphs: int, batch_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """Which graphs each step of an epoch sees.

    A remainder of one graph, which would have no tail negatives, or of fewer graphs than ranks joins the
    batch before it.
    """
    order = np.random.default_rng([seed, epoch]).permutation(graphs)
    starts = list(range(0, graphs, batch_size))
    if len(starts) > 1 and graphs - starts[-1] < max(2, ranks.count()):
        starts.pop()
    return [order[a:b] for a, b in zip(starts, [*starts[1:], graphs])]


def step_generator(seed: int, epoch: int, step: int) -> torch.Generator:
    """The source of randomness of one step, on the host so that devices agree."""
    mixed = np.random.SeedSequence([seed, epoch, step]).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(mixed >> 1))


class Order:
    """Which graphs each step sees: all of `rows` once a pass, in an order drawn anew for each."""

    def __init__(self, rows: np.ndarray, batch_size: int, seed: int):
        self.rows, self.batch_size, self.seed = rows, batch_size, seed
        self.drawn = 0, self._draw(0)  # the last pass asked for
        self.steps = len(self.drawn[1])  # of a pass

    def _draw(self, number: int) -> list[np.ndarray]:
        return batch_indices(len(self.rows), self.batch_size, self.seed, number)

    def at(self, step: int) -> np.ndarray:
        """By steps counted from the first pass on."""
        number, within = divmod(step, self.steps)
        if self.drawn[0] != number:
            self.drawn = number, self._draw(number)
        return self.rows[self.drawn[1][within]]


class Batches:
    """Graphs of a store as the model takes them, with G^ if asked for."""

    def __init__(self, store: GraphStore, model: Any, *, corrupt: bool, lift: bool):
        self.store, self.model, self.corrupt, self.lift = store, model, corrupt, lift

    @cached_property
    def source(self) -> GraphStore | Lifter:
        """Chosen when the first batch is asked for: a finished run needs none."""
        config = self.model.config
        return choose_batches(
            self.store,
            self.model.backbone,
            self.model.readout,
            config.layers,
            corrupt=self.corrupt,
            again=True,
            lift=self.lift,
        )

    def of(self, graphs: np.ndarray, epoch: int, step: int, piece: slice = slice(None)) -> Batch:
        """`piece`: of these graphs only, each with the G^ that it has in the whole."""
        random = None
        if self.corrupt:
            random = step_generator(self.model.config.random_state, epoch, step)
            skip(random, int(self.store.num_nodes[graphs[: piece.start or 0]].sum()))
        return self.source.batch(graphs[piece], random)


class EveryGraph:
    """Every graph once an epoch; a feed defines what a batch of them is."""

    def __init__(self, store: GraphStore, config: TrainConfig):
        self.store = store
        self.order = Order(np.arange(len(store)), config.batch_size, config.random_state)

    def steps(self) -> int:
        return self.order.steps

    def batch(self, epoch: int, step: int) -> Any:
        return self.make(self._at(epoch, step), epoch, step)

    def graphs_of(self, epoch: int, step: int) -> GraphStore:
        return self.store.take(self._at(epoch, step))

    def _at(self, epoch: int, step: int) -> np.ndarray:
        return self.order.at(epoch * self.steps() + step)

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> Any:
        """The batch of graphs `graphs`."""
        raise TypeError("a feed defines its batches")

    def release(self) -> None:
        self.store.release_pages()


class GraphFeed(EveryGraph):
    """Graphs as they are, with G^ if asked for."""

    def __init__(self, store: GraphStore, model: Any, *, corrupt: bool, lift: bool = True):
        super().__init__(store, model.config)
        self.batches = Batches(store, model, corrupt=corrupt, lift=lift)

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> Batch:
        return self.batches.of(graphs, epoch, step, ranks.piece(len(graphs)))
