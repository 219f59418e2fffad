"""Mean-Teacher: the student agrees with the running mean of its own past."""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
from torch import Tensor

from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.estimators.semi_supervised.unlabelled.base import FromUnlabelled
from partwhole.graphs.graph import Batch
from partwhole.model import PartWhole
from partwhole.registry import UNLABELLED

DECAY = 0.999  # of the running mean, once it has warmed up


@UNLABELLED.register
class MeanTeacher(FromUnlabelled):
    """weight times the mean squared difference of student and teacher; the teacher is scored."""

    idea = "a student that agrees with the running mean of its weights"
    paper = "Tarvainen & Valpola, Mean teachers are better role models, NeurIPS 2017"

    def __init__(
        self,
        student: Predictor,
        task: Task,
        config: PredictorConfig,
        draw_encoder: Callable[[], PartWhole],
    ):
        super().__init__(student, task, config, draw_encoder)
        self.teacher = copy.deepcopy(student).requires_grad_(False)
        self.steps: Tensor
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(
        self, student: Predictor, batch: Batch, weight: float
    ) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """h(G), lambda times how far student and teacher are apart, and what to log."""
        with torch.no_grad():
            wanted = self.teacher(batch)
        h = student.encoder.embed(batch)
        apart = self.task.disagreement(student.head(h), wanted)
        return h, weight * apart, {"unsupervised": apart.detach()}

    @torch.no_grad()
    def after_step(self, student: Predictor) -> None:
        """The first steps count for more, so that the random start is soon forgotten."""
        self.steps += 1
        decay = min(1 - 1 / (int(self.steps) + 1), DECAY)
        torch._foreach_lerp_(list(self.teacher.parameters()), list(student.parameters()), 1 - decay)
        for kept, now in zip(self.teacher.buffers(), student.buffers()):
            kept.copy_(now)  # BatchNorm's, which are running means themselves

    def predictor(self, student: Predictor) -> Predictor:
        """The teacher."""
        return self.teacher
