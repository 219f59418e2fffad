"""Networks that learn from labels: all that they share but the network, its head and the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from partwhole.config import LabelConfig
from partwhole.estimators.labelled import LabelledMethod
from partwhole.estimators.network import EncoderMethod
from partwhole.estimators.semi_supervised.held_out import HeldOut
from partwhole.estimators.semi_supervised.labelled_batches import LabelledFeed
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder
from partwhole.training.feeds import Feed
from partwhole.training.trainer import Trainer
from partwhole.training.validation import Validation


class LabelledNetwork(LabelledMethod, EncoderMethod, LabelConfig):
    """A network with a head for a task. A method defines these (`_model`, `_with_head`, `_objective`).

    A share `validation` of the labelled graphs chooses the epoch, or those that `held_out` lists.
    """

    config_class: type[LabelConfig] = LabelConfig

    # ---------------------------------------------------------------- what a method defines

    def _with_head(self) -> nn.Module:
        """What is trained: `model_` with a head for `task_`, with its first weights."""
        raise TypeError("a method defines its head")

    def _unlabelled(self, everything: np.ndarray) -> np.ndarray | None:
        """Which of the graphs that are not held out are learned from without labels."""
        return None

    def _corrupts(self) -> bool:
        """Whether batches must carry G^."""
        return False

    # ---------------------------------------------------------------- inside

    def _build(self, *, fresh: bool) -> None:
        super()._build(fresh=fresh)
        if not hasattr(self, "task_"):  # loaded from a run folder
            self._restore_labels()
        with torch.random.fork_rng():
            torch.manual_seed(self.seed_)
            self.predictor_: Any = self._with_head()

    def _network(self) -> nn.Module:
        return self.predictor_

    def _learn_in(self, run: RunFolder | None, stop_requested: Callable[[], bool], store: GraphStore) -> None:
        _, held, targets = self._parts  # which the feed takes away
        super()._learn_in(run, stop_requested, store)
        if len(held):
            best = min(self.history_, key=lambda row: row.get("validation", np.inf), default={"epoch": 0})
            self.choice_ = [f"epoch {best['epoch']} of {self.epochs}, by the graphs held out"]
            some = store.take(held)
            how = f"{len(held)} graphs held out, which also chose the epoch"
            self.held_out_ = HeldOut(how, self._guesses(held, some, targets[held], self._predicted(some)))

    def _trainer(self, store: GraphStore, **given: Any) -> Trainer:
        return Trainer(
            self.predictor_,
            self._objective(),
            validation=self._validation(store),
            listener=self._listener(),
            **given,
        )

    def _validation(self, store: GraphStore) -> Validation | None:
        _, held, targets = self._parts
        if len(held) == 0:
            return None
        held_out, wanted = store.take(held), torch.from_numpy(targets[held])

        def error(model: nn.Module) -> float:
            outputs = torch.cat(list(self._outputs(held_out, model)))
            return float(self.task_.error(outputs, wanted.to(outputs.device)))

        return Validation(error, self.lr_decay, self.patience)

    def _feed(self, store: GraphStore) -> Feed:
        """Graphs that are held out teach nothing, not even without their labels."""
        train, held, targets = self._take_parts()
        others = self._unlabelled(np.setdiff1d(np.arange(len(store)), held))
        return LabelledFeed(
            store,
            self.model_,
            targets,
            labelled=train,
            everything=others,
            corrupt=self._corrupts(),
            lift=self._lifts(),
        )

    def _predicted(self, store: GraphStore) -> torch.Tensor:
        return torch.cat(list(self._outputs(store, self.predictor_)))
