"""Graph networks that learn classes from labels alone: the supervised rows of the paper's Table 2."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from torch import Tensor, nn

from partwhole.config import PredictorConfig, TrainConfig, option, same
from partwhole.estimators.encoder import Predictor
from partwhole.estimators.fits import Kept
from partwhole.estimators.labelled import LabelledEstimator, LabelledFit, Outcome
from partwhole.estimators.networks import NetworkInputs, NetworkPredictor, with_first_weights
from partwhole.estimators.self_supervised.network import LayerwiseEncoder
from partwhole.estimators.semi_supervised.labelled_batches import LabelledBatch
from partwhole.estimators.semi_supervised.learning import learn_from_labels
from partwhole.estimators.semi_supervised.targets import Targets
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.graphs.graph import Batch
from partwhole.nn.layers import MLP
from partwhole.training.plan import Objective

BARE_NODES = "one-hot-degree"  # what nodes without attributes have, as in the comparison of GIN's authors


@dataclass(eq=False)
class SupervisedConfig(TrainConfig):
    """Options of the size that the authors of GIN compare networks with."""

    hidden: int = option(32, "Width of every hidden layer.", least=1)
    layers: int = option(4, "Number L of graph network layers.", least=1)
    batch_size: int = option(32, "Graphs in a step.", least=2)
    validation: float = same(PredictorConfig, "validation")
    lr_decay: float = option(0.5, "Factor on the learning rate when validation no longer improves.", above=0)
    patience: int = option(10, "Epochs without improvement that are let pass before that.", least=0)


class SupervisedModel(nn.Module):
    """All layers of the network, read out side by side, with two linear layers on top.

    Sums over the nodes of a large graph are hundreds of times those of a small one, so they are normalised
    before.
    """

    def __init__(self, encoder: LayerwiseEncoder, hidden: int, outputs: int):
        super().__init__()
        self.encoder = encoder
        self.norm = nn.BatchNorm1d(encoder.width)
        self.head = MLP(encoder.width, hidden, outputs)

    def forward(self, batch: Batch) -> Tensor:
        """[B, outputs]"""
        out: Tensor = self.head(self.norm(self.encoder.embed(batch)))
        return out


class SupervisedObjective(Objective[SupervisedModel, LabelledBatch]):
    """The loss of the task, nothing else."""

    def __init__(self, task: Task):
        self.task = task

    def __call__(self, network: SupervisedModel, batch: LabelledBatch) -> tuple[Tensor, dict[str, Tensor]]:
        loss = self.task.loss(network(batch.graphs), batch.targets)
        return loss, {"loss": loss.detach()}


class SupervisedNetwork(LabelledEstimator[SupervisedConfig]):
    """A method says which `backbone` is trained."""

    config_class = SupervisedConfig
    learns_classes = True
    resumable = True

    @abstractmethod
    def backbone(self, hidden: int, layers: int) -> nn.Module:
        """The graph network with its first weights."""

    def learn_labels(self, fit: LabelledFit[SupervisedConfig]) -> Outcome:
        """Train the network and its head by the labels alone."""
        network, predictor = self._first(
            fit.config, NetworkInputs.of(fit.store.schema, fit.config, BARE_NODES), fit.targets.task
        )
        return learn_from_labels(fit, predictor, network, SupervisedObjective(fit.targets.task))

    def restore_predictor(self, kept: Kept[SupervisedConfig], targets: Targets) -> Predictor:
        """The network and its head with the weights that they had."""
        inputs = NetworkInputs.of(kept.schema, kept.config, BARE_NODES)
        _, predictor = self._first(kept.config, inputs, targets.task)
        predictor.restore(kept.tensors, kept.path)
        return predictor

    def _first(
        self, config: SupervisedConfig, inputs: NetworkInputs, task: Task
    ) -> tuple[SupervisedModel, NetworkPredictor]:
        seed, hidden, layers = config.random_state, config.hidden, config.layers
        encoder = with_first_weights(
            seed,
            lambda: LayerwiseEncoder(
                inputs.widths, inputs.edge_width, hidden, layers, self.backbone(hidden, layers)
            ),
        )
        network = with_first_weights(seed, lambda: SupervisedModel(encoder, hidden, task.outputs))
        return network, NetworkPredictor(network, encoder, inputs, config)
