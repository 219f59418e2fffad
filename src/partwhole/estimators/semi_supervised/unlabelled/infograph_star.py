"""InfoGraph*: a second encoder learns without labels, and the two agree on whole graphs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.predictor import Predictor
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.estimators.semi_supervised.unlabelled.base import FromUnlabelled
from partwhole.estimators.semi_supervised.unlabelled.infograph import InfoGraph
from partwhole.graphs.graph import Batch
from partwhole.losses.local_global import Discriminator, LocalGlobal
from partwhole.model import PartWhole
from partwhole.registry import BOUNDS, UNLABELLED


@UNLABELLED.register
class InfoGraphStar(FromUnlabelled):
    """The local-global loss of the second encoder, plus lambda times the information that the vectors
    of the two encoders do not share."""

    idea = "InfoGraph with an encoder of its own, tied to the one that predicts"
    paper = InfoGraph.paper

    def __init__(
        self,
        student: Predictor,
        task: Task,
        config: PredictorConfig,
        draw_encoder: Callable[[], PartWhole],
    ):
        super().__init__(student, task, config, draw_encoder)
        width, hidden = student.encoder.readout.width, self.config.hidden
        self.encoder = draw_encoder()
        self.discriminator = LocalGlobal(hidden, width)
        self.supervised_side = Discriminator(width, hidden)
        self.unsupervised_side = Discriminator(width, hidden)

    def forward(
        self, student: Predictor, batch: Batch, weight: float
    ) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """h(G) of the student, both losses of the second encoder, and what to log."""
        nodes = self.encoder.nodes(batch)
        h = self.encoder.readout(nodes)
        local_global = self.discriminator(nodes, h, self.config.estimator)
        mine = student.encoder.embed(batch)
        scores = self.supervised_side(mine) @ self.unsupervised_side(h).T  # [B, B]
        apart = ~torch.eye(len(scores), dtype=torch.bool, device=scores.device)
        shared: Tensor = BOUNDS.get(self.config.estimator)(scores.diagonal(), scores[apart])
        logged = {"unsupervised": -local_global.detach(), "mutual_information": shared.detach()}
        return mine, -local_global - weight * shared, logged
