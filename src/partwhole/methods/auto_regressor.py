"""Numbers from few labels, by what predicts best."""

from partwhole.estimators.property.estimator import PropertyRegressor
from partwhole.registry import METHODS

METHODS.add(PropertyRegressor.method, PropertyRegressor)
