"""Methods that train a graph network: all that they share but the loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from partwhole.config import BackboneConfig, TrainConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.base import EMBED_GRAPHS, GraphMethod
from partwhole.graphs.store import GraphStore
from partwhole.lifting.lifter import choose_batches
from partwhole.parallel import ranks
from partwhole.runs.folder import RunFolder, load_weights
from partwhole.structure.base import structure_kinds, structure_widths, with_structure
from partwhole.training.feeds import Feed, GraphFeed
from partwhole.training.objectives import Objective
from partwhole.training.prefetch import ahead
from partwhole.training.progress import shown_progress
from partwhole.training.threads import threads_for, using_threads
from partwhole.training.trainer import Listener, Trainer, choose_device


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


class EncoderMethod(GraphMethod, TrainConfig):
    """A network with `embed(batch)`, trained by an objective; a method defines these two.

    Batches are lifted where that is exact and pays.
    """

    config_class: type[TrainConfig] = TrainConfig
    keeps_state = True
    bare_nodes = "degree"  # the structure attribute of nodes that have nothing else

    @property
    def width(self) -> int:
        width: int = self._encoder().width
        return width

    # ---------------------------------------------------------------- what a method defines

    def _model(self, config: Any, widths: Mapping[str, int], edge_width: int) -> nn.Module:
        """The network with its first weights."""
        raise TypeError("a method defines its network")

    def _objective(self) -> Objective:
        raise TypeError("a method defines its objective")

    def _feed(self, store: GraphStore) -> Feed:
        return GraphFeed(store, self.model_, corrupt=False, lift=self._lifts())

    def _source(self, store: GraphStore) -> Any:
        """What makes the batches that `embed` takes, `source.batch(index)`."""
        encoder, lift = self._encoder(), self._lifts()
        return choose_batches(
            store, encoder.backbone, encoder.readout, self.layers, corrupt=False, again=False, lift=lift
        )

    def _lifts(self) -> bool:
        """Whether batches may be lifted, where that is exact and pays."""
        return True

    def _spans_ranks(self) -> bool:
        """Whether the loss is that of the whole batch where several processes share one."""
        return False

    # ---------------------------------------------------------------- inside

    def _start(self, store: GraphStore) -> None:
        super()._start(store)
        self.store_ = with_structure(self.store_, self._kinds())
        self._build(fresh=True)
        if ranks.count() > 1:
            self._require_ranks(store)
        if len(store) < 2 and self.model_.config.epochs > 0:
            raise PartwholeError(
                "One graph alone cannot be contrasted with others; give at least two graphs."
            )

    def _build(self, *, fresh: bool) -> None:
        """The model with the weights that a fit begins with (`fresh`), or that others are put in place of."""
        widths = {"node": self.schema_.node_width} if self.schema_.node else {}
        widths |= structure_widths(self._kinds())
        self.device_ = choose_device(self.device)
        with torch.random.fork_rng():
            torch.manual_seed(self.seed_)
            self.model_: Any = self._model(self._settings(), widths, self.schema_.edge_width)
        if fresh:
            self._begin()

    def _begin(self) -> None:
        """Put other weights in place of the random ones, which depend on the seed alone."""

    def _network(self) -> nn.Module:
        """What is trained and kept."""
        return self.model_

    def _encoder(self) -> Any:
        """What gives the vectors."""
        check_is_fitted(self, "model_")
        return self.model_

    def _tensors(self) -> dict[str, Tensor]:
        return self._network().state_dict()

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self._build(fresh=False)
        network = self._network()
        load_weights(network, tensors, path)
        network.to(self.device_).eval()

    def _learn_in(self, run: RunFolder | None, stop_requested: Callable[[], bool], store: GraphStore) -> None:
        with using_threads(self._threads(store, self.batch_size)):
            finish = self._finisher(store)
            trainer = self._trainer(store, run=run, stop_requested=stop_requested, finish=finish)
            trainer.fit(self._feed(store))
        self.history_ = trainer.history

    def _threads(self, store: GraphStore, graphs: int) -> int:
        """For work on so many graphs at a time."""
        nodes = min(graphs, len(store)) * float(store.num_nodes.mean())
        return threads_for(nodes, self.hidden, self.threads)

    def _finisher(self, store: GraphStore) -> Callable[[], None]:
        """What makes the weights of a moment into a whole encoder; called before they are kept or used."""
        return lambda: None

    def _trainer(self, store: GraphStore, **given: Any) -> Trainer:
        return Trainer(self.model_, self._objective(), listener=self._listener(), **given)

    def _in_pieces(self, store: GraphStore) -> Iterator[np.ndarray]:
        for vectors in self._outputs(store, self._encoder().embed):
            yield vectors.cpu().numpy()

    def _outputs(self, store: GraphStore, function: Callable[[Any], Tensor]) -> Iterator[Tensor]:
        """`function(batch)` for the graphs of a prepared store, `EMBED_GRAPHS` at a time."""
        source = self._source(store)
        pieces = [np.arange(i, min(i + EMBED_GRAPHS, len(store))) for i in range(0, len(store), EMBED_GRAPHS)]
        threads = self._threads(store, EMBED_GRAPHS) if len(store) else 1
        for batch in ahead(lambda piece: source.batch(piece).to(self.device_), pieces):
            working = evaluation_mode(self._network())
            with torch.inference_mode(), working, using_threads(threads):
                outputs = function(batch)
            yield outputs
            store.release_pages()

    def _prepared(self, graphs: Any) -> GraphStore:
        store = super()._prepared(graphs)
        return with_structure(store, self._kinds())

    def _kinds(self) -> tuple[str, ...]:
        return structure_kinds(self.schema_, self._settings().structure, self.bare_nodes)

    def _require_ranks(self, store: GraphStore) -> None:
        """Raise unless several processes can train this."""
        if not (self._spans_ranks() and getattr(self._encoder().backbone, "spans_ranks", False)):
            raise PartwholeError(
                f"{self.method} with this backbone is trained by one process; leave out --devices, or use "
                "subgraph-infomax with gin."
            )
        if len(store) < ranks.count():
            raise PartwholeError(
                f"{len(store)} graphs cannot be shared out among {ranks.count()} processes; use fewer."
            )

    def _listener(self) -> Listener | None:
        if not (self.verbose and ranks.is_first()):
            return None
        return shown_progress(getattr(self, "estimator", None))

    def _about(self, store: GraphStore) -> dict[str, Any]:
        about = super()._about(store)
        return about | {"machine": about["machine"] | {"device": str(choose_device(self.device))}}


class BackboneMethod(EncoderMethod, BackboneConfig):
    """One whose graph network can be chosen."""

    config_class: type[BackboneConfig] = BackboneConfig

    def _lifts(self) -> bool:
        return self.lift
