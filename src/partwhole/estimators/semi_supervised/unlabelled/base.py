"""What graphs without labels add to the supervised loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from torch import Tensor, nn

from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.graphs.graph import Batch
from partwhole.model import PartWhole


class FromUnlabelled(nn.Module, ABC):
    """A companion of the predictor, with the weights that its loss needs besides the predictor's."""

    idea: str  # one line in `partwhole methods`
    paper: str
    corrupts = False  # whether batches must carry G^

    def __init__(
        self,
        student: Predictor,
        task: Task,
        config: PredictorConfig,
        draw_encoder: Callable[[], PartWhole],
    ):
        """`draw_encoder` makes another encoder of the same shape, with other first weights."""
        super().__init__()
        self.config, self.task = config, task

    @abstractmethod
    def forward(
        self, student: Predictor, batch: Batch, weight: float
    ) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """h(G) [B, d] of the batch as the student sees it, what is added to the supervised loss, and what
        to log. `weight` is lambda of Eq. 18."""

    def after_step(self, student: Predictor) -> None:
        """Called when the optimiser has moved the student."""

    def predictor(self, student: Predictor) -> Predictor:
        """The one that is scored."""
        return student
