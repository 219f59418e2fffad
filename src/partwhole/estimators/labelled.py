"""Methods that learn from labels: numbers or classes."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from sklearn.utils import ClassifierTags, RegressorTags, Tags
from sklearn.utils.metaestimators import available_if

from partwhole.errors import PartwholeError, near_miss
from partwhole.estimators.base import AnyEstimator, C, GraphEstimator
from partwhole.estimators.encoder import Encoder, Predictor
from partwhole.estimators.fits import C_co, Fit, Kept, facts_of, require_vocabulary
from partwhole.estimators.semi_supervised.held_out import HeldOut
from partwhole.estimators.semi_supervised.labels import (
    as_columns,
    is_single,
    names_of,
    require_known,
    split,
)
from partwhole.estimators.semi_supervised.targets import ClassTargets, NumberTargets, Targets
from partwhole.estimators.semi_supervised.tasks import Task
from partwhole.graphs.store import GraphStore
from partwhole.parts.explaining import Explanation, part_effects
from partwhole.parts.vocabulary import Vocabulary
from partwhole.runs.folder import RunFolder
from partwhole.sources.loading import load_graphs


@dataclass(kw_only=True)
class LabelledFit(Fit[C_co]):
    """A fit with labels that begins."""

    targets: Targets
    train: np.ndarray  # labelled graphs to learn from
    held: np.ndarray  # labelled graphs that are held out
    values: np.ndarray  # [G, T] float64 what the loss sees, NaN where missing


@dataclass(frozen=True)
class Outcome:
    """What came of a fit with labels."""

    predictor: Predictor
    choice: list[str]  # what was chosen by the labels, in words
    held_out: HeldOut | None  # predictions for labelled graphs that were not learned from


def _has_classes(estimator: LabelledEstimator[Any]) -> bool:
    return estimator.learns_classes


class LabelledEstimator(GraphEstimator[C]):
    """A method says how to `learn_labels` and to `restore_predictor`.

    Attributes
    ----------
    targets_ : Targets
        Names and units or classes of what is predicted.
    held_out_ : HeldOut or None
        Predictions for labelled graphs that the fit did not learn from.
    choice_ : list of str
        What was chosen by the labels, in words.
    """

    learns_from = "labels"
    learns_classes: ClassVar[bool]  # otherwise numbers

    targets_: Targets
    held_out_: HeldOut | None
    choice_: list[str]

    # ---------------------------------------------------------------- what a method defines

    @abstractmethod
    def learn_labels(self, fit: LabelledFit[C]) -> Outcome:
        """Learn to predict the targets of a fit."""

    @abstractmethod
    def restore_predictor(self, kept: Kept[C], targets: Targets) -> Predictor:
        """The predictor that `learn_labels` gave once, from its tensors."""

    def learn_targets(
        self, columns: np.ndarray, names: list[str], single: bool, train: np.ndarray, store: GraphStore
    ) -> tuple[Targets, np.ndarray]:
        """From targets as given [G, T] and the graphs to learn from: the targets, and what the loss sees."""
        if self.learns_classes:
            return ClassTargets.learned(columns, names, single)
        return NumberTargets.learned(columns, names, single, train, store)

    # ---------------------------------------------------------------- what everybody uses

    def fit(self, graphs: Any, y: Any = None, held_out: Any = None, names: Any = None) -> Self:
        """Learn from graphs and the targets that are known.

        Parameters
        ----------
        graphs : GraphStore, str, path, list or DataFrame
            Whatever `load_graphs` reads.
        y : array-like of shape (graphs,) or (graphs, targets)
            NaN or None means unlabelled; each column has its own missing labels.
        held_out : array-like, optional
            Places of graphs that are not learned from, in place of a drawn share; a network chooses its
            epoch by them.
        names : str or list of str, optional
            What the targets are called.

        Returns
        -------
        self
        """
        return self._carry_out(load_graphs(graphs), y=y, held_out=held_out, names=names)

    @final
    def predict(self, graphs: Any) -> np.ndarray:
        """Targets of graphs.

        Parameters
        ----------
        graphs : GraphStore, str, path, list or DataFrame
            As for `fit`; the attributes are those of the fit.

        Returns
        -------
        ndarray of shape (graphs,) or (graphs, targets)
            Numbers in the units of `y`, or labels as they were given.
        """
        store = self.read(graphs)
        return self.targets_.shaped(self.targets_.predictions(self._predictor.outputs(store), store))

    @available_if(_has_classes)  # type: ignore[untyped-decorator]
    def predict_proba(self, graphs: Any) -> Any:
        """[graphs, classes]; with several targets, a list with one such array for each."""
        shares = self.probabilities(graphs)
        return shares[0] if self.targets_.single else shares

    @available_if(_has_classes)  # type: ignore[untyped-decorator]
    def probabilities(self, graphs: Any) -> list[np.ndarray]:
        """[graphs, classes] for each target."""
        return self._class_targets.probabilities(self._predictor.outputs(self.read(graphs)))

    @available_if(_has_classes)  # type: ignore[untyped-decorator]
    def labels(self) -> list[np.ndarray]:
        """The classes of each target, in the order of their probabilities."""
        return list(self._class_targets.classes)

    @final
    def explain(
        self, graph: Any, target: str | None = None, vocabulary: Vocabulary | None = None
    ) -> Explanation:
        """Which parts of a graph drive its prediction, by leaving out each in turn.

        Parameters
        ----------
        graph : GraphStore or any single graph that `load_graphs` reads
            The first one, if it holds several.
        target : str, optional
            A name in `target_names_`; the first by default.
        vocabulary : Vocabulary, optional
            Which tells the parts; that of the fit by default.

        Returns
        -------
        Explanation
            The prediction, and what each part adds to it: to the number, or to the probability of the class
            that is predicted.
        """
        one = self.read(graph if isinstance(graph, GraphStore | list) else [graph])[:1]
        names = self.target_names_
        if target is not None and target not in names:
            raise PartwholeError(f"The run does not predict {target!r}.{near_miss(target, names)}")
        place = 0 if target is None else names.index(target)

        def predict(some: GraphStore) -> np.ndarray:
            if self.learns_classes:
                return np.asarray(self.probabilities(some)[place])
            return self.predict(some).reshape(len(some), -1)[:, [place]]

        parts = require_vocabulary(self.vocabulary_) if vocabulary is None else vocabulary
        output, value, effects = part_effects(one, parts, predict)
        label = str(self.labels()[place][output]) if self.learns_classes else None
        return Explanation(one.ids.tolist()[0], names[place], label, value, effects)

    @final
    def score(self, graphs: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of numbers (the mean over targets), or the share of right labels; graphs without a label do
        not count."""
        store = self.read(graphs)
        return self.targets_.score(self._predictor.outputs(store), store, y, sample_weight)

    @property
    def target_names_(self) -> list[str]:
        """What the targets are called."""
        return self._fitted_targets.names

    @property
    def task_(self) -> Task:
        """What the model learns: outputs, loss and error."""
        return self._fitted_targets.task

    @property
    def single_(self) -> bool:
        """Whether one value for each graph was given, not a row of values."""
        return self._fitted_targets.single

    @property
    def classes_(self) -> Any:
        """The labels in the order of `predict_proba`; with several targets, one array each."""
        classes = list(self._class_targets.classes)
        return classes[0] if self.targets_.single else classes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if self.learns_classes:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    # ---------------------------------------------------------------- inside

    @final
    def begin(
        self, store: GraphStore, config: C, y: Any = None, held_out: Any = None, names: Any = None
    ) -> LabelledFit[C]:
        """A fit with labels that begins."""
        if y is None:
            raise PartwholeError(
                "A fit with labels needs targets; give y, with NaN or None where a graph has no label."
            )
        columns, seed = as_columns(y, len(store)), getattr(config, "random_state", 0)
        called = names_of(y, columns, names)
        require_known(columns, called, "")
        share = getattr(config, "validation", 0.0)
        train, held = split(columns, held_out, share, seed, classes=self.learns_classes)
        require_known(columns[train], called, " that is not held out")
        targets, values = self.learn_targets(columns, called, is_single(y), train, store)
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(a).data for a in (train, held, values)))
        task = {"single": targets.single, "targets": targets.names, "digest": digest.hexdigest()}
        task["labelled"] = len(train) + len(held)
        facts = facts_of(self.method, store, config) | {"task": task | targets.to_dict()}
        return LabelledFit(
            store=store, config=config, facts=facts, targets=targets, train=train, held=held, values=values
        )

    @final
    def learn(self, fit: Fit[C]) -> Encoder:
        """Learn to predict the targets of a fit."""
        assert isinstance(fit, LabelledFit)
        outcome = self.learn_labels(fit)
        self.targets_, self.held_out_, self.choice_ = fit.targets, outcome.held_out, outcome.choice
        return outcome.predictor

    @final
    def restore(self, kept: Kept[C]) -> Encoder:
        """The predictor that a run folder keeps."""
        content = kept.facts["task"]
        read = ClassTargets.from_dict if self.learns_classes else NumberTargets.from_dict
        self.targets_, self.held_out_, self.choice_ = read(content), None, []
        return self.restore_predictor(kept, self.targets_)

    @final
    def write_beside(self, run: RunFolder) -> None:
        """Write the vocabulary, and the predictions for graphs that were held out."""
        super().write_beside(run)
        if self.held_out_ is not None:
            self.held_out_.write(run.held_out_file)

    @property
    def _predictor(self) -> Predictor:
        assert isinstance(self.learned_, Predictor)
        return self.learned_

    @property
    def _fitted_targets(self) -> Targets:
        if "targets_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} is not fitted and has no targets")
        return self.targets_

    @property
    def _class_targets(self) -> ClassTargets:
        targets = self._fitted_targets
        if not isinstance(targets, ClassTargets):
            raise AttributeError(f"{type(self).__name__} predicts numbers and has no classes")
        return targets


AnyLabelled = LabelledEstimator[Any]


def predicts_classes(estimator: AnyEstimator) -> bool:
    """Whether a model learned classes from labels, with probabilities."""
    return isinstance(estimator, LabelledEstimator) and estimator.learns_classes
