"""Classes from few labels, by several models together."""

from partwhole.estimators.property.estimator import PropertyClassifier
from partwhole.registry import METHODS

METHODS.add(PropertyClassifier.method, PropertyClassifier)
