"""The paper's: the whole and its reassembled subgraphs."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.estimators.semi_supervised.unlabelled.base import FromUnlabelled
from partwhole.graphs.graph import Batch
from partwhole.losses.head_tail import IDEA, PAPER
from partwhole.model import PartWhole
from partwhole.registry import UNLABELLED
from partwhole.training.objectives import head_tail_loss


@UNLABELLED.register
class SubgraphInfoMaxLoss(FromUnlabelled):
    """Eq. 18 with the Head-Tail loss of Eq. 17."""

    idea, paper = IDEA, PAPER

    def __init__(
        self,
        student: Predictor,
        task: Task,
        config: PredictorConfig,
        draw_encoder: Callable[[], PartWhole],
    ):
        super().__init__(student, task, config, draw_encoder)
        self.corrupts = self.config.head_negatives

    def forward(
        self, student: Predictor, batch: Batch, weight: float
    ) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """h(G), lambda times the Head-Tail loss, and what to log."""
        views = student.encoder(batch)
        loss, logged = head_tail_loss(views, self.config)
        return views.graph, weight * loss, {"unsupervised": loss.detach(), **logged}
