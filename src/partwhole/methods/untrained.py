"""The same encoder before its first step: what every learned method has to beat."""

from __future__ import annotations

from partwhole.estimators.subgraph_method import SubgraphMethod
from partwhole.registry import METHODS


@METHODS.register
class UntrainedEncoder(SubgraphMethod):
    """The paper's encoder with its first weights; `epochs` is not used."""

    method = "untrained"
    about = "the encoder with random weights, no learning at all"
    paper = "a baseline: the gain of training is the gain over this row"
    learns_from = "nothing"

    def _build(self, *, fresh: bool) -> None:
        super()._build(fresh=fresh)
        self.model_.config.epochs = 0
