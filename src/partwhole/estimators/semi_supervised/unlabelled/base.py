"""What graphs without labels add to the supervised loss."""

from __future__ import annotations

from torch import Tensor, nn

from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.graphs.graph import Batch


class FromUnlabelled(nn.Module):
    """A companion of the predictor, with the weights that its loss needs besides the predictor's."""

    about: str  # one line in `partwhole methods`
    paper: str
    corrupts = False  # whether batches must carry G^

    def __init__(self, student: Predictor, task: Task):
        super().__init__()
        self.config, self.task = student.encoder.config, task

    def forward(
        self, student: Predictor, batch: Batch, weight: float
    ) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """h(G) [B, d] of the batch as the student sees it, what is added to the supervised loss, and what
        to log. `weight` is lambda of Eq. 18."""
        raise TypeError("a companion defines forward")

    def after_step(self, student: Predictor) -> None:
        """Called when the optimiser has moved the student."""

    def predictor(self, student: Predictor) -> Predictor:
        """The one that is scored."""
        return student
