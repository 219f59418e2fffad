"""A progress bar for training, on standard error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from partwhole.training.trainer import Listener


class ProgressBar(Listener):
    """Epochs done and left, with loss, mutual information, membership entropy and sizes."""

    def __init__(self) -> None:
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(bar_width=24),
            TextColumn("epoch {task.fields[epoch]}/{task.fields[epochs]}"),
            TextColumn("{task.fields[metrics]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )

    def start(self, done: int, epochs: int, steps: int) -> None:
        fields: dict[str, Any] = {"epoch": done, "epochs": epochs, "metrics": ""}
        self.task = self.bar.add_task("", total=epochs * steps, completed=done * steps, **fields)
        self.bar.start()

    def step(self, epoch: int, step: int, steps: int) -> None:
        self.bar.update(self.task, completed=epoch * steps + step)

    def epoch(self, metrics: Mapping[str, Any]) -> None:
        self.bar.update(self.task, epoch=metrics["epoch"], metrics=describe(metrics))

    def stop(self) -> None:
        self.bar.stop()


def describe(metrics: Mapping[str, Any]) -> str:
    """The figures of an epoch in one line; `sizes` are shares of a graph's nodes."""
    parts = [f"loss {metrics['loss']:.4g}"]
    if "mutual_information" in metrics:
        parts.append(f"MI {metrics['mutual_information']:.3g}")
    if "validation" in metrics:
        parts.append(f"validation {metrics['validation']:.4g}")
    if "entropy" in metrics:
        parts.append(f"entropy {metrics['entropy']:.2f} bit")
        parts.append(f"sizes {metrics['smallest']:.0%}-{metrics['largest']:.0%}")
    return "  ".join(parts)
