"""Graph networks that learn classes from labels alone: the supervised rows of the paper's Table 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from partwhole.config import LabelConfig, option
from partwhole.estimators.labelled import Classes
from partwhole.estimators.labelled_network import LabelledNetwork
from partwhole.estimators.self_supervised.network import LayerwiseEncoder
from partwhole.estimators.semi_supervised.labelled_batches import LabelledBatch
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.graphs.graph import Batch
from partwhole.nn.layers import MLP
from partwhole.training.objectives import Objective


@dataclass(eq=False)
class SupervisedConfig(LabelConfig):
    """Of the size that the authors of GIN compare networks with."""

    hidden: int = option(32, "Width of every hidden layer.", least=1)
    layers: int = option(4, "Number L of graph network layers.", least=1)
    batch_size: int = option(32, "Graphs in a step.", least=2)
    lr_decay: float = option(0.5, "Factor on the learning rate when validation no longer improves.", above=0)
    patience: int = option(10, "Epochs without improvement that are let pass before that.", least=0)


class SupervisedModel(nn.Module):
    """All layers of the network, read out side by side, with two linear layers on top.

    Sums over the nodes of a large graph are hundreds of times those of a small one, so they are normalised
    before.
    """

    def __init__(self, encoder: LayerwiseEncoder, outputs: int):
        super().__init__()
        self.config = encoder.config
        self.encoder = encoder
        self.norm = nn.BatchNorm1d(encoder.width)
        self.head = MLP(encoder.width, encoder.config.hidden, outputs)

    def forward(self, batch: Batch) -> Tensor:
        out: Tensor = self.head(self.norm(self.encoder.embed(batch)))
        return out


class SupervisedObjective(Objective):
    def __init__(self, task: Task):
        self.task = task

    def __call__(self, model: SupervisedModel, batch: LabelledBatch) -> tuple[Tensor, dict[str, Tensor]]:
        loss = self.task.loss(model(batch.graphs), batch.targets)
        return loss, {"loss": loss.detach()}


class SupervisedNetwork(Classes, LabelledNetwork, SupervisedConfig):
    """A method defines `layers_of_network`."""

    config_class = SupervisedConfig
    bare_nodes = "one-hot-degree"  # as in the comparison of GIN's authors

    def layers_of_network(self, hidden: int, layers: int) -> nn.Module:
        """A backbone, with its first weights."""
        raise TypeError("a supervised network defines its layers")

    def _model(self, config: Any, widths: Mapping[str, int], edge_width: int) -> LayerwiseEncoder:
        return LayerwiseEncoder(
            config, widths, edge_width, self.layers_of_network(config.hidden, config.layers)
        )

    def _with_head(self) -> SupervisedModel:
        return SupervisedModel(self.model_, self.task_.outputs)

    def _objective(self) -> Objective:
        return SupervisedObjective(self.task_)

    def _encoder(self) -> LayerwiseEncoder:
        check_is_fitted(self, "predictor_")
        encoder: LayerwiseEncoder = self.predictor_.encoder
        return encoder
