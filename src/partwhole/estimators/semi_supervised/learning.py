"""How networks learn from labels, whatever the network, its head and the loss."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, cast

import numpy as np
import torch
from torch import nn

from partwhole.config import TrainConfig
from partwhole.estimators.fits import Fit
from partwhole.estimators.labelled import LabelledFit, Outcome
from partwhole.estimators.networks import NetworkPredictor, carry_out
from partwhole.estimators.semi_supervised.held_out import HeldOut
from partwhole.estimators.semi_supervised.labelled_batches import LabelledBatch, LabelledFeed
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.training.feeds import GraphNetwork
from partwhole.training.plan import Objective, TrainingPlan
from partwhole.training.threads import using_threads
from partwhole.training.validation import Validation

N = TypeVar("N", bound=nn.Module)


class ValidationOptions(Protocol):
    """The options that say how the learning rate falls."""

    lr_decay: float
    patience: int


def learn_from_labels(
    fit: LabelledFit[Any],
    predictor: NetworkPredictor,
    network: N,
    objective: Objective[N, LabelledBatch],
    *,
    task: Task | None = None,
    unlabelled: bool = False,
    corrupt: bool = False,
    spans_ranks: bool = False,
) -> Outcome:
    """Train the network of a predictor.

    Graphs that are held out choose the epoch and teach nothing, not even without their labels; `unlabelled`:
    all others are learned from without labels too. `corrupt`: batches carry G^. `task`: whose error chooses
    the epoch, if it is not that of the targets.
    """
    config: TrainConfig = fit.config
    store = predictor.inputs.prepared(fit.store)
    everything = np.setdiff1d(np.arange(len(store)), fit.held) if unlabelled else None
    feed = LabelledFeed(
        store,
        cast(GraphNetwork, predictor.encoder),
        config,
        fit.values,
        labelled=fit.train,
        everything=everything,
        corrupt=corrupt,
        lift=predictor.lift,
    )
    with using_threads(predictor.threads(store, config.batch_size)):
        plan = TrainingPlan(network, objective, feed, _validation(fit, predictor, task or fit.targets.task))
        carry_out(plan, cast(Fit[TrainConfig], fit), spans_ranks=spans_ranks and predictor.spans_ranks)
    if not len(fit.held):
        return Outcome(predictor, [], None)
    best = min(fit.history, key=lambda row: row.get("validation", np.inf), default={"epoch": 0})
    choice = [f"epoch {best['epoch']} of {config.epochs}, by the graphs held out"]
    some = fit.store.take(fit.held)
    guesses = fit.targets.guesses(fit.held, some, fit.values[fit.held], predictor.outputs(some))
    how = f"{len(fit.held)} graphs held out, which also chose the epoch"
    return Outcome(predictor, choice, HeldOut(how, guesses))


def _validation(fit: LabelledFit[Any], predictor: NetworkPredictor, task: Task) -> Validation[Any] | None:
    """The error of the network on the graphs held out, if there are any."""
    if not len(fit.held):
        return None
    held_out = predictor.inputs.prepared(fit.store.take(fit.held))
    wanted = torch.from_numpy(fit.values[fit.held])
    options: ValidationOptions = fit.config

    def error(trained: nn.Module) -> float:
        outputs = torch.cat(list(predictor.outputs_in_pieces(held_out, trained)))
        return float(task.error(outputs, wanted.to(outputs.device)))

    return Validation(error, options.lr_decay, options.patience)
