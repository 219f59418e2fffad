"""Classes of molecules, by a molecule encoder that goes on learning."""

from partwhole.estimators.molecules.fine_tuned import FineTuned
from partwhole.registry import METHODS


@METHODS.register
class FineTunedClassifier(FineTuned):
    """Classes of molecules: the weights of an encoder, learned on by labels."""

    method = "fine-tuned-classifier"
    idea = "classes of molecules: the weights of a molecule encoder, learned on by labels"
    learns_classes = True
