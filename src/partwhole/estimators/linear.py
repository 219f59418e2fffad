"""Linear models on vectors that stay as they are: few labels on top of what was learned without any."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold
from torch import Tensor

from partwhole.config import Options, Seed, option, seed_option
from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphMethod, load_run
from partwhole.estimators.labelled import Classes, LabelledMethod, Numbers
from partwhole.estimators.semi_supervised.held_out import HeldOut
from partwhole.graphs.store import GraphStore
from partwhole.registry import METHODS
from partwhole.runs.pretrained import names, run_folder

PENALTIES = np.logspace(-2, 5, 15)  # of ridge regression
STRENGTHS = np.logspace(-4, 1, 6)  # C of logistic regression
FOLDS = 3
CHECKS = 5  # folds of the labelled graphs that tell how good the model is
MOST_NESTED = 2000  # labelled graphs up to which everything is chosen anew in each of these folds
FEWEST_CHECKED = 10  # labelled graphs; fewer tell nothing


class Choice(NamedTuple):
    """What the labels of one target chose."""

    standardised: bool  # columns; otherwise they keep their own proportion
    penalty: float


class Fitted(NamedTuple):
    weight: np.ndarray  # [d, outputs]
    bias: np.ndarray  # [outputs]
    choices: list[Choice]  # of each target


@dataclass(eq=False)
class LinearConfig(Options):
    vectors: str = option(
        "molecules",
        "Whose vectors: a pretrained encoder, the folder of a run, or a method that is fitted to all graphs "
        "first, without labels (morgan, wl, subgraph-infomax, …).",
    )
    random_state: Seed = seed_option(
        "Seed of the folds that choose the penalty, and of a method that is fitted for it."
    )


class Solution(NamedTuple):
    """Of one target."""

    bad: float  # how far off inside the labelled graphs
    weight: np.ndarray  # [d, outputs]
    bias: np.ndarray  # [outputs]
    penalty: float


class LinearMethod(LabelledMethod, LinearConfig):
    """`_solve` gives the weights for one target, the penalty chosen by the labelled graphs themselves.

    Columns are standardised or left in their own proportion, whichever predicts better inside the labelled
    graphs: sums over atoms want the first, fingerprints the second.
    """

    config_class = LinearConfig
    penalty_called: str
    paper = "ridge and logistic regression, the usual probe of vectors learned without labels"

    @property
    def width(self) -> int:
        """Of the vectors that `transform` gives, which are those that the model looks at."""
        return self.encoder_.width

    # ---------------------------------------------------------------- what a model defines

    penalties: tuple[float, ...]

    def _solve(self, x: np.ndarray, y: np.ndarray, target: int, penalties: Sequence[float]) -> Solution:
        """From standardised or plain columns [g, d], by the best of the penalties."""
        raise TypeError("a linear model defines _solve")

    # ---------------------------------------------------------------- inside

    def _learn(self, store: GraphStore) -> None:
        train, _, targets = self._take_parts()
        self.encoder_ = vectors_of(self.vectors, store, self.seed_)
        self.about_["encoder"] = self.encoder_.about_
        try:
            x = self._vectors(store.take(train))
        except PartwholeError as reason:
            raise PartwholeError(f"{reason} Other vectors can be chosen: vectors=METHOD.") from None
        self.weight_, self.bias_, choices = self._fitted(x, targets[train])
        self.choice_ = [
            f"{name}: {'columns standardised' if c.standardised else 'columns as they are'}, "
            f"{self.penalty_called} {c.penalty:.3g}"
            for name, c in zip(self.target_names_, choices)
        ]
        if len(train) >= FEWEST_CHECKED:
            self.held_out_ = self._checked(x, targets[train], choices, train, store.take(train))

    def _fitted(self, x: np.ndarray, targets: np.ndarray, choices: list[Choice] | None = None) -> Fitted:
        """From vectors [g, d] and targets [g, T]; with `choices`, nothing is chosen anew."""
        center, spread = x.mean(axis=0), x.std(axis=0)
        largest = spread.max(initial=0.0) or 1.0
        scales = {
            True: np.where(spread > 1e-6 * largest, spread, np.inf),
            False: np.full(len(spread), largest),
        }
        weights, biases, chosen = [], [], []
        for target, y in enumerate(targets.T):
            known = ~np.isnan(y)
            tried = [(s, self.penalties) for s in scales]
            if choices is not None:
                tried = [(choices[target].standardised, (choices[target].penalty,))]
            found = []
            for standardised, penalties in tried:
                scale = scales[standardised]
                solved = self._solve((x[known] - center) / scale, y[known], target, penalties)
                found.append((solved, standardised))
            best, standardised = min(found, key=lambda entry: entry[0].bad)
            weights.append(best.weight / scales[standardised][:, None])
            biases.append(best.bias - center @ weights[-1])
            chosen.append(Choice(standardised, best.penalty))
        return Fitted(np.hstack(weights), np.concatenate(biases), chosen)

    def _checked(
        self, x: np.ndarray, targets: np.ndarray, choices: list[Choice], rows: np.ndarray, store: GraphStore
    ) -> HeldOut:
        """Each labelled graph predicted by a model that did not see it."""
        nested = len(x) <= MOST_NESTED
        outputs = np.zeros((len(x), len(self.bias_)))
        folds = KFold(CHECKS, shuffle=True, random_state=self.seed_)
        kept = targets.copy()
        for train, test in folds.split(x):
            lost = (~np.isnan(targets[train])).sum(axis=0) < 2  # targets with nothing to learn from
            kept[np.ix_(test, lost)] = np.nan
            some = np.where(lost, 0.0, targets[train])  # which then teach nothing
            weight, bias, _ = self._fitted(x[train], some, None if nested else choices)
            outputs[test] = x[test] @ weight + bias
        how = f"{CHECKS} folds of the labelled graphs" + (
            ", everything chosen anew in each" if nested else ", the penalty chosen on all"
        )
        return HeldOut(how, self._guesses(rows, store, kept, torch.from_numpy(outputs)))

    def _vectors(self, store: GraphStore) -> np.ndarray:
        return self._embed(store).astype(np.float64)

    def _predicted(self, store: GraphStore) -> Tensor:
        return torch.from_numpy(self._vectors(store) @ self.weight_ + self.bias_)

    def _embed(self, store: GraphStore) -> np.ndarray:
        return np.concatenate(list(self.encoder_.transform_batches(store)))

    def _tensors(self) -> dict[str, Tensor]:
        """The encoder is kept too: the run it came from may go."""
        own = {"weight": torch.from_numpy(self.weight_), "bias": torch.from_numpy(self.bias_)}
        return own | {f"encoder.{name}": tensor for name, tensor in self.encoder_._tensors().items()}

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        self._restore_labels()
        kept = self.about_["encoder"]
        inner = {k.removeprefix("encoder."): v for k, v in tensors.items() if k.startswith("encoder.")}
        self.encoder_ = METHODS.get(kept["method"])._of(kept, inner, path)
        self.weight_, self.bias_ = tensors["weight"].numpy(), tensors["bias"].numpy()


def vectors_of(vectors: str, store: GraphStore, seed: int) -> GraphMethod:
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
    estimator: GraphMethod = method(random_state=seed) if seeded else method()
    return estimator.fit(store)


class RidgeRegressor(Numbers, LinearMethod):
    """Ridge regression; the penalty with the least leave-one-out error."""

    method = "ridge"
    about = "numbers by ridge regression on vectors of an encoder, a run or fingerprints"
    penalties = tuple(PENALTIES)
    penalty_called = "penalty"

    def _solve(self, x: np.ndarray, y: np.ndarray, target: int, penalties: Sequence[float]) -> Solution:
        wanted = (y - self.task_.means[target]) / self.task_.scales[target]
        model = RidgeCV(penalties, scoring="neg_mean_squared_error").fit(x, wanted)
        bias = np.array([model.intercept_])
        return Solution(-float(model.best_score_), model.coef_[:, None], bias, float(model.alpha_))


class LogisticClassifier(Classes, LinearMethod):
    """Logistic regression; the penalty with the least log-loss in `FOLDS` folds of the labelled graphs."""

    method = "logistic"
    about = "classes by logistic regression on vectors of an encoder, a run or fingerprints"
    penalties = tuple(STRENGTHS)
    penalty_called = "C"

    def _solve(self, x: np.ndarray, y: np.ndarray, target: int, penalties: Sequence[float]) -> Solution:
        with warnings.catch_warnings():
            # Last digits of weights that hardly any penalty holds do not matter, nor that a class is rare.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The least populated class")
            return self._best(x, y.astype(int), self.task_.sizes[target], penalties)

    def _best(self, x: np.ndarray, codes: np.ndarray, classes: int, strengths: Sequence[float]) -> Solution:
        rotated, back = in_own_span(x)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed_)
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
