"""The four protocols of the results tables, never mixed (docs/paper-ledger.md, row 12).

They differ in what they may choose by looking at the test folds: `untrained` and `label-free`
nothing, `paper` the epoch, `authors` the epoch and the classifier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from partwhole.errors import PartwholeError, near_miss
from partwhole.evaluation.classifiers import CLASSIFIERS, KERNEL, RBF

LABEL_FREE, UNTRAINED = "label-free", "untrained"
Scores = dict[str, dict[int, np.ndarray]]  # classifier -> epoch -> accuracies [runs, folds], in percent
SVM = (RBF,)
VALIDATED = "validated-network"  # at the epoch chosen inside its training folds
NETWORK = "network"  # at every kept epoch
HOW = {  # where it is not as the protocol says
    KERNEL: "nothing chosen on test folds; SVM on similarities",
    VALIDATED: "epoch chosen by a tenth of the training part",
    NETWORK: "best kept epoch on the test folds",
}
WITHOUT_EPOCHS = "nothing chosen on test folds; RBF SVM"
VECTORS = tuple(name for name in CLASSIFIERS if name != KERNEL)


@dataclass(frozen=True)
class Protocol:
    """Which scores of a run may be looked at before one is named."""

    description: str
    epochs: Callable[[list[int]], list[int]]  # which of the kept epochs it looks at
    classifiers: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """What a protocol makes of the scores of one run."""

    epoch: int
    classifier: str
    scores: np.ndarray  # [runs, folds]
    among: int  # how many (epoch, classifier) pairs it chose from

    @property
    def accuracy(self) -> float:
        """The mean over all folds, in percent."""
        return float(self.scores.mean())

    def how(self, protocol: str) -> str:
        """Tell in words what was chosen by what."""
        if self.classifier == RBF and self.epoch == 0 and protocol == LABEL_FREE:
            return WITHOUT_EPOCHS
        return HOW.get(self.classifier, protocol_named(protocol).description)


def trained_epochs(kept: list[int]) -> list[int]:
    """All kept epochs but the weights before the first step."""
    return [epoch for epoch in kept if epoch > 0]


PROTOCOLS = {
    UNTRAINED: Protocol("weights before the first step; RBF SVM", lambda kept: [0], SVM),
    LABEL_FREE: Protocol("last epoch, nothing chosen on test folds; RBF SVM", lambda kept: kept[-1:], SVM),
    "paper": Protocol("best kept epoch on the test folds; RBF SVM", trained_epochs, SVM),
    "authors": Protocol(
        "best kept epoch and best of three classifiers on the test folds", trained_epochs, VECTORS
    ),
}


def protocol_named(name: str) -> Protocol:
    """Look a protocol up; a misspelt name is told with its near miss."""
    if name not in PROTOCOLS:
        raise PartwholeError(f"There is no protocol {name!r}.{near_miss(name, PROTOCOLS)}")
    return PROTOCOLS[name]


def choose(protocol: str, scores: Scores) -> Choice | None:
    """Apply a protocol to scores; None where these lack something that it looks at."""
    rules = protocol_named(protocol)
    classifiers = _classifiers(protocol, scores)
    if not classifiers or any(classifier not in scores for classifier in classifiers):
        return None
    tried = [
        (classifier, epoch, scores[classifier].get(epoch))
        for epoch in rules.epochs(sorted(scores[classifiers[0]]))
        for classifier in classifiers
    ]
    whole = [(classifier, epoch, s) for classifier, epoch, s in tried if s is not None]
    if len(whole) < len(tried) or not whole:
        return None
    classifier, epoch, best = max(whole, key=lambda t: t[2].mean())
    return Choice(epoch, classifier, best, len(whole))


def _classifiers(protocol: str, scores: Scores) -> tuple[str, ...]:
    """Those of the protocol, or what stands for them where there are no vectors to classify."""
    if protocol == LABEL_FREE:
        return next(((name,) for name in (KERNEL, VALIDATED) if name in scores), SVM)
    if NETWORK in scores:
        return (NETWORK,) if protocol == "paper" else ()
    return protocol_named(protocol).classifiers
