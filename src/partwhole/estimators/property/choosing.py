"""Which head predicts best, by folds of the labelled graphs that no head has learned from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from partwhole.errors import FEW, PartwholeError, near_miss
from partwhole.estimators.property.forest import Forest
from partwhole.estimators.property.gaussian_process import GaussianProcess
from partwhole.estimators.property.heads import Head, Said, Views
from partwhole.estimators.property.linear_head import LinearHead

FOLDS = 5
MOST_CHECKED = 1500  # labelled graphs that the choice is made by, drawn by the seed
FEWEST_CHECKED = 10  # fewer tell nothing, and all heads together are taken
COVERED = 0.9  # share of the graphs of the folds that are inside their intervals
LEAST_SHARE = 1e-6  # of a class
SHARPNESS = 5.0  # with which errors become weights: one that is a fifth larger counts a third as much
LEAST_WEIGHT = 0.05  # of a head in the mean; one of less is left out
TOGETHER = "their weighed mean"

# The quick ones first: they are tried first.
HEADS: dict[str, type[Head]] = {head.name: head for head in (LinearHead, Forest, GaussianProcess)}
Splits = Sequence[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Candidate:
    """A head and the views that it looks at."""

    head: str
    views: tuple[str, ...]

    @property
    def told(self) -> str:
        """In words: `forest on descriptors, patterns`."""
        return f"{self.head.replace('-', ' ')} on {', '.join(self.views)}"

    def columns(self, views: Views) -> tuple[np.ndarray, Views]:
        """Its columns of a vector [k], and where each view is among these."""
        chosen = [np.arange(views[name].start, views[name].stop) for name in self.views]
        ends = np.cumsum([0, *map(len, chosen)])
        own = {name: slice(a, b) for name, a, b in zip(self.views, ends, ends[1:])}
        return np.concatenate(chosen), own

    def fit(self, x: np.ndarray, y: np.ndarray, views: Views, classes: bool, seed: int) -> Head:
        """Its head, from vectors of all views."""
        columns, own = self.columns(views)
        return HEADS[self.head].fit(x[:, columns], y, own, classes=classes, seed=seed)


@dataclass(frozen=True)
class Chosen:
    """Heads whose weighed mean predicts a target, and what is known of how good they are."""

    heads: list[tuple[Candidate, Head]]
    weights: np.ndarray  # [heads], adding up to 1
    said: np.ndarray | None  # [n, outputs] of graphs by heads that did not see them; NaN where not checked
    width: float  # of an interval, in deviations
    errors: dict[str, float] = field(default_factory=dict)  # of each candidate in the folds
    left_out: tuple[str, ...] = ()  # candidates for which there was no time

    @property
    def told(self) -> str:
        """In words: `forest on descriptors, patterns 60 %, linear on patterns 40 %`."""
        order = np.argsort(-self.weights, kind="stable")
        shares = [f" {100 * self.weights[k]:.0f} %" if len(order) > 1 else "" for k in order]
        return "; ".join(f"{self.heads[k][0].told}{share}" for k, share in zip(order, shares))

    def say(self, x: np.ndarray, views: Views) -> Said:
        """The mean, and where heads cannot tell how sure they are, the interval's own width."""
        said = [head.say(x[:, candidate.columns(views)[0]]) for candidate, head in self.heads]
        return mean_of(said, self.weights)


def candidates_of(views: Views, models: Sequence[str] = (), looked_at: Sequence[str] = ()) -> list[Candidate]:
    """What is tried: every head on all views, and where some are exact, linear maps and forests on these;
    of all `models` and views, or of those that are named."""
    for name in looked_at:
        if name not in views:
            raise PartwholeError(f"The vectors have no view {name!r}.{near_miss(name, views, whole=FEW)}")
    every = tuple(name for name in views if name in looked_at or not looked_at)
    exact = tuple(name for name in every if name != "learned")
    found = []
    for head in HEADS:
        found.append(Candidate(head, every))
        if exact and exact != every and head != GaussianProcess.name:  # which weighs views by itself
            found.append(Candidate(head, exact))
    return [candidate for candidate in found if candidate.head in models or not models]


def choose(
    x: np.ndarray,
    y: np.ndarray,
    views: Views,
    candidates: Sequence[Candidate],
    *,
    classes: bool,
    seed: int,
    groups: np.ndarray | None,
    until: float = np.inf,
    tried: Callable[[], None] = lambda: None,
) -> Chosen:
    """All candidates, fitted to graphs [n, d] with labels [n, outputs], NaN where there is none, and weighed
    by their errors in folds. `groups` [n] are kept on one side of each split. After the moment `until` of the
    monotonic clock no further candidate is tried; `tried` is called after each."""
    known = np.flatnonzero(~np.isnan(y[:, 0]))

    def fitted(taken: Sequence[Candidate]) -> list[tuple[Candidate, Head]]:
        return [(c, c.fit(x[known], y[known], views, classes, seed)) for c in taken]

    if len(known) < FEWEST_CHECKED:
        return Chosen(fitted(candidates), np.full(len(candidates), 1 / len(candidates)), None, np.nan)
    some = np.sort(np.random.default_rng(seed).permutation(known)[:MOST_CHECKED])
    folds = list(splits_of(y[some], classes, seed, None if groups is None else groups[some]))
    said: dict[str, Said] = {}
    for c in candidates:
        if not said or time.monotonic() < until:
            said[c.told] = _out_of_fold(c, x[some], y[some], views, folds, classes, seed)
        tried()
    left_out = tuple(c.told for c in candidates if c.told not in said)
    taken = [c for c in candidates if c.told in said]
    errors = {c.told: _error(said[c.told].mean, y[some], classes) for c in taken}
    weights = weights_of(np.array(list(errors.values())))
    mean = mean_of([said[c.told] for c in taken], weights)
    if len(taken) > 1:
        errors[TOGETHER] = _error(mean.mean, y[some], classes)
    whole = np.full(y.shape, np.nan)
    whole[some] = mean.mean
    width = np.nan if classes else _width(mean, y[some])
    heads = fitted([c for c, weight in zip(taken, weights) if weight > 0])
    return Chosen(heads, weights[weights > 0], whole, width, errors, left_out)


def weights_of(errors: np.ndarray) -> np.ndarray:
    """[candidates] how much each counts, by its error in the folds.

    Of few labels the one that looks best is often the luckiest, and the mean of several good ones is mostly
    better than each of them; one that is far behind would only harm it.
    """
    worse = errors / max(errors.min(), 1e-12) - 1
    weights = np.exp(-SHARPNESS * worse)
    weights /= weights.sum()
    weights[weights < LEAST_WEIGHT] = 0
    return np.asarray(weights / weights.sum())


def enough(groups: np.ndarray) -> bool:
    """Whether there are enough groups to keep each in one fold."""
    return len(np.unique(groups)) >= 2 * FOLDS


def splits_of(
    y: np.ndarray, classes: bool, seed: int, groups: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Folds of labelled graphs: whole groups where there are enough of them, else classes spread evenly."""
    nothing = np.zeros(len(y))
    if groups is not None and enough(groups):
        order = np.random.default_rng(seed).permutation(groups.max() + 1)  # which groups go together is drawn
        yield from GroupKFold(FOLDS).split(nothing, groups=order[groups])
    elif classes and np.min(y.sum(axis=0)[y.sum(axis=0) > 0]) >= FOLDS:
        yield from StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(nothing, y.argmax(axis=1))
    else:
        yield from KFold(FOLDS, shuffle=True, random_state=seed).split(nothing)


def _out_of_fold(
    candidate: Candidate, x: np.ndarray, y: np.ndarray, views: Views, folds: Splits, classes: bool, seed: int
) -> Said:
    mean, deviation = np.zeros(y.shape), np.full(y.shape, np.nan)
    columns, _ = candidate.columns(views)
    for train, test in folds:
        said = candidate.fit(x[train], y[train], views, classes, seed).say(x[np.ix_(test, columns)])
        mean[test] = said.mean
        if said.deviation is not None:
            deviation[test] = said.deviation
    return Said(mean, None if np.isnan(deviation).any() else deviation)


def mean_of(said: Sequence[Said], weights: np.ndarray) -> Said:
    """The weighed mean; how sure it is tell those that can."""
    counted = [(one, weight) for one, weight in zip(said, weights, strict=True) if weight > 0]
    mean = sum(weight * one.mean for one, weight in counted)
    sure = [(one.deviation, weight) for one, weight in counted if one.deviation is not None]
    total = sum(weight for _, weight in sure)
    return Said(np.asarray(mean), sum(weight * of for of, weight in sure) / total if sure else None)


def _error(said: np.ndarray, y: np.ndarray, classes: bool) -> float:
    """Root of the mean squared error of numbers, log-loss of classes."""
    if not classes:
        return float(np.sqrt(np.mean((said - y) ** 2)))
    shares = np.clip(said, LEAST_SHARE, 1)
    shares /= shares.sum(axis=1, keepdims=True)
    return float(log_loss(y.argmax(axis=1), shares, labels=np.arange(y.shape[1])))


def _width(said: Said, y: np.ndarray) -> float:
    """How many deviations wide intervals are that hold `COVERED` of the labelled graphs (conformal
    prediction); where no head tells deviations, they are all 1."""
    away = np.abs(said.mean - y) / (1.0 if said.deviation is None else said.deviation)
    return float(np.quantile(away, min(COVERED * (1 + 1 / len(y)), 1.0)))
