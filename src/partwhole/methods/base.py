"""Run folders of any method.

A method is an estimator with `fit` and `transform`, the class attributes `method`, `about`,
`paper` and `learns_from`, and `save` and `load`.
"""

from __future__ import annotations

from pathlib import Path

from partwhole.estimator import SubgraphInfoMax
from partwhole.registry import METHODS
from partwhole.training.checkpoint import RunFolder


def load_run(path: str | Path, epoch: int | None = None) -> SubgraphInfoMax:
    """The fitted estimator of a run folder, by whichever method it was made."""
    name = RunFolder(path).read_config().get("method", "")
    estimator: SubgraphInfoMax = METHODS.get(name).load(path, epoch)
    return estimator
