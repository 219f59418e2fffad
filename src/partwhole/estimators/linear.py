"""Linear models on vectors that stay as they are: few labels on top of what was learned without any."""

from __future__ import annotations

import dataclasses
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold
from torch import Tensor

from partwhole.config import Options, Seed, option, seed_option
from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Predictor
from partwhole.estimators.fits import Kept
from partwhole.estimators.labelled import LabelledEstimator, LabelledFit, Outcome
from partwhole.estimators.loading import load_run
from partwhole.estimators.semi_supervised.held_out import HeldOut
from partwhole.estimators.semi_supervised.targets import ClassTargets, NumberTargets, Targets
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.runs.pretrained import names, run_folder

PENALTIES = np.logspace(-2, 5, 15)  # of ridge regression
STRENGTHS = np.logspace(-4, 1, 6)  # C of logistic regression
FOLDS = 3
CHECKS = 5  # folds of the labelled graphs that tell how good the model is
MOST_NESTED = 2000  # labelled graphs up to which everything is chosen anew in each of these folds
ENCODER = "encoder."  # before the names of its tensors
FEWEST_CHECKED = 10  # labelled graphs; fewer tell nothing


class Choice(NamedTuple):
    """What the labels of one target chose."""

    standardised: bool  # columns; otherwise they keep their own proportion
    penalty: float


class Solved(NamedTuple):
    """The weights for all targets."""

    weight: np.ndarray  # [d, outputs]
    bias: np.ndarray  # [outputs]
    choices: list[Choice]  # of each target


@dataclass(eq=False)
class LinearConfig(Options):
    """Options of linear models."""

    vectors: str = option(
        "molecules",
        "Whose vectors: a pretrained encoder, the folder of a run, or a method that is fitted to all graphs "
        "first, without labels (morgan, wl, subgraph-infomax, …).",
    )
    random_state: Seed = seed_option(
        "Seed of the folds that choose the penalty, and of a method that is fitted for it."
    )


class Problem(NamedTuple):
    """One target to solve for."""

    target: int  # its place
    targets: Targets
    penalties: Sequence[float]  # to choose from
    seed: int  # of the folds that choose


class Solution(NamedTuple):
    """The weights for one target."""

    bad: float  # how far off inside the labelled graphs
    weight: np.ndarray  # [d, outputs]
    bias: np.ndarray  # [outputs]
    penalty: float


@dataclass(frozen=True)
class LinearPredictor(Predictor):
    """Vectors of an encoder that stays as it is, and a linear map of them."""

    vectors: GraphEstimator[Any]
    weight: np.ndarray  # [d, outputs]
    bias: np.ndarray  # [outputs]

    @property
    def width(self) -> int:
        """Columns of the vectors that the model looks at."""
        return self.vectors.width

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """The vectors that the model looks at."""
        return self.vectors.transform_batches(store)

    def outputs(self, store: GraphStore) -> Tensor:
        """[graphs, outputs]"""
        return torch.from_numpy(vectors_of(self.vectors, store) @ self.weight + self.bias)

    def tensors(self) -> dict[str, Tensor]:
        """The map, and the encoder too: the run it came from may go."""
        own = {"weight": torch.from_numpy(self.weight), "bias": torch.from_numpy(self.bias)}
        return own | {f"{ENCODER}{name}": t for name, t in self.vectors.learned_.tensors().items()}


class LinearEstimator(LabelledEstimator[LinearConfig]):
    """A model says how to `solve` for the weights of one target, the penalty chosen by the labelled graphs
    themselves.

    Columns are standardised or left in their own proportion, whichever predicts better inside the labelled
    graphs: sums over atoms want the first, fingerprints the second.
    """

    config_class = LinearConfig
    paper = "ridge and logistic regression, the usual probe of vectors learned without labels"
    penalties: ClassVar[tuple[float, ...]]  # to choose from
    penalty_called: ClassVar[str]

    @abstractmethod
    def solve(self, x: np.ndarray, y: np.ndarray, problem: Problem) -> Solution:
        """From standardised or plain columns [g, d] and what the loss sees [g], by the best of the
        penalties."""

    @property
    def encoder_(self) -> GraphEstimator[Any]:
        """What makes the vectors."""
        if "learned_" not in vars(self) or not isinstance(self.learned_, LinearPredictor):
            raise AttributeError(f"{type(self).__name__} is not fitted and has no encoder")
        return self.learned_.vectors

    def learn_labels(self, fit: LabelledFit[LinearConfig]) -> Outcome:
        """Fit the linear model, and tell by folds of the labelled graphs how good it is."""
        encoder = encoder_named(fit.config.vectors, fit.store, fit.config.random_state)
        fit.facts["encoder"] = encoder.about_
        some, values = fit.store.take(fit.train), fit.values[fit.train]
        try:
            x = vectors_of(encoder, some)
        except PartwholeError as reason:
            raise PartwholeError(f"{reason} Other vectors can be chosen: vectors=METHOD.") from None
        solved = self._solved(x, values, fit)
        choice = [
            f"{name}: {'columns standardised' if c.standardised else 'columns as they are'}, "
            f"{self.penalty_called} {c.penalty:.3g}"
            for name, c in zip(fit.targets.names, solved.choices)
        ]
        checked = self._checked(x, values, fit, solved) if len(x) >= FEWEST_CHECKED else None
        return Outcome(LinearPredictor(encoder, solved.weight, solved.bias), choice, checked)

    def restore_predictor(self, kept: Kept[LinearConfig], targets: Targets) -> Predictor:
        """The map and the encoder that were kept."""
        facts = kept.facts["encoder"]
        inner = {k.removeprefix(ENCODER): v for k, v in kept.tensors.items() if k.startswith(ENCODER)}
        encoder = METHODS.get(facts["method"]).restored(facts, inner, kept.path)
        return LinearPredictor(encoder, kept.tensors["weight"].numpy(), kept.tensors["bias"].numpy())

    def _solved(
        self,
        x: np.ndarray,
        values: np.ndarray,
        fit: LabelledFit[LinearConfig],
        choices: list[Choice] | None = None,
    ) -> Solved:
        """From vectors [g, d] and targets [g, T]; with `choices`, nothing is chosen anew."""
        center, scales = column_scales(x)
        weights, biases, chosen = [], [], []
        for target, y in enumerate(values.T):
            known = ~np.isnan(y)
            tried = [(s, self.penalties) for s in scales]
            if choices is not None:
                tried = [(choices[target].standardised, (choices[target].penalty,))]
            found = []
            for standardised, penalties in tried:
                scale = scales[standardised]
                problem = Problem(target, fit.targets, penalties, fit.config.random_state)
                found.append((self.solve((x[known] - center) / scale, y[known], problem), standardised))
            best, standardised = min(found, key=lambda entry: entry[0].bad)
            weights.append(best.weight / scales[standardised][:, None])
            biases.append(best.bias - center @ weights[-1])
            chosen.append(Choice(standardised, best.penalty))
        return Solved(np.hstack(weights), np.concatenate(biases), chosen)

    def _checked(
        self, x: np.ndarray, values: np.ndarray, fit: LabelledFit[LinearConfig], solved: Solved
    ) -> HeldOut:
        """Each labelled graph predicted by a model that did not see it."""
        nested = len(x) <= MOST_NESTED
        outputs = np.zeros((len(x), len(solved.bias)))
        folds = KFold(CHECKS, shuffle=True, random_state=fit.config.random_state)
        kept = values.copy()
        for train, test in folds.split(x):
            lost = (~np.isnan(values[train])).sum(axis=0) < 2  # targets with nothing to learn from
            kept[np.ix_(test, lost)] = np.nan
            some = np.where(lost, 0.0, values[train])  # which then teach nothing
            weight, bias, _ = self._solved(x[train], some, fit, None if nested else solved.choices)
            outputs[test] = x[test] @ weight + bias
        how = f"{CHECKS} folds of the labelled graphs" + (
            ", everything chosen anew in each" if nested else ", the penalty chosen on all"
        )
        some_graphs = fit.store.take(fit.train)
        return HeldOut(how, fit.targets.guesses(fit.train, some_graphs, kept, torch.from_numpy(outputs)))


def column_scales(x: np.ndarray) -> tuple[np.ndarray, dict[bool, np.ndarray]]:
    """The centre of columns [d], and what they are divided by [d] if they are standardised, or are not."""
    center, spread = x.mean(axis=0), x.std(axis=0)
    largest = spread.max(initial=0.0) or 1.0
    standardised = np.where(spread > 1e-6 * largest, spread, np.inf)
    return center, {True: standardised, False: np.full(len(spread), largest)}


def vectors_of(encoder: GraphEstimator[Any], store: GraphStore) -> np.ndarray:
    """[graphs, d] float64"""
    return np.concatenate(list(encoder.transform_batches(store))).astype(np.float64)


def encoder_named(vectors: str, store: GraphStore, seed: int) -> GraphEstimator[Any]:
    """What makes the vectors: a run, or a method that looks at the graphs now."""
    if run_folder(vectors).is_dir():
        return load_run(vectors)
    if vectors not in METHODS:
        raise PartwholeError(
            f"There are no vectors {vectors!r}; give the folder of a run, a pretrained encoder "
            f"({', '.join(names())}) or a method of `partwhole methods`."
        )
    method = METHODS.get(vectors)
    if method.learns_from == "labels" or not method.embeds_new_graphs:
        raise PartwholeError(
            f"{vectors} gives no vectors for a linear model: they must come without labels, also for new "
            "graphs; choose another method."
        )
    seeded = "random_state" in {f.name for f in dataclasses.fields(method.config_class)}
    estimator: GraphEstimator[Any] = method(random_state=seed) if seeded else method()
    return estimator.fit(store)


class RidgeRegressor(LinearEstimator):
    """Ridge regression; the penalty with the least leave-one-out error."""

    method = "ridge"
    config_class = LinearConfig
    learns_classes = False
    idea = "numbers by ridge regression on vectors of an encoder, a run or fingerprints"
    penalties = tuple(PENALTIES)
    penalty_called = "penalty"

    def solve(self, x: np.ndarray, y: np.ndarray, problem: Problem) -> Solution:
        """The penalty with the least leave-one-out error."""
        assert isinstance(problem.targets, NumberTargets)
        task = problem.targets.task
        wanted = (y - task.means[problem.target]) / task.scales[problem.target]
        return best_ridge(x, wanted, problem.penalties)


class LogisticClassifier(LinearEstimator):
    """Logistic regression; the penalty with the least log-loss in `FOLDS` folds of the labelled graphs."""

    method = "logistic"
    config_class = LinearConfig
    learns_classes = True
    idea = "classes by logistic regression on vectors of an encoder, a run or fingerprints"
    penalties = tuple(STRENGTHS)
    penalty_called = "C"

    def solve(self, x: np.ndarray, y: np.ndarray, problem: Problem) -> Solution:
        """The penalty with the least log-loss in folds."""
        assert isinstance(problem.targets, ClassTargets)
        classes = problem.targets.task.sizes[problem.target]
        with warnings.catch_warnings():
            # Last digits of weights that hardly any penalty holds do not matter, nor that a class is rare.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The least populated class")
            return best_logistic(x, y.astype(int), classes, problem.penalties, problem.seed)


def best_ridge(x: np.ndarray, y: np.ndarray, penalties: Sequence[float]) -> Solution:
    """Ridge regression of numbers [g], by the penalty with the least leave-one-out error."""
    model = RidgeCV(penalties, scoring="neg_mean_squared_error").fit(x, y)
    bias = np.array([model.intercept_])
    return Solution(-float(model.best_score_), model.coef_[:, None], bias, float(model.alpha_))


def best_logistic(
    x: np.ndarray, codes: np.ndarray, classes: int, strengths: Sequence[float], seed: int
) -> Solution:
    """Logistic regression of classes [g], by the penalty with the least log-loss in folds."""
    rotated, back = in_own_span(x)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    enough = len(strengths) > 1 and np.bincount(codes).max() >= FOLDS
    splits = list(folds.split(rotated, codes)) if enough else []
    bad = {}
    for strength in strengths:
        losses = [_log_loss(rotated, codes, a, b, strength, classes) for a, b in splits]
        bad[strength] = float(np.mean(losses)) if losses else 0.0
    best = min(bad, key=lambda strength: bad[strength])
    w, b = _logistic(rotated, codes, best, classes)
    return Solution(bad[best], back @ w, b, best)


def in_own_span(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[g, r] and [d, r] with x = first @ second.T: fewer columns where there are fewer graphs than columns.
    A penalty on the length of the weights is the same in both, since weights outside the span are 0."""
    if len(x) >= x.shape[1]:
        return x, np.eye(x.shape[1])
    _, sizes, rows = np.linalg.svd(x, full_matrices=False)
    kept = sizes > 1e-9 * sizes.max(initial=1e-300)
    back: np.ndarray = rows[kept].T
    return x @ back, back


def _logistic(
    x: np.ndarray, codes: np.ndarray, strength: float, classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weights [d, classes] and biases; a class that none of the graphs has is never chosen."""
    weights, biases = np.zeros((x.shape[1], classes)), np.full(classes, -30.0)
    present = np.unique(codes)
    biases[present] = 0.0
    if len(present) > 1:
        model = LogisticRegression(C=strength, max_iter=300).fit(x, codes)
        if len(present) == 2:  # scikit-learn has one row for two classes
            weights[:, present[1]], biases[present[1]] = model.coef_[0], model.intercept_[0]
        else:
            weights[:, present], biases[present] = model.coef_.T, model.intercept_
    return weights, biases


def _log_loss(
    x: np.ndarray, codes: np.ndarray, train: np.ndarray, test: np.ndarray, strength: float, classes: int
) -> float:
    weights, biases = _logistic(x[train], codes[train], strength, classes)
    logits = torch.from_numpy(x[test] @ weights + biases)
    return float(torch.nn.functional.cross_entropy(logits, torch.from_numpy(codes[test])))
