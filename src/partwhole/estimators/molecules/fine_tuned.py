"""The network of a molecule encoder, learned on by labels.

Three things keep it from collapsing onto few labels: its weights rest while the new heads learn, the moments
of its normalisation stay those of the molecules that it was trained on, and several heads are averaged.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from partwhole.config import TrainConfig, option
from partwhole.errors import PartwholeError
from partwhole.estimators.encoder import Predictor
from partwhole.estimators.fits import Kept
from partwhole.estimators.labelled import LabelledEstimator, LabelledFit, Outcome
from partwhole.estimators.loading import load_run
from partwhole.estimators.molecules.encoder import MoleculeEncoder
from partwhole.estimators.molecules.network import MoleculeNetwork
from partwhole.estimators.molecules.options import MoleculeConfig
from partwhole.estimators.networks import NetworkInputs, NetworkPredictor, with_first_weights
from partwhole.estimators.semi_supervised.labelled_batches import LabelledBatch
from partwhole.estimators.semi_supervised.learning import learn_from_labels
from partwhole.estimators.semi_supervised.targets import Targets
from partwhole.estimators.semi_supervised.tasks import Classification, Task
from partwhole.graphs.graph import Batch, GraphBatch
from partwhole.losses.head_tail import PAPER
from partwhole.nn.layers import MLP
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import run_folder
from partwhole.training.plan import Objective


@dataclass(eq=False)
class FineTuningConfig(TrainConfig):
    """Options of `fine-tuned-regressor` and `fine-tuned-classifier`."""

    start_from: str = option("molecules", "The encoder to begin with: by name, or the folder of its run.")
    epochs: int = option(30, "Passes over the labelled molecules.", least=0)
    lr: float = option(3e-4, "Learning rate of Adam.", above=0)
    batch_size: int = option(32, "Molecules in a step.", least=2)
    heads: int = option(5, "Heads whose mean predicts.", least=1)
    resting: int = option(60, "Steps in which only the heads learn.", least=0)
    validation: float = option(
        0.1, "Share of the labelled molecules that choose the epoch; 0: the last.", least=0, below=1
    )
    lr_decay: float = option(0.5, "Factor on the learning rate when validation no longer improves.", above=0)
    patience: int = option(5, "Epochs without improvement that are let pass before that.", least=0)


class FineTunedNetwork(nn.Module):
    """Heads on the vector z of a network that was trained before."""

    passed: Tensor  # steps of training

    def __init__(self, encoder: MoleculeNetwork, heads: int, outputs: int, resting: int):
        super().__init__()
        self.encoder, self.resting = encoder, resting
        self.heads = nn.ModuleList(MLP(encoder.width, encoder.width // 2, outputs) for _ in range(heads))
        self.norm = nn.BatchNorm1d(encoder.width, affine=False)
        self.register_buffer("passed", torch.zeros((), dtype=torch.int64))

    def train(self, mode: bool = True) -> Self:
        """The moments of the encoder stay as they are."""
        super().train(mode)
        self.encoder.eval()
        return self

    def each(self, batch: GraphBatch) -> Tensor:
        """[heads, B, outputs]"""
        if self.training:
            self.passed += 1
        with torch.set_grad_enabled(torch.is_grad_enabled() and int(self.passed) > self.resting):
            z = self.encoder.embed(batch)
        return torch.stack([head(self.norm(z)) for head in self.heads])

    def forward(self, batch: Batch) -> Tensor:
        """[B, outputs] the mean of all heads."""
        assert isinstance(batch, GraphBatch)
        return self.each(batch).mean(dim=0)


class EachHead(Objective[FineTunedNetwork, LabelledBatch]):
    """Every head has a loss of its own; learned together they would share out the errors."""

    def __init__(self, task: Task):
        self.task = task

    def __call__(self, network: FineTunedNetwork, batch: LabelledBatch) -> tuple[Tensor, dict[str, Tensor]]:
        assert isinstance(batch.graphs, GraphBatch)
        losses = [self.task.loss(outputs, batch.targets) for outputs in network.each(batch.graphs)]
        loss = torch.stack(losses).mean()
        return loss, {"loss": loss.detach()}


class BalancedClassification(Classification):
    """Each class counts the same in the error that chooses the epoch: a network that says the largest class
    of all molecules would look good where that is large."""

    def error(self, outputs: Tensor, targets: Tensor) -> float:
        """Mean over classes of the mean probability of the others."""
        wrong = []
        for shares, codes in zip(outputs.split(self.sizes, dim=1), targets.unbind(1)):
            chances = shares.softmax(1)
            wrong += [(1 - chances[codes == code, code]).mean() for code in range(shares.shape[1])]
        return float(torch.stack(wrong).nanmean())


class FineTuned(LabelledEstimator[FineTuningConfig]):
    """Numbers or classes of molecules, from a molecule encoder that goes on learning by the labels."""

    config_class = FineTuningConfig
    paper = PAPER
    resumable = True

    def learn_labels(self, fit: LabelledFit[FineTuningConfig]) -> Outcome:
        """Begin with the encoder's weights, and learn."""
        start, digest = _start(fit.config.start_from)
        if not start.schema_.same_inputs(fit.store.schema):
            raise PartwholeError(
                f"{fit.config.start_from} knows molecules by other attributes; give SMILES or molecules of "
                "RDKit."
            )
        encoder = start.learned_
        assert isinstance(encoder, MoleculeEncoder)
        fit.facts["start"] = {"weights": digest, "options": encoder.config.plain_options()}
        task = fit.targets.task
        network, predictor = self._built(fit.config, encoder, task.outputs)
        learned = BalancedClassification(task.sizes) if isinstance(task, Classification) else task
        return learn_from_labels(fit, predictor, network, EachHead(task), task=learned)

    def restore_predictor(self, kept: Kept[FineTuningConfig], targets: Targets) -> Predictor:
        """The network and its heads."""
        options = MoleculeConfig.from_options(MoleculeConfig.completed(kept.facts["start"]["options"]))
        encoder = MoleculeEncoder.first(options, kept.schema)
        _, predictor = self._built(kept.config, encoder, targets.task.outputs)
        predictor.restore(kept.tensors, kept.path)
        return predictor

    def _built(
        self, config: FineTuningConfig, encoder: MoleculeEncoder, outputs: int
    ) -> tuple[FineTunedNetwork, NetworkPredictor]:
        inputs: NetworkInputs = encoder.learned.inputs
        network = with_first_weights(
            config.random_state,
            lambda: FineTunedNetwork(encoder.network, config.heads, outputs, config.resting),
        )
        return network, NetworkPredictor(network, encoder.network, inputs, config, lift=False)


def _start(name: str) -> tuple[Any, str]:
    """The run to begin with, and the digest of its weights."""
    start = load_run(name)
    if not isinstance(start.learned_, MoleculeEncoder):
        raise PartwholeError(
            f"{name} is a run of {start.method}; give one of molecule-infomax, or molecules, which comes "
            "with the package."
        )
    weights: Path = RunFolder(run_folder(name)).weights_file
    return start, hashlib.sha256(weights.read_bytes()).hexdigest()
