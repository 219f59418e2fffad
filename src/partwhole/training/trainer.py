"""The training loop.

Everything random in a step is a function of (seed, epoch, step): the state to resume from is the
weights, the moments of Adam and two counters, and a resumed run ends with the same weights as an
undisturbed one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.graph import Batch
from partwhole.lifting.lifter import Lifter, choose_batches
from partwhole.model import PartWhole
from partwhole.nn.fused import match_threads
from partwhole.store import GraphStore
from partwhole.training.adam import Adam
from partwhole.training.checkpoint import Progress, RunFolder
from partwhole.training.prefetch import ahead

STATE_SECONDS = 20.0  # a crash costs at most this much work


class Objective(Protocol):
    def __call__(self, model: PartWhole, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]: ...


class Listener:
    """Told what training does; the command line shows it, tests and reports may use it."""

    def start(self, done: int, epochs: int, steps: int) -> None: ...

    def step(self, epoch: int, step: int, steps: int) -> None: ...

    def epoch(self, metrics: Mapping[str, Any]) -> None: ...

    def stop(self) -> None: ...


class Interrupted(Exception):
    """Training was asked to stop and left a state to resume from."""

    def __init__(self, progress: Progress):
        super().__init__(f"stopped after epoch {progress.epoch}")
        self.progress = progress


def choose_device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise PartwholeError("No CUDA device was found; use `--device cpu` or `auto`.")
    return torch.device(name)


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


class Trainer:
    """Runs an objective over a store, for the epochs of the model's configuration."""

    def __init__(
        self,
        model: PartWhole,
        objective: Objective,
        *,
        run: RunFolder | None = None,
        listener: Listener | None = None,
        stop_requested: Callable[[], bool] = lambda: False,
    ):
        self.model = model
        self.objective = objective
        self.run = run
        self.listener = listener or Listener()
        self.stop_requested = stop_requested
        match_threads()
        self.device = choose_device(model.config.device)
        model.to(self.device)
        self.optimizer = Adam(model.named_parameters(), lr=model.config.lr)
        self.history: list[dict[str, Any]] = []
        self._saved = time.monotonic()

    def fit(self, store: GraphStore) -> None:
        """Train from where the run folder stands, or from the beginning."""
        config, run = self.model.config, self.run
        progress = Progress()
        if run is not None:
            progress = run.read_state(self.model, self.optimizer)
            run.forget_after(progress.epoch)
            self.history = run.read_metrics()
            if progress == Progress():
                self._snapshot(0)
        per_epoch = len(batch_indices(len(store), config.batch_size, 0, 0))
        self.listener.start(progress.epoch, config.epochs, per_epoch)
        try:
            if progress.epoch < config.epochs:
                progress = self._epochs(store, progress)
        finally:
            self.listener.stop()
        self.model.eval()
        if run is not None:
            run.write_state(self.model, self.optimizer, progress)
            run.write_weights(self.model.state_dict())

    def _epochs(self, store: GraphStore, progress: Progress) -> Progress:
        model, config = self.model.train(), self.model.config
        source = choose_batches(
            store,
            model.layer_aggregation.backbone,
            model.readout,
            config.layers,
            corrupt=config.head_negatives,
            lift=config.lift,
        )
        for epoch in range(progress.epoch, config.epochs):
            progress = self._epoch(store, source, epoch, progress)
        return progress

    def _epoch(
        self, store: GraphStore, source: GraphStore | Lifter, epoch: int, progress: Progress
    ) -> Progress:
        config, run = self.model.config, self.run
        batches = batch_indices(len(store), config.batch_size, config.random_state, epoch)

        def make(step: int) -> Batch:
            random = step_generator(config.random_state, epoch, step) if config.head_negatives else None
            return source.batch(batches[step], random).to(self.device)

        steps = range(progress.step, len(batches))
        started = time.perf_counter()
        for step, batch in zip(steps, ahead(make, steps)):
            loss, logged = self.objective(self.model, batch)
            if not torch.isfinite(loss):
                raise PartwholeError(
                    f"The loss is {loss.item()} at epoch {epoch + 1}; use a smaller learning rate, the "
                    "cosine score or the jsd estimator."
                )
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            values = torch.stack(list(logged.values())).tolist()  # one transfer from the device
            for name, value in zip(logged, values):
                progress.sums[name] = progress.sums.get(name, 0.0) + value * batch.num_graphs
            progress.graphs += batch.num_graphs
            progress.step = step + 1
            now = time.perf_counter()
            progress.seconds, started = progress.seconds + now - started, now
            store.release_pages()
            self.listener.step(epoch, step + 1, len(batches))
            self._maybe_stop(progress)
        means = {name: total / progress.graphs for name, total in progress.sums.items()}
        metrics = {"epoch": epoch + 1, **means, "seconds": progress.seconds}
        self.history.append(metrics)
        if run is not None:
            run.append_metrics(metrics)
        if config.snapshot_every and (epoch + 1) % config.snapshot_every == 0:
            self._snapshot(epoch + 1)
        self.listener.epoch(metrics)
        return Progress(epoch=epoch + 1)

    def _snapshot(self, epoch: int) -> None:
        if self.run is not None:
            self.run.write_snapshot(epoch, self.model.state_dict())

    def _maybe_stop(self, progress: Progress) -> None:
        """Keep the state now and then, and at once when asked to stop."""
        stop = self.stop_requested()
        if self.run is not None and (stop or time.monotonic() - self._saved > STATE_SECONDS):
            self.run.write_state(self.model, self.optimizer, progress)
            self._saved = time.monotonic()
        if stop:
            raise Interrupted(progress)
