"""Classes by logistic regression on vectors that stay as they are."""

from partwhole.estimators.linear import LogisticClassifier
from partwhole.registry import METHODS

METHODS.add(LogisticClassifier.method, LogisticClassifier)
