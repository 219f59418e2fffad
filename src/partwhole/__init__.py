"""partwhole: vectors for whole graphs, learned without labels."""

from partwhole.errors import PartwholeError
from partwhole.estimator import SubgraphInfoMax
from partwhole.graph import Graph
from partwhole.sources.loading import load_graphs
from partwhole.sources.motifs import make_motif_graphs
from partwhole.store import GraphStore

__all__ = [
    "Graph",
    "GraphStore",
    "PartwholeError",
    "SubgraphInfoMax",
    "load_graphs",
    "make_motif_graphs",
]
