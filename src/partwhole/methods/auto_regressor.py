"""Numbers from few labels, by several models together."""

from partwhole.estimators.property.estimator import PropertyRegressor
from partwhole.registry import METHODS

METHODS.add(PropertyRegressor.method, PropertyRegressor)
