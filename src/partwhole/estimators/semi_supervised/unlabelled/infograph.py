"""InfoGraph: every node against the graph it belongs to, by the encoder that predicts."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.estimators.semi_supervised.unlabelled.base import FromUnlabelled
from partwhole.graphs.graph import Batch
from partwhole.losses.local_global import LocalGlobal
from partwhole.model import PartWhole
from partwhole.registry import UNLABELLED


@UNLABELLED.register
class InfoGraph(FromUnlabelled):
    """lambda times the local-global loss on the shared encoder."""

    idea = "nodes compared with the graph they belong to"
    paper = "Sun et al., InfoGraph, ICLR 2020"

    def __init__(
        self,
        student: Predictor,
        task: Task,
        config: PredictorConfig,
        draw_encoder: Callable[[], PartWhole],
    ):
        super().__init__(student, task, config, draw_encoder)
        self.discriminator = LocalGlobal(self.config.hidden, student.encoder.readout.width)

    def forward(
        self, student: Predictor, batch: Batch, weight: float
    ) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """h(G), -lambda times the local-global bound, and what to log."""
        encoder = student.encoder
        nodes = encoder.nodes(batch)
        h = encoder.readout(nodes)
        bound = self.discriminator(nodes, h, self.config.estimator)
        logged = {"unsupervised": -bound.detach(), "mutual_information": bound.detach()}
        return h, -weight * bound, logged
