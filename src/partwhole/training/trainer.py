"""The training loop.

Everything random in a step is a function of (seed, epoch, step): the state to resume from is the
weights, the moments of Adam and two counters, and a resumed run ends with the same weights as an
undisturbed one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.nn.fused import match_threads
from partwhole.parallel import ranks
from partwhole.runs.folder import Progress, RunFolder, load_weights
from partwhole.training.adam import Adam
from partwhole.training.feeds import Feed
from partwhole.training.objectives import Objective
from partwhole.training.prefetch import ahead
from partwhole.training.validation import EpochChoice, Validation

STATE_SECONDS = 20.0  # a crash costs at most this much work


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
    if name == "cuda" and not torch.cuda.is_available():
        raise PartwholeError("No CUDA device was found; use `--device cpu` or `auto`.")
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())  # of several ranks each has its own


class Trainer:
    """Runs an objective over a feed, for the epochs of the model's configuration.

    Of several ranks each has its own piece of every batch, all take the same step, and the first one keeps
    the run folder.
    """

    def __init__(
        self,
        model: Any,  # a module with the `config` of the fit
        objective: Objective,
        *,
        validation: Validation | None = None,
        run: RunFolder | None = None,
        listener: Listener | None = None,
        stop_requested: Callable[[], bool] = lambda: False,
        finish: Callable[[], None] = lambda: None,
    ):
        self.model = model
        self.objective = objective
        self.validation = validation
        self.best: dict[str, Tensor] = {}  # weights of the best epoch so far
        self.run = run
        self.listener = listener or Listener()
        self.stop_requested = stop_requested
        self.finish = finish  # makes the weights of a moment into a whole model
        self._finished: int | None = None  # epoch whose weights are whole
        match_threads()
        self.device = choose_device(model.config.device)
        model.to(self.device)
        self.optimizer = Adam(model.named_parameters(), lr=model.config.lr)
        self.history: list[dict[str, Any]] = []
        self._saved = time.monotonic()

    def fit(self, feed: Feed) -> None:
        """Train from where the run folder stands, or from the beginning."""
        config = self.model.config
        progress = Progress()
        if self.run is not None:
            progress = self.run.read_state(self.model, self.optimizer)
            self.optimizer.lr = progress.choice.lr or config.lr
            if progress.choice.epoch:
                self.best = self.run.read_best()
        ranks.wait_for_all()  # all have read before one writes
        run = self.run = self.run if ranks.is_first() else None
        if run is not None:
            run.forget_after(progress.epoch)
            self.history = run.read_metrics()
            if progress == Progress():
                self._snapshot(0)
        self.listener.start(progress.epoch, config.epochs, feed.steps())
        self.model.train()
        try:
            for epoch in range(progress.epoch, config.epochs):
                progress = self._epoch(feed, epoch, progress)
        finally:
            self.listener.stop()
        if run is not None:  # before the best weights take their place
            run.write_state(self.model, self.optimizer, progress)
        if self.best:
            load_weights(self.model, self.best, run.best_file if run else Path("memory"))
            self._finished = None
        self._finish(config.epochs)
        self.model.eval()

    def _epoch(self, feed: Feed, epoch: int, progress: Progress) -> Progress:
        config, run, number = self.model.config, self.run, feed.steps()

        def make(step: int) -> Any:
            return feed.batch(epoch, step).to(self.device)

        steps = range(progress.step, number)
        started = time.perf_counter()
        for step, batch in zip(steps, ahead(make, steps)):
            loss, logged = self.objective(self.model, batch)
            if not torch.isfinite(loss):
                raise self._failed(feed, epoch, step, loss.item())
            self.optimizer.zero_grad()
            loss.backward()
            ranks.average_gradients(self.optimizer.parameters)
            self.optimizer.step()
            self.objective.after_step(self.model)
            stop = self._add_step(progress, logged, batch.num_graphs)
            progress.step = step + 1
            now = time.perf_counter()
            progress.seconds, started = progress.seconds + now - started, now
            feed.release()
            self.listener.step(epoch, step + 1, number)
            self._maybe_stop(progress, stop)
        means = {name: total / progress.graphs for name, total in progress.sums.items()}
        started = time.perf_counter()
        metrics = {"epoch": epoch + 1, **means, **self._validate(epoch + 1, progress.choice)}
        metrics["seconds"] = progress.seconds + time.perf_counter() - started
        self.history.append(metrics)
        if run is not None:
            run.append_metrics(metrics)
        if config.snapshot_every and (epoch + 1) % config.snapshot_every == 0:
            self._snapshot(epoch + 1)
        self.listener.epoch(metrics)
        return Progress(epoch=epoch + 1, choice=progress.choice)

    def _failed(self, feed: Feed, epoch: int, step: int, loss: float) -> PartwholeError:
        """What a loss that is no number ends with; the graphs of the step are kept for a look at them."""
        kept = ""
        if self.run is not None:
            feed.graphs_of(epoch, step).save(self.run.failed_folder)
            kept = f" ({self.run.failed_folder} holds its graphs)"
        return PartwholeError(
            f"The loss is {loss} in epoch {epoch + 1}, step {step + 1}{kept}; use a smaller learning rate, "
            "the cosine score or the jsd estimator, and look for extreme numbers among the attributes."
        )

    def _validate(self, epoch: int, choice: EpochChoice) -> dict[str, float]:
        if self.validation is None:
            return {}
        error, better = self.validation.after_epoch(self.model, self.optimizer, epoch, choice)
        if better:
            self.best = {name: value.clone() for name, value in self.model.state_dict().items()}
            if self.run is not None:
                self.run.write_best(self.best)
        return {"validation": error, "lr": self.optimizer.lr}

    def _snapshot(self, epoch: int) -> None:
        if self.run is not None:
            self._finish(epoch)
            self.run.write_snapshot(epoch, self.model.state_dict())

    def _finish(self, epoch: int) -> None:
        if self._finished != epoch:
            self.finish()
            self._finished = epoch

    def _add_step(self, progress: Progress, logged: Mapping[str, Tensor], graphs: int) -> bool:
        """Add what a step logged to the sums of the epoch. Returns whether any rank was asked to stop."""
        values = torch.stack(list(logged.values())).double() * graphs
        counts = values.new_tensor([graphs, self.stop_requested()])
        *sums, counted, stop = ranks.total(torch.cat([values, counts])).tolist()
        for name, value in zip(logged, sums):
            progress.sums[name] = progress.sums.get(name, 0.0) + value
        progress.graphs += round(counted)
        return stop > 0

    def _maybe_stop(self, progress: Progress, stop: bool) -> None:
        """Keep the state now and then, and at once when asked to stop."""
        if self.run is not None and (stop or time.monotonic() - self._saved > STATE_SECONDS):
            self.run.write_state(self.model, self.optimizer, progress)
            self._saved = time.monotonic()
        if stop:
            raise Interrupted(progress)
