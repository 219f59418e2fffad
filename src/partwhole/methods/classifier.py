"""Classes from few labels and many graphs."""

from partwhole.estimators.predictors import SubgraphInfoMaxClassifier
from partwhole.registry import METHODS

METHODS.add(SubgraphInfoMaxClassifier.method, SubgraphInfoMaxClassifier)
