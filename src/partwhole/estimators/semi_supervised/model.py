"""The predictor, and what learns beside it from unlabelled graphs."""

from __future__ import annotations

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

    def __init__(self, config: PredictorConfig, encoder: PartWhole, task: Task):
        super().__init__()
        self.config = config
        self.student = Predictor(encoder, task.outputs)
        self.companion: FromUnlabelled = UNLABELLED.get(config.unlabelled)(self.student, task)

    @property
    def predictor(self) -> Predictor:
        """The one whose predictions count: the student, unless the companion has a better one."""
        if self.config.unsupervised_weight == 0:
            return self.student
        return self.companion.predictor(self.student)

    def forward(self, batch: Batch) -> Tensor:
        """Predictions [B, outputs]"""
        out: Tensor = self.predictor(batch)
        return out
