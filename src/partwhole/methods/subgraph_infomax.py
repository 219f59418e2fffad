"""The paper's method."""

from __future__ import annotations

from partwhole.estimator import SubgraphInfoMax
from partwhole.methods.base import Method
from partwhole.registry import METHODS

METHODS.register(SubgraphInfoMax.method)(
    Method(
        about="learned subgraphs, reassembled and compared with the whole",
        paper="Wang & Liu, Learning Graph Representation by Aggregating Subgraphs via Mutual "
        "Information Maximization, 2021",
        learns_from="graphs",
        estimator=SubgraphInfoMax,
    )
)
