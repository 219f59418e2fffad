"""partwhole: vectors for whole graphs, learned without labels.

Names are imported on first use, so that `partwhole --help` need not wait for PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partwhole.errors import PartwholeError
    from partwhole.estimator import SubgraphInfoMax
    from partwhole.graph import Graph
    from partwhole.groups import cluster_graphs, outlier_scores
    from partwhole.method import load_pretrained, load_run
    from partwhole.predictors import SubgraphInfoMaxClassifier, SubgraphInfoMaxRegressor
    from partwhole.sources.loading import load_graphs
    from partwhole.sources.motifs import make_motif_graphs
    from partwhole.store import GraphStore

    __version__: str

_HOMES = {
    "Graph": "partwhole.graph",
    "GraphStore": "partwhole.store",
    "PartwholeError": "partwhole.errors",
    "SubgraphInfoMax": "partwhole.estimator",
    "SubgraphInfoMaxClassifier": "partwhole.predictors",
    "SubgraphInfoMaxRegressor": "partwhole.predictors",
    "cluster_graphs": "partwhole.groups",
    "load_graphs": "partwhole.sources.loading",
    "load_pretrained": "partwhole.method",
    "load_run": "partwhole.method",
    "make_motif_graphs": "partwhole.sources.motifs",
    "outlier_scores": "partwhole.groups",
}

__all__ = [
    "Graph",
    "GraphStore",
    "PartwholeError",
    "SubgraphInfoMax",
    "SubgraphInfoMaxClassifier",
    "SubgraphInfoMaxRegressor",
    "cluster_graphs",
    "load_graphs",
    "load_pretrained",
    "load_run",
    "make_motif_graphs",
    "outlier_scores",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("partwhole")
    if name not in _HOMES:
        raise AttributeError(f"module 'partwhole' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, "__version__"])
