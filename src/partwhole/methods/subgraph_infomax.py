"""The paper's method."""

from partwhole.estimators.subgraph_infomax import SubgraphInfoMax
from partwhole.registry import METHODS

METHODS.add(SubgraphInfoMax.method, SubgraphInfoMax)
