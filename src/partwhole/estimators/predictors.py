"""Few labels, many graphs: the semi-supervised method with scikit-learn's face (Eq. 18)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partwhole.config import PredictorConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.labelled import Classes, Numbers
from partwhole.estimators.labelled_network import LabelledNetwork
from partwhole.estimators.semi_supervised.equation18 import SemiSupervisedObjective
from partwhole.estimators.semi_supervised.model import SemiSupervisedModel
from partwhole.estimators.semi_supervised.references import AtomReferences, element_counts
from partwhole.estimators.subgraph_method import SubgraphMethod
from partwhole.graphs.store import GraphStore
from partwhole.model import PartWhole
from partwhole.training.objectives import Objective

SUBGRAPHS = "subgraph-infomax"  # what teaches subgraphs, of all that unlabelled graphs can teach


class SubgraphInfoMaxPredictor(LabelledNetwork, SubgraphMethod, PredictorConfig):
    """What the regressor and the classifier share: a supervised loss on the labelled graphs plus
    `unsupervised_weight` times one that needs no labels on all graphs.

    `fit(graphs, y)`: NaN or None in `y` means unlabelled; `y` may have several columns, each with its
    own missing labels. A share `validation` of the labelled graphs chooses the epoch, or those that
    `held_out` lists.
    """

    config_class = PredictorConfig

    def learns_subgraphs(self) -> bool:
        return self.unlabelled == SUBGRAPHS and self.unsupervised_weight > 0

    def _spans_ranks(self) -> bool:
        return self.learns_subgraphs() or self.unsupervised_weight == 0

    def _with_head(self) -> SemiSupervisedModel:
        return SemiSupervisedModel(self._settings(), self.model_, self.task_)

    def _objective(self) -> Objective:
        return SemiSupervisedObjective(self.task_, self.unsupervised_weight)

    def _unlabelled(self, everything: np.ndarray) -> np.ndarray | None:
        return everything if self.unsupervised_weight > 0 else None

    def _corrupts(self) -> bool:
        corrupts: bool = self.predictor_.companion.corrupts
        return corrupts

    def _encoder(self) -> PartWhole:
        check_is_fitted(self, "predictor_")
        encoder: PartWhole = self.predictor_.predictor.encoder
        return encoder


class SubgraphInfoMaxRegressor(Numbers, SubgraphInfoMaxPredictor):
    """Numbers from graphs, by mean squared error on standardised targets and the unsupervised loss."""

    method = "regressor"
    about = "numbers from few labels and many graphs"

    def _added(self, store: GraphStore) -> np.ndarray | float:
        return 0.0 if self.references_ is None else self.references_.of(element_counts(store))

    def _learn_task(self, columns: np.ndarray, train: np.ndarray, store: GraphStore) -> np.ndarray:
        self.references_ = None
        targets = super()._learn_task(columns, train, store)
        if self.atom_references:
            counts = element_counts(store)
            self.references_ = AtomReferences.fitted(counts[train], targets[train])
            targets = super()._learn_task(targets - self.references_.of(counts), train, store)
        return targets

    def _task_about(self) -> dict[str, Any]:
        about = super()._task_about()
        return about | ({"references": self.references_.to_dict()} if self.references_ else {})

    def _restore_task(self, about: dict[str, Any]) -> None:
        super()._restore_task(about)
        kept = about.get("references")
        self.references_ = AtomReferences.from_dict(kept) if kept else None


class SubgraphInfoMaxClassifier(Classes, SubgraphInfoMaxPredictor):
    """Classes from graphs, by cross-entropy and the unsupervised loss.

    `classes_` are the labels in the order of `predict_proba`; with several targets, one array each.
    """

    method = "classifier"
    about = "classes from few labels and many graphs"

    def validate(self) -> None:
        super().validate()
        if self.atom_references:
            raise PartwholeError("Atom references are for numbers; leave them out where classes are learned.")
