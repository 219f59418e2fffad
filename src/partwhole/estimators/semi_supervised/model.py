"""The predictor, and what learns beside it from unlabelled graphs."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.estimators.semi_supervised.unlabelled.base import FromUnlabelled
from partwhole.graphs.graph import Batch
from partwhole.model import PartWhole
from partwhole.registry import UNLABELLED


class SemiSupervisedModel(nn.Module):
    """All that is trained: the predictor, and whatever its companion needs."""

    def __init__(
        self,
        config: PredictorConfig,
        encoder: PartWhole,
        task: Task,
        draw_encoder: Callable[[], PartWhole],
    ):
        """`draw_encoder` makes another encoder of the same shape, with other first weights."""
        super().__init__()
        self.student = Predictor(encoder, config.hidden, task.outputs)
        self.companion: FromUnlabelled = UNLABELLED.get(config.unlabelled)(
            self.student, task, config, draw_encoder
        )
        self.companion_predicts = config.unsupervised_weight > 0

    @property
    def predictor(self) -> Predictor:
        """The one whose predictions count: the student, unless the companion has a better one."""
        return self.companion.predictor(self.student) if self.companion_predicts else self.student

    def forward(self, batch: Batch) -> Tensor:
        """Predictions [B, outputs]"""
        out: Tensor = self.predictor(batch)
        return out
