"""Classes from few labels, by what predicts best."""

from partwhole.estimators.property.estimator import PropertyClassifier
from partwhole.registry import METHODS

METHODS.add(PropertyClassifier.method, PropertyClassifier)
