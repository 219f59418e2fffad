"""What a model learned from, in words."""

from __future__ import annotations

from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.labelled import AnyLabelled, LabelledEstimator
from partwhole.estimators.linear import LinearEstimator

MOST_NAMED = 3  # targets in a sentence


def maker_of_vectors(estimator: AnyEstimator) -> str:
    """The end of "graphs that lie close are alike to": who made the vectors, and what that learned from."""
    if isinstance(estimator, LinearEstimator):
        encoder = maker_of_vectors(estimator.encoder_).removeprefix("the model")
        learned = labels_of(estimator)
        return (
            f"the encoder ({estimator.vectors}){encoder}; predictions from its vectors learned from {learned}"
        )
    if isinstance(estimator, LabelledEstimator):
        return f"the model, which learned from {labels_of(estimator)}"
    return "the model, which never saw a label"


def labels_of(estimator: AnyLabelled) -> str:
    """The labels that were learned from: how many, where the run tells, and of what."""
    names, graphs = estimator.target_names_, estimator.about_["task"].get("labelled")
    if len(names) == 1:
        count = "" if graphs is None else f"{graphs} "
        return f"{count}label{'s' * (graphs != 1)} of {names[0]}"
    *most, last = names
    targets = f"{', '.join(most)} and {last}" if len(names) <= MOST_NAMED else f"{len(names)} targets"
    count = "" if graphs is None else f"{graphs} graph{'s' * (graphs != 1)} with "
    return f"{count}labels of {targets}"
