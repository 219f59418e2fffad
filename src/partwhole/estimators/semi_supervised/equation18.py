"""Eq. 18: a supervised loss where labels are known, and lambda times one that needs none."""

from __future__ import annotations

from torch import Tensor

from partwhole.estimators.semi_supervised.labelled_batches import LabelledBatch
from partwhole.estimators.semi_supervised.model import SemiSupervisedModel
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.parallel import ranks
from partwhole.training.plan import Objective


class SemiSupervisedObjective(Objective[SemiSupervisedModel, LabelledBatch]):
    """One pass serves both losses, so that BatchNorm sees what is predicted and what is contrasted as
    one; running statistics of two separate passes would fit neither."""

    def __init__(self, task: Task, weight: float):
        self.task, self.weight = task, weight

    def __call__(
        self, network: SemiSupervisedModel, batch: LabelledBatch
    ) -> tuple[Tensor, dict[str, Tensor]]:
        student, targets = network.student, ranks.gathered(batch.targets)
        if self.weight == 0:
            loss = self.task.loss(ranks.gathered(student(batch.graphs)), targets)
            return loss, {"loss": loss.detach()}
        h, added, logged = network.companion(student, batch.graphs, self.weight)
        supervised = self.task.loss(ranks.gathered(student.head(h)), targets)
        loss = supervised + added
        return loss, {"loss": loss.detach(), "supervised": supervised.detach(), **logged}

    def after_step(self, network: SemiSupervisedModel) -> None:
        """Let what learns from unlabelled graphs follow the student."""
        network.companion.after_step(network.student)
