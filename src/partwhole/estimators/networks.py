"""Graph networks as encoders: how they begin, give vectors, and are trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn

from partwhole.config import EncoderOptions, TrainConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.encoder import EMBED_GRAPHS, Encoder, Predictor, pieces
from partwhole.estimators.fits import Fit
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.lifting.lifter import choose_batches
from partwhole.model import PartWhole
from partwhole.nn.graph_encoder import GraphEncoder
from partwhole.parallel import ranks
from partwhole.runs.folder import load_weights
from partwhole.structure.base import structure_kinds, structure_widths, with_structure
from partwhole.training.feeds import GraphNetwork
from partwhole.training.plan import B, N, Schedule, StepBatch, TrainingPlan, choose_device
from partwhole.training.prefetch import ahead
from partwhole.training.progress import shown_progress
from partwhole.training.threads import threads_for, using_threads
from partwhole.training.trainer import Trainer

T = TypeVar("T")
MOST_DIVIDED = 512  # graphs that the middle of a balanced generator is found from


class BatchSource(Protocol):
    """What makes the batches of a store that `embed` takes."""

    def batch(self, index: np.ndarray) -> StepBatch:
        """The batch of these graphs."""
        ...


@dataclass(frozen=True)
class NetworkInputs:
    """What a network sees of a graph: its attributes, and those of its structure."""

    structure: tuple[str, ...]  # names of structure attributes
    widths: Mapping[str, int]  # of each kind of node attributes
    edge_width: int

    @classmethod
    def of(cls, schema: Schema, options: EncoderOptions, bare_nodes: str = "degree") -> NetworkInputs:
        """What options ask for; `bare_nodes`: the structure attribute of nodes that have nothing else."""
        chosen = cast(Sequence[str], options.structure)  # by their names, in a fit
        structure = structure_kinds(schema, chosen, bare_nodes)
        widths = {"node": schema.node_width} if schema.node else {}
        return cls(structure, widths | structure_widths(structure), schema.edge_width)

    def prepared(self, store: GraphStore) -> GraphStore:
        """The store with the structure attributes, once for all batches."""
        return with_structure(store, self.structure)


def with_first_weights(seed: int, build: Callable[[], T]) -> T:
    """What `build` makes, drawn from the seed alone."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return build()


@contextmanager
def evaluation_mode(network: nn.Module) -> Iterator[None]:
    """A vector depends on its own graph only, and nothing is learned by looking at it: BatchNorm uses its
    running moments and leaves them alone. Every module has its mode back afterwards."""
    training = [module for module in network.modules() if module.training]
    network.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


class NetworkEncoder(Encoder):
    """A network that gives vectors. Batches are lifted where that is exact and pays.

    Parameters
    ----------
    network : nn.Module
        All that is trained and kept.
    encoder : GraphEncoder
        The part of it that gives the vectors.
    inputs : NetworkInputs
        What it sees of a graph.
    options : EncoderOptions
        Layers, device and threads.
    lift : bool
        Whether batches may be lifted.
    batches : callable, optional
        What makes batches of a store, where they are not the usual ones.
    subgraphs : bool
        Whether the subgraph generator has a part in training.
    """

    def __init__(
        self,
        network: nn.Module,
        encoder: GraphEncoder,
        inputs: NetworkInputs,
        options: EncoderOptions,
        *,
        lift: bool = True,
        batches: Callable[[GraphStore], BatchSource] | None = None,
        subgraphs: bool = False,
    ):
        self.network, self.encoder, self.inputs, self.options = network, encoder, inputs, options
        self.lift, self.batches, self.subgraphs = lift, batches, subgraphs
        self.device = choose_device(options.device)

    @property
    def width(self) -> int:
        """Columns of a vector."""
        return self.encoder.width

    @property
    def model(self) -> GraphEncoder:
        """The part of the network that gives the vectors."""
        return self.encoder

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """Vectors by `embed`."""
        for vectors in self.outputs_in_pieces(self.inputs.prepared(store), self.encoder.embed):
            yield vectors.cpu().numpy()

    def outputs_in_pieces(self, store: GraphStore, function: Callable[[Any], Tensor]) -> Iterator[Tensor]:
        """`function(batch)` for the graphs of a prepared store, `EMBED_GRAPHS` at a time."""
        source = self._source(store)
        index = [np.arange(i, min(i + EMBED_GRAPHS, len(store))) for i in range(0, len(store), EMBED_GRAPHS)]
        threads = self.threads(store, EMBED_GRAPHS) if len(store) else 1
        for batch in ahead(lambda piece: source.batch(piece).to(self.device), index):
            working = evaluation_mode(self.network)
            with torch.inference_mode(), working, using_threads(threads):
                outputs = function(batch)
            yield outputs
            store.release_pages()

    def layer_sums(self, store: GraphStore) -> np.ndarray:
        """[graphs, L d] what the network sums up over the nodes in each layer; for a prepared store."""
        assert isinstance(self.encoder, PartWhole)
        sums = self.outputs_in_pieces(store, self.encoder.layer_sums)
        return torch.cat(list(sums)).cpu().numpy()

    def threads(self, store: GraphStore, graphs: int) -> int:
        """How many pay for work on so many graphs at a time."""
        nodes = min(graphs, len(store)) * float(store.num_nodes.mean())
        return threads_for(nodes, self.options.hidden, self.options.threads)

    def tensors(self) -> dict[str, Tensor]:
        """The weights."""
        return self.network.state_dict()

    def restore(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Take back weights; `path` is told where they are of another network."""
        load_weights(self.network, tensors, path)
        self.network.to(self.device).eval()

    @property
    def learns_subgraphs(self) -> bool:
        """Whether the subgraph generator has a part in training."""
        return self.subgraphs

    def memberships(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[S, nodes] of each graph."""
        if not (self.subgraphs and isinstance(self.encoder, PartWhole)):
            yield from super().memberships(store)
            return
        for piece in pieces(self.inputs.prepared(store)):
            batch = piece.batch(np.arange(len(piece)))
            with torch.inference_mode(), evaluation_mode(self.network):
                found = self.encoder.subgraphs(batch.to(self.device)).cpu().numpy()  # [S, n]
            yield from np.split(found, batch.node_ptr[1:-1].numpy(), axis=1)

    def divide_parts(self, store: GraphStore) -> None:
        """Find the middle at which a balanced generator divides nodes; for a prepared store, of which so many
        graphs are looked at, spread evenly."""
        assert isinstance(self.encoder, PartWhole)
        middle = self.encoder.subgraph_aggregation.generator.middle
        if middle is None or not len(store):
            return
        rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_DIVIDED)).astype(np.int64))
        batch = store.take(rows).batch(np.arange(len(rows))).to(self.device)
        with torch.no_grad(), evaluation_mode(self.network), middle.learning():
            self.encoder.subgraphs(batch)

    def _source(self, store: GraphStore) -> BatchSource:
        if self.batches is not None:
            return self.batches(store)
        network, layers = cast(GraphNetwork, self.encoder), self.options.layers
        return choose_batches(
            store, network.backbone, network.readout, layers, corrupt=False, again=False, lift=self.lift
        )

    @property
    def spans_ranks(self) -> bool:
        """Whether several processes can share a batch: nothing in the backbone looks across graphs, or it
        looks at those of all."""
        return bool(getattr(cast(GraphNetwork, self.encoder).backbone, "spans_ranks", False))


class NetworkPredictor(NetworkEncoder, Predictor):
    """A network with a head, whose outputs a task makes predictions of."""

    def outputs(self, store: GraphStore) -> Tensor:
        """[graphs, outputs]"""
        return torch.cat(list(self.outputs_in_pieces(self.inputs.prepared(store), self.network)))


def carry_out(
    plan: TrainingPlan[N, B], fit: Fit[TrainConfig], *, spans_ranks: bool = False, anneal: bool = False
) -> None:
    """Train as planned, kept in the folder of the fit; `spans_ranks`: processes can do it together; `anneal`:
    the learning rate rises and falls."""
    config = fit.config
    if ranks.count() > 1:
        _require_ranks(fit, spans_ranks)
    if len(fit.store) < 2 and config.epochs > 0:
        raise PartwholeError("One graph alone cannot be contrasted with others; give at least two graphs.")
    schedule = Schedule.of(config, anneal=anneal)
    fit.facts["machine"]["device"] = str(schedule.device)
    shown = config.verbose and ranks.is_first()
    trainer = Trainer(
        plan,
        schedule,
        run=fit.begin_run(),
        listener=shown_progress(getattr(config, "estimator", None)) if shown else None,
        stop_requested=fit.stop_requested,
    )
    trainer.fit()
    fit.history.extend(trainer.history)


def _require_ranks(fit: Fit[TrainConfig], spans_ranks: bool) -> None:
    """Raise unless several processes can train this; in all at the same moment, so that none is ended by the
    end of another before it has said why."""
    ranks.wait_for_all()
    if not spans_ranks:
        raise PartwholeError(
            f"{fit.facts['method']} with this backbone is trained by one process; leave out --devices, or "
            "use subgraph-infomax with gin."
        )
    if len(fit.store) < ranks.count():
        raise PartwholeError(
            f"{len(fit.store)} graphs cannot be shared out among {ranks.count()} processes; use fewer."
        )
