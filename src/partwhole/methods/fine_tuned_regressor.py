"""Numbers of molecules, by a molecule encoder that goes on learning."""

from partwhole.estimators.molecules.fine_tuned import FineTuned
from partwhole.registry import METHODS


@METHODS.register
class FineTunedRegressor(FineTuned):
    """Numbers of molecules: the weights of an encoder, learned on by labels."""

    method = "fine-tuned-regressor"
    idea = "numbers of molecules: the weights of a molecule encoder, learned on by labels"
    learns_classes = False
