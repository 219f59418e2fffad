"""The training loop.

Everything random in a step is a function of (seed, epoch, step): the state to resume from is the
weights, the moments of Adam and two counters, and a resumed run ends with the same weights as an
undisturbed one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic

import torch
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.nn.fused import match_threads
from partwhole.parallel import ranks
from partwhole.runs.folder import RunFolder, load_weights
from partwhole.training.adam import Adam
from partwhole.training.plan import B, N, Schedule, TrainingPlan
from partwhole.training.prefetch import ahead
from partwhole.training.state import Progress, read_state, write_state
from partwhole.training.validation import EpochChoice

STATE_SECONDS = 20.0  # a crash costs at most this much work


class Listener:
    """Told what training does; the command line shows it, tests and reports may use it."""

    def start(self, done: int, epochs: int, steps: int) -> None:
        """Training begins after `done` of `epochs` epochs of so many steps."""

    def step(self, epoch: int, step: int, steps: int) -> None:
        """So many steps of an epoch are done."""

    def epoch(self, metrics: Mapping[str, Any]) -> None:
        """An epoch is done, with these figures."""

    def stop(self) -> None:
        """Training is over, or failed."""


class Interrupted(Exception):
    """Training was asked to stop and left a state to resume from."""

    def __init__(self, progress: Progress):
        super().__init__(f"stopped after epoch {progress.epoch}")
        self.progress = progress


class Trainer(Generic[N, B]):
    """Carries out a plan.

    Of several ranks each has its own piece of every batch, all take the same step, and the first one keeps
    the run folder.
    """

    def __init__(
        self,
        plan: TrainingPlan[N, B],
        schedule: Schedule,
        *,
        run: RunFolder | None = None,
        listener: Listener | None = None,
        stop_requested: Callable[[], bool] = lambda: False,
    ):
        self.plan, self.schedule, self.network = plan, schedule, plan.network
        self.best: dict[str, Tensor] = {}  # weights of the best epoch so far
        self.run = run
        self.listener = listener or Listener()
        self.stop_requested = stop_requested
        self._beside: tuple[int, Mapping[str, Tensor]] | None = None  # an epoch, and what makes it whole
        match_threads()
        self.network.to(schedule.device)
        self.optimizer = Adam(self.network.named_parameters(), lr=schedule.lr)
        self.history: list[dict[str, Any]] = []
        self._saved = time.monotonic()

    def fit(self) -> None:
        """Train from where the run folder stands, or from the beginning."""
        epochs, progress = self.schedule.epochs, Progress()
        if self.run is not None:
            progress = read_state(self.run, self.network, self.optimizer)
            self.optimizer.lr = progress.choice.lr or self.schedule.lr
            if progress.choice.epoch:
                self.best = self.run.read_best()
        ranks.wait_for_all()  # all have read before one writes
        run = self.run = self.run if ranks.is_first() else None
        if run is not None:
            run.forget_after(progress.epoch)
            self.history = run.read_metrics()
            if progress == Progress():
                self._snapshot(0)
        self.listener.start(progress.epoch, epochs, self.plan.feed.steps())
        self.network.train()
        try:
            for epoch in range(progress.epoch, epochs):
                progress = self._epoch(epoch, progress)
        finally:
            self.listener.stop()
        if run is not None:  # before the best weights take their place
            write_state(run, self.network, self.optimizer, progress)
        if self.best:
            load_weights(self.network, self.best, run.best_file if run else Path("memory"))
            self._beside = None
        self._whole(epochs)
        self.network.eval()

    def _epoch(self, epoch: int, progress: Progress) -> Progress:
        feed, objective, run = self.plan.feed, self.plan.objective, self.run
        number, every = feed.steps(), self.schedule.snapshot_every

        def make(step: int) -> B:
            return feed.batch(epoch, step).to(self.schedule.device)

        steps = range(progress.step, number)
        started = time.perf_counter()
        for step, batch in zip(steps, ahead(make, steps)):
            loss, logged = objective(self.network, batch)
            if not torch.isfinite(loss):
                raise self._failed(epoch, step, loss.item())
            self.optimizer.zero_grad()
            loss.backward()
            ranks.average_gradients(self.optimizer.parameters)
            if self.schedule.anneal:
                self.optimizer.lr = self.schedule.rate(epoch * number + step, self.schedule.epochs * number)
            self.optimizer.step()
            objective.after_step(self.network)
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
        if every and (epoch + 1) % every == 0:
            self._snapshot(epoch + 1)
        self.listener.epoch(metrics)
        return Progress(epoch=epoch + 1, choice=progress.choice)

    def _failed(self, epoch: int, step: int, loss: float) -> PartwholeError:
        """What a loss that is no number ends with; the graphs of the step are kept for a look at them."""
        kept = ""
        if self.run is not None:
            self.plan.feed.graphs_of(epoch, step).save(self.run.failed_folder)
            kept = f" ({self.run.failed_folder} holds its graphs)"
        return PartwholeError(
            f"The loss is {loss} in epoch {epoch + 1}, step {step + 1}{kept}; use a smaller learning rate, "
            "the cosine score or the jsd estimator, and look for extreme numbers among the attributes."
        )

    def _validate(self, epoch: int, choice: EpochChoice) -> dict[str, float]:
        if self.plan.validation is None:
            return {}
        error, better = self.plan.validation.after_epoch(self.network, self.optimizer, epoch, choice)
        if better:
            self.best = {name: value.clone() for name, value in self.network.state_dict().items()}
            if self.run is not None:
                self.run.write_best(self.best)
        return {"validation": error, "lr": self.optimizer.lr}

    def _snapshot(self, epoch: int) -> None:
        if self.run is not None:
            self.run.write_snapshot(epoch, {**self.network.state_dict(), **self._whole(epoch)})

    def _whole(self, epoch: int) -> Mapping[str, Tensor]:
        """What makes the weights after this epoch whole; found once."""
        if self._beside is None or self._beside[0] != epoch:
            self._beside = epoch, self.plan.finish()
        return self._beside[1]

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
            write_state(self.run, self.network, self.optimizer, progress)
            self._saved = time.monotonic()
        if stop:
            raise Interrupted(progress)
