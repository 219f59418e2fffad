"""partwhole: vectors for whole graphs, learned without labels.

Names are imported on first use, so that `partwhole --help` need not wait for PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partwhole.errors import PartwholeError
    from partwhole.estimators.loading import load_pretrained, load_run
    from partwhole.estimators.predictors import SubgraphInfoMaxClassifier, SubgraphInfoMaxRegressor
    from partwhole.estimators.property.estimator import PropertyClassifier, PropertyRegressor
    from partwhole.estimators.subgraph_infomax import SubgraphInfoMax
    from partwhole.export.groups import cluster_graphs, outlier_scores
    from partwhole.export.neighbors import nearest_graphs
    from partwhole.graphs.graph import Graph
    from partwhole.graphs.store import GraphStore
    from partwhole.model import PartWhole
    from partwhole.registry import METHODS
    from partwhole.sources.datasets.motifs import (
        make_ba2motif_graphs,
        make_motif_graphs,
        make_planted_graphs,
    )
    from partwhole.sources.loading import load_graphs

    __version__: str

_HOMES = {
    "METHODS": "partwhole.registry",
    "Graph": "partwhole.graphs.graph",
    "GraphStore": "partwhole.graphs.store",
    "PartWhole": "partwhole.model",
    "PartwholeError": "partwhole.errors",
    "PropertyClassifier": "partwhole.estimators.property.estimator",
    "PropertyRegressor": "partwhole.estimators.property.estimator",
    "SubgraphInfoMax": "partwhole.estimators.subgraph_infomax",
    "SubgraphInfoMaxClassifier": "partwhole.estimators.predictors",
    "SubgraphInfoMaxRegressor": "partwhole.estimators.predictors",
    "cluster_graphs": "partwhole.export.groups",
    "load_graphs": "partwhole.sources.loading",
    "load_pretrained": "partwhole.estimators.loading",
    "load_run": "partwhole.estimators.loading",
    "make_ba2motif_graphs": "partwhole.sources.datasets.motifs",
    "make_motif_graphs": "partwhole.sources.datasets.motifs",
    "make_planted_graphs": "partwhole.sources.datasets.motifs",
    "nearest_graphs": "partwhole.export.neighbors",
    "outlier_scores": "partwhole.export.groups",
}

__all__ = [
    "METHODS",
    "Graph",
    "GraphStore",
    "PartWhole",
    "PartwholeError",
    "PropertyClassifier",
    "PropertyRegressor",
    "SubgraphInfoMax",
    "SubgraphInfoMaxClassifier",
    "SubgraphInfoMaxRegressor",
    "cluster_graphs",
    "load_graphs",
    "load_pretrained",
    "load_run",
    "make_ba2motif_graphs",
    "make_motif_graphs",
    "make_planted_graphs",
    "nearest_graphs",
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
