"""How training goes, on standard error: a bar in a terminal, a line that is rewritten in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from partwhole.losses.head_tail import knowing_all, knowing_nothing
from partwhole.registry import Plugin
from partwhole.training.trainer import Listener

REWRITE_SECONDS = 0.2  # a notebook keeps up with no more


def shown_progress(estimator: Plugin | None) -> Listener:
    """What shows a fit here; `estimator` of mutual information, where the method has one. Rich would need
    ipywidgets in a notebook, and shows nothing without them."""
    figures = Figures() if estimator is None else Figures(knowing_nothing(estimator), knowing_all(estimator))
    return ProgressLine(figures) if Console().is_jupyter else ProgressBar(figures)


class Figures:
    """The figures of an epoch in words; `nothing`, `all`: the mutual information where nothing and where all
    is known."""

    def __init__(self, nothing: float | None = None, all: float | None = None):
        self.nothing, self.all = nothing, all

    def describe(self, metrics: Mapping[str, Any]) -> list[str]:
        """The figures of an epoch, each with its word."""
        parts = [f"loss {metrics['loss']:.4g}"]
        if "mutual_information" in metrics:
            most = "" if self.all is None else f", all: {abs(self.all):.3g}"
            beside = "" if self.nothing is None else f" (nothing known: {self.nothing:.3g}{most})"
            parts.append(f"MI {metrics['mutual_information']:.3g}{beside}")
        if "agreement" in metrics:
            parts.append(f"agreement {metrics['agreement']:.2f}")
        if "validation" in metrics:
            parts.append(f"validation {metrics['validation']:.4g}")
        if "entropy" in metrics:
            parts.append(f"entropy {metrics['entropy']:.2f} bit")
            parts.append(f"sizes {metrics['smallest']:.0%}-{metrics['largest']:.0%}")
        return parts

    def legend(self, metrics: Mapping[str, Any]) -> str:
        """What these words stand for."""
        terms = ["loss: what training makes small."]
        if "mutual_information" in metrics:
            beside = "" if self.nothing is None else f", below {self.nothing:.3g} worse than knowing nothing"
            terms.append(
                f"MI: mutual information between parts and whole, estimated: the higher the better{beside}."
            )
        if "agreement" in metrics:
            terms.append(
                "agreement: of the network with what can be said of graphs without learning, 0 to 1."
            )
        if "validation" in metrics:
            terms.append("validation: error on labelled graphs that are held out.")
        if "entropy" in metrics:
            terms.append("entropy: how undecided a node is between subgraphs.")
            terms.append("sizes: smallest and largest subgraph, in shares of the nodes.")
        return " ".join(terms)


class ProgressBar(Listener):
    """Epochs done and left, and below them the figures of the last epoch; their legend once, above."""

    def __init__(self, figures: Figures, console: Console | None = None):
        self.figures, self.told = figures, False
        self.bar = _BarAndFigures(
            TextColumn("training"),
            BarColumn(bar_width=24),
            TextColumn("epoch {task.fields[epoch]}/{task.fields[epochs]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console or Console(stderr=True),
        )

    def start(self, done: int, epochs: int, steps: int) -> None:
        """Show the bar."""
        fields: dict[str, Any] = {"epoch": done, "epochs": epochs, "figures": []}
        self.task = self.bar.add_task("", total=epochs * steps, completed=done * steps, **fields)
        self.bar.start()

    def step(self, epoch: int, step: int, steps: int) -> None:
        """Move the bar."""
        self.bar.update(self.task, completed=epoch * steps + step)

    def epoch(self, metrics: Mapping[str, Any]) -> None:
        """Show the figures of the epoch."""
        if not self.told:
            self.bar.console.print(Text(self.figures.legend(metrics), style="dim"))
            self.told = True
        self.bar.update(self.task, epoch=metrics["epoch"], figures=self.figures.describe(metrics))

    def stop(self) -> None:
        """Leave the bar as it is."""
        self.bar.stop()


class _BarAndFigures(Progress):
    """Two lines: beside the bar, the figures would be cut in a terminal of usual width."""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield self.make_tasks_table(self.tasks)
        for task in self.tasks:
            yield Columns(map(Text, task.fields["figures"]), padding=(0, 2))


class ProgressLine(Listener):
    """The same without a terminal: one line, written over the one before."""

    def __init__(self, figures: Figures):
        self.figures, self.words, self.width = figures, "", 0
        self.written = -REWRITE_SECONDS

    def start(self, done: int, epochs: int, steps: int) -> None:
        """Begin the line."""
        self.done, self.epochs = done, epochs
        self.first, self.last = done * steps, epochs * steps  # steps
        self.started = time.monotonic()

    def step(self, epoch: int, step: int, steps: int) -> None:
        """Write the line anew, if enough time has passed."""
        now = time.monotonic()
        if now - self.written < REWRITE_SECONDS:
            return
        self.written, passed = now, epoch * steps + step
        left = (now - self.started) / (passed - self.first) * (self.last - passed)
        self._write(f"{timedelta(seconds=round(left))} left")

    def epoch(self, metrics: Mapping[str, Any]) -> None:
        """Put the figures of the epoch into the line."""
        if not self.words:
            print(f"\r{self.figures.legend(metrics):<{self.width}}", file=sys.stderr)
        self.done, self.words = metrics["epoch"], "  ".join(self.figures.describe(metrics))

    def stop(self) -> None:
        """End the line."""
        self._write(f"{timedelta(seconds=round(time.monotonic() - self.started))}")
        print(file=sys.stderr)

    def _write(self, when: str) -> None:
        """Over all that the line before it held."""
        line = f"epoch {self.done}/{self.epochs}  {when}  {self.words}"
        print(f"\r{line:<{self.width}}", end="", file=sys.stderr, flush=True)
        self.width = len(line)
