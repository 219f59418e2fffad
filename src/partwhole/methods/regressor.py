"""Numbers from few labels and many graphs."""

from partwhole.estimators.predictors import SubgraphInfoMaxRegressor
from partwhole.registry import METHODS

METHODS.add(SubgraphInfoMaxRegressor.method, SubgraphInfoMaxRegressor)
