"""The paper's method."""

from partwhole.estimator import SubgraphInfoMax
from partwhole.registry import METHODS

METHODS.add(SubgraphInfoMax.method, SubgraphInfoMax)
