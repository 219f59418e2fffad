"""The same encoder before its first step: what every learned method has to beat."""

from __future__ import annotations

from partwhole.estimator import SubgraphInfoMax
from partwhole.methods.base import Method
from partwhole.registry import METHODS
from partwhole.training.trainer import Trainer


class UntrainedEncoder(SubgraphInfoMax):
    """`SubgraphInfoMax` with its first weights; `epochs` is not used."""

    method = "untrained"

    def _train(self, trainer: Trainer) -> None:
        self.model_.config.epochs = 0
        super()._train(trainer)


METHODS.register(UntrainedEncoder.method)(
    Method(
        about="the encoder with random weights, no learning at all",
        paper="a baseline: a gain of training is a gain over this row",
        learns_from="nothing",
        estimator=UntrainedEncoder,
    )
)
