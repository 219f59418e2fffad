"""What a method is: an estimator with `fit` and `transform`, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from partwhole.estimator import SubgraphInfoMax
from partwhole.registry import METHODS
from partwhole.training.checkpoint import RunFolder


@dataclass(frozen=True)
class Method:
    """A row of the results tables."""

    about: str
    paper: str
    learns_from: str  # "graphs": no labels; "labels"; or "nothing"
    estimator: type[SubgraphInfoMax]


def load_run(path: str | Path, epoch: int | None = None) -> SubgraphInfoMax:
    """The fitted estimator of a run folder, by whichever method it was made."""
    name = RunFolder(path).read_config().get("method", "subgraph-infomax")
    method: Method = METHODS.get(name)
    return method.estimator.load(path, epoch)
