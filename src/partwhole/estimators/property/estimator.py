"""Properties from few labels, whatever is best: the face of it."""

from __future__ import annotations

import time
from typing import Any, final

import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress

from partwhole.config import AUTO
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Predictor
from partwhole.estimators.fits import Kept
from partwhole.estimators.labelled import LabelledEstimator, LabelledFit, Outcome
from partwhole.estimators.linear import encoder_named, vectors_of
from partwhole.estimators.loading import load_run
from partwhole.estimators.property.choosing import (
    FEWEST_CHECKED,
    FOLDS,
    LEAST_SHARE,
    Chosen,
    candidates_of,
    choose,
    enough,
)
from partwhole.estimators.property.conflicts import settled
from partwhole.estimators.property.options import PropertyConfig
from partwhole.estimators.property.predictor import ENCODER, PropertyPredictor, restored
from partwhole.estimators.semi_supervised.held_out import HeldOut
from partwhole.estimators.semi_supervised.targets import ClassTargets, NumberTargets, Targets
from partwhole.estimators.subgraph_infomax import SubgraphInfoMax
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.sources.molecule_codes import SCHEMA
from partwhole.sources.scaffolds import scaffolds_of

OF_MOLECULES = "molecules"  # whose vectors molecules have
EPOCHS = 20  # that vectors of other graphs are trained for: more add nothing (docs/recipe.md)


class PropertyEstimator(LabelledEstimator[PropertyConfig]):
    """Numbers or classes from few labels.

    Linear models, Gaussian processes and random forests learn from vectors that stay as they are. They
    predict together; the better one is for labelled graphs that it did not see, the more it counts.
    """

    config_class = PropertyConfig
    paper = "Gaussian processes: Rasmussen & Williams 2006; random forests: Breiman 2001"

    def learn_labels(self, fit: LabelledFit[PropertyConfig]) -> Outcome:
        """Make the vectors, and choose the heads of each target."""
        seed, store = fit.config.random_state, fit.store
        encoder = _encoder(fit.config.vectors, store, seed)
        some = store.take(fit.train)
        values = settled(fit.values[fit.train], some, fit.targets, fit.config.duplicates)
        x, views = vectors_of(encoder, some), encoder.learned_.views
        molecules = store.schema.chemistry and store.schema.edge
        groups = scaffolds_of(some) if molecules else None
        kept = groups is not None and enough(groups)
        labels = [_labels(fit.targets, k, y) for k, y in enumerate(values.T)]
        classes = self.learns_classes
        candidates, chosen = candidates_of(views, fit.config.models, fit.config.views), []
        begun, share = time.monotonic(), 60 * fit.config.minutes / len(labels)
        screen = Console(stderr=True)
        shown = fit.config.verbose and screen.is_terminal
        with Progress(console=screen, transient=True, disable=not shown) as progress:
            task = progress.add_task("models in folds", total=len(labels) * len(candidates))
            for k, y in enumerate(labels, 1):
                found = choose(
                    x,
                    y,
                    views,
                    candidates,
                    classes=classes,
                    seed=seed,
                    groups=groups,
                    until=begun + k * share,
                    tried=lambda: progress.advance(task),
                )
                chosen.append(found)
        predictor = PropertyPredictor(encoder, chosen, classes)
        fit.facts["encoder"] = encoder.about_
        fit.facts["heads"] = predictor.facts()
        checked = _checked(fit, [c.said for c in chosen], [y.shape[1] for y in labels], kept)
        return Outcome(predictor, _told(fit.targets.names, chosen), checked)

    def restore_predictor(self, kept: Kept[PropertyConfig], targets: Targets) -> Predictor:
        """Encoder and heads that were kept."""
        facts = kept.facts["encoder"]
        inner = {k.removeprefix(ENCODER): v for k, v in kept.tensors.items() if k.startswith(ENCODER)}
        encoder = METHODS.get(facts["method"]).restored(facts, inner, kept.path)
        return restored(encoder, kept.facts["heads"], kept.tensors, self.learns_classes)

    @property
    def errors_(self) -> dict[str, dict[str, float]]:
        """Of each target, the error of each candidate in folds of the labelled graphs: the root of the mean
        squared error in standard deviations, or the log-loss of classes."""
        assert isinstance(self.learned_, PropertyPredictor)
        return {name: chosen.errors for name, chosen in zip(self.target_names_, self.learned_.chosen)}


class PropertyRegressor(PropertyEstimator):
    """Numbers from few labels, with intervals: several models together, weighed by folds of these.

    Parameters
    ----------
    vectors : str
        Whose vectors: a pretrained encoder, the folder of a run, or a method that is fitted to all graphs
        first, without labels; auto: molecules for molecules, subgraph-infomax for other graphs.
    models : tuple of str
        Models that are tried: linear, gaussian-process, forest; all if none is named.
    views : tuple of str
        Views of the vectors that models look at, such as learned or descriptors; all if none is named.
    minutes : float
        Minutes that the trials may take; models left by then are not tried, which is told.
    duplicates : str
        What becomes of graphs that occur several times with different labels: told, averaged, refused.
    random_state : int, RandomState, Generator or None
        Seed of folds and forests, and of a method that is fitted for it.
    verbose : bool
        Show progress on standard error.

    Attributes
    ----------
    choice_ : list of str
        What was chosen for each target; `errors_` has the errors of all that was tried.
    held_out_ : HeldOut or None
        What was said of each labelled graph by models that did not see it; None for fewer than ten.
    targets_ : Targets
        Names and units of what is predicted.

    Examples
    --------
    >>> from partwhole import PropertyRegressor, make_motif_graphs
    >>> graphs = make_motif_graphs(20, random_state=0)
    >>> model = PropertyRegressor(vectors="counts").fit(graphs, graphs.num_nodes.astype(float))
    >>> model.predict_interval(graphs).shape
    (20, 1, 2)
    """

    method = "auto-regressor"
    idea = "numbers from few labels: linear model, Gaussian process and forest, weighed by cross-validation"
    learns_classes = False

    @final
    def predict_interval(self, graphs: Any) -> np.ndarray:
        """The intervals that hold nine in ten graphs.

        Parameters
        ----------
        graphs : GraphStore, str, path, list or DataFrame
            As for `fit`.

        Returns
        -------
        ndarray of shape (graphs, targets, 2)
            Lower and upper ends, in the units of `y`: NaN where fewer than ten labels were given. How wide
            they are was found on labelled graphs that the heads did not see; they hold for graphs like these.
        """
        return self.predict_with_interval(graphs)[1]

    @final
    def predict_with_interval(self, graphs: Any) -> tuple[np.ndarray, np.ndarray]:
        """[graphs, targets] what `predict` gives, and [graphs, targets, 2] the intervals, in one pass."""
        assert isinstance(self.learned_, PropertyPredictor)
        assert isinstance(self.targets_, NumberTargets)
        store = self.read(graphs)
        said = self.learned_.say(store)
        middle = self.targets_.predictions(self.learned_.outputs_of(said), store)
        sure = [np.ones(len(store)) if one.deviation is None else one.deviation[:, 0] for one in said]
        widths = np.array([chosen.width for chosen in self.learned_.chosen]) * self.targets_.task.scales
        half = np.stack(sure, axis=1) * widths
        return middle, np.stack([middle - half, middle + half], axis=2)


class PropertyClassifier(PropertyEstimator):
    """Classes from few labels, with probabilities: several models together, weighed by folds of these.

    Parameters
    ----------
    vectors : str
        Whose vectors: a pretrained encoder, the folder of a run, or a method that is fitted to all graphs
        first, without labels; auto: molecules for molecules, subgraph-infomax for other graphs.
    models : tuple of str
        Models that are tried: linear, gaussian-process, forest; all if none is named.
    views : tuple of str
        Views of the vectors that models look at, such as learned or descriptors; all if none is named.
    minutes : float
        Minutes that the trials may take; models left by then are not tried, which is told.
    duplicates : str
        What becomes of graphs that occur several times with different labels: told, averaged, refused.
    random_state : int, RandomState, Generator or None
        Seed of folds and forests, and of a method that is fitted for it.
    verbose : bool
        Show progress on standard error.

    Attributes
    ----------
    choice_ : list of str
        What was chosen for each target; `errors_` has the errors of all that was tried.
    held_out_ : HeldOut or None
        What was said of each labelled graph by models that did not see it; None for fewer than ten.
    targets_ : Targets
        Names and classes of what is predicted.

    Examples
    --------
    >>> from partwhole import PropertyClassifier, make_motif_graphs
    >>> graphs = make_motif_graphs(20, random_state=0)
    >>> model = PropertyClassifier(vectors="counts").fit(graphs, graphs.labels)
    >>> model.predict_proba(graphs).shape
    (20, 2)
    """

    method = "auto-classifier"
    idea = "classes from few labels: linear model, Gaussian process and forest, weighed by cross-validation"
    learns_classes = True


def _encoder(vectors: str, store: GraphStore, seed: int) -> GraphEstimator[Any]:
    """What makes the vectors."""
    if vectors != AUTO:
        return encoder_named(vectors, store, seed)
    if store.schema.same_inputs(SCHEMA):
        return load_run(OF_MOLECULES)
    return SubgraphInfoMax(epochs=EPOCHS, random_state=seed).fit(store)


def _labels(targets: Targets, target: int, y: np.ndarray) -> np.ndarray:
    """[n, outputs] from what the loss sees [n]: a standardised number, or a 1 for the class; NaN without."""
    if isinstance(targets, ClassTargets):
        labels = np.eye(targets.task.sizes[target])[np.nan_to_num(y).astype(int)]
        return np.where(np.isnan(y)[:, None], np.nan, labels)
    assert isinstance(targets, NumberTargets)
    return ((y - targets.task.means[target]) / targets.task.scales[target])[:, None]


def _checked(
    fit: LabelledFit[PropertyConfig], said: list[np.ndarray | None], outputs: list[int], scaffolds: bool
) -> HeldOut | None:
    """What heads said of labelled graphs that they did not see; of other graphs and targets, nothing."""
    if all(one is None for one in said):
        return None
    values = fit.values[fit.train].copy()
    filled = [np.full((len(values), n), np.nan) if one is None else one for one, n in zip(said, outputs)]
    values[np.stack([np.isnan(one[:, 0]) for one in filled], axis=1)] = np.nan
    shown = [np.nan_to_num(one, nan=1.0) for one in filled]
    if isinstance(fit.targets, ClassTargets):
        shown = [np.log(np.maximum(one, LEAST_SHARE)) for one in shown]
    kept = "each scaffold in one of them" if scaffolds else "drawn by the seed"
    how = f"{FOLDS} folds of the labelled graphs, {kept}, by which models were weighed, too"
    some = fit.store.take(fit.train)
    return HeldOut(how, fit.targets.guesses(fit.train, some, values, torch.from_numpy(np.hstack(shown))))


def _told(names: list[str], chosen: list[Chosen]) -> list[str]:
    """What predicts each target, and how much it counts; `errors_` tells how all did."""
    nothing = f"the mean of all, since fewer than {FEWEST_CHECKED} labels tell nothing"
    said = [f"{name}: {c.told if c.errors else nothing}" for name, c in zip(names, chosen)]
    late = [f" (no time for {', '.join(c.left_out)})" if c.left_out else "" for c in chosen]
    return [one + two for one, two in zip(said, late)]
