"""Run folders of any method.

A method is a `GraphMethod` with the class attributes `method`, `about`, `paper` and `learns_from`.
"""

from __future__ import annotations

from pathlib import Path

from partwhole.method import GraphMethod
from partwhole.registry import METHODS
from partwhole.training.checkpoint import RunFolder


def load_run(path: str | Path, epoch: int | None = None) -> GraphMethod:
    """The fitted estimator of a run folder, by whichever method it was made."""
    name = RunFolder(path).read_config().get("method", "")
    estimator: GraphMethod = METHODS.get(name).load(path, epoch)
    return estimator
