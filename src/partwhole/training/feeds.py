"""Where the batches of an epoch come from.

All that is random in a step is a function of (seed, epoch, step), so a feed can start anywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from partwhole.graphs.graph import Batch, Movable
from partwhole.graphs.store import GraphStore
from partwhole.lifting.lifter import Lifter, choose_batches
from partwhole.nn.readout.base import Readout
from partwhole.numerics.segment import skip
from partwhole.parallel import ranks
from partwhole.recipes.graph_vectors import Said
from partwhole.training.plan import B


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


class GraphNetwork(Protocol):
    """A network that batches of graphs are made for."""

    @property
    def backbone(self) -> nn.Module:
        """Its layers, which may allow lifting."""
        ...

    @property
    def readout(self) -> Readout:
        """From its node vectors to graph vectors, which may allow lifting."""
        ...


class FeedOptions(Protocol):
    """The options of a fit that its batches depend on."""

    layers: int
    batch_size: int
    random_state: int


class BatchMaker:
    """Graphs of a store as a network takes them, with G^ if asked for."""

    def __init__(
        self, store: GraphStore, network: GraphNetwork, options: FeedOptions, *, corrupt: bool, lift: bool
    ):
        self.store, self.network, self.options = store, network, options
        self.corrupt, self.lift = corrupt, lift

    @cached_property
    def source(self) -> GraphStore | Lifter:
        """Chosen when the first batch is asked for: a finished run needs none."""
        backbone, readout = self.network.backbone, self.network.readout
        return choose_batches(
            self.store,
            backbone,
            readout,
            self.options.layers,
            corrupt=self.corrupt,
            again=True,
            lift=self.lift,
        )

    def of(self, graphs: np.ndarray, epoch: int, step: int, piece: slice = slice(None)) -> Batch:
        """The batch of a `piece` of these graphs, each with the G^ that it has in the whole."""
        random = None
        if self.corrupt:
            random = step_generator(self.options.random_state, epoch, step)
            skip(random, int(self.store.num_nodes[graphs[: piece.start or 0]].sum()))
        return self.source.batch(graphs[piece], random)


class EpochFeed(ABC, Generic[B]):
    """Every graph once an epoch; a feed defines what a batch of them is."""

    def __init__(self, store: GraphStore, options: FeedOptions):
        self.store, self.seed = store, options.random_state
        self.order = Order(np.arange(len(store)), options.batch_size, self.seed)

    @abstractmethod
    def make(self, graphs: np.ndarray, epoch: int, step: int) -> B:
        """The batch of these graphs of the store."""

    def steps(self) -> int:
        """Steps of an epoch."""
        return self.order.steps

    def batch(self, epoch: int, step: int) -> B:
        """What the objective gets in this step."""
        return self.make(self._at(epoch, step), epoch, step)

    def graphs_of(self, epoch: int, step: int) -> GraphStore:
        """The graphs of that batch, on all ranks."""
        return self.store.take(self._at(epoch, step))

    def _at(self, epoch: int, step: int) -> np.ndarray:
        return self.order.at(epoch * self.steps() + step)

    def release(self) -> None:
        """Give back the pages of a mapped store."""
        self.store.release_pages()


class GraphFeed(EpochFeed[Batch]):
    """Graphs as they are, with G^ if asked for."""

    def __init__(
        self,
        store: GraphStore,
        network: GraphNetwork,
        options: FeedOptions,
        *,
        corrupt: bool,
        lift: bool = True,
    ):
        super().__init__(store, options)
        self.batches = BatchMaker(store, network, options, corrupt=corrupt, lift=lift)

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> Batch:
        """The piece of the batch that is this rank's."""
        return self.batches.of(graphs, epoch, step, ranks.piece(len(graphs)))


@dataclass(frozen=True, eq=False)
class DescribedBatch(Movable):
    """Graphs, and what is said of them without learning."""

    graphs: Batch
    said: Tensor  # [B, k] float32; NaN for graphs of which nothing is said

    @property
    def num_graphs(self) -> int:
        """Graphs in the batch."""
        return self.graphs.num_graphs


class DescribedFeed(EpochFeed[DescribedBatch]):
    """Graphs as another feed gives them, each with what is said of it."""

    def __init__(self, feed: GraphFeed, said: Said, options: FeedOptions):
        super().__init__(feed.store, options)
        self.feed, self.said = feed, said

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> DescribedBatch:
        """The piece of the batch that is this rank's."""
        said = self.said.of(graphs[ranks.piece(len(graphs))])
        return DescribedBatch(self.feed.make(graphs, epoch, step), said)
