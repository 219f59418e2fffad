"""A Gaussian process on several views of a graph (Rasmussen & Williams 2006).

    k(x, x') = sum_v a_v / (1 + |x_v - x'_v|^2 / l_v^2),  and noise on the diagonal

Each view v has an amplitude and a length of its own, which make the labels likeliest: so labels say which
view counts. Of classes, a process tells each from all others, and its scores become probabilities by a
logistic curve that is fitted to what each labelled graph gets from all others (leave one out, in closed
form).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from partwhole.estimators.property.heads import Head, Said, Views

MOST_LEARNED = 800  # graphs that amplitudes and lengths are learned from, drawn by the seed
MOST = 6000  # graphs that are learned from, drawn by the seed; the matrix of all pairs is inverted
MOST_SURE = 2000  # graphs that deviations are computed from
ROUNDS = 60  # of L-BFGS at the most
BROAD = 0.05  # weight of the prior of all logarithms, normal around 0
LEAST_NOISE = 1e-4  # share of the variance of the labels
USUAL_NOISE = -1.5  # logarithm of the noise before anything is learned


@dataclass(frozen=True)
class GaussianProcess(Head):
    """Graphs that were learned from, their weights, and what makes the kernel."""

    name = "gaussian-process"

    views: Views
    x: np.ndarray  # [n, d] float32
    squares: np.ndarray  # [views] l_v^2
    amplitudes: np.ndarray  # [views]
    noise: float
    weights: np.ndarray  # [n, outputs]: (K + noise)^-1 y
    mean: np.ndarray  # [outputs] of the labels
    root: np.ndarray  # [m, m] lower triangle, of K + noise of the first m graphs
    curve: np.ndarray | None  # [outputs + 1, outputs] from scores of classes to logits; None: numbers

    @classmethod
    def fit(cls, x: np.ndarray, y: np.ndarray, views: Views, *, classes: bool, seed: int) -> Self:
        """Learn the kernel, then the weights."""
        order = np.random.default_rng(seed).permutation(len(x))[:MOST]
        x, y = x[order].astype(np.float32), y[order]
        mean = y.mean(axis=0)
        few = slice(0, MOST_LEARNED)
        squares, amplitudes, noise = _likeliest(x[few], y[few] - mean, views)
        process = cls(views, x, squares, amplitudes, noise, y, mean, y, None)
        covariance = process.kernel(x, x) + noise * np.eye(len(x))
        root = cholesky(covariance, lower=True, check_finite=False)
        weights = cho_solve((root, True), y - mean)
        curve = None
        if classes:
            inverse = solve_triangular(root, np.eye(len(x)), lower=True)
            alone = y - weights / (inverse**2).sum(axis=0)[:, None]  # what others say of each
            curve = _logistic_curve(alone, y.argmax(axis=1))
        sure = cholesky(covariance[:MOST_SURE, :MOST_SURE], lower=True)
        return cls(views, x, squares, amplitudes, noise, weights, mean, sure, curve)

    def kernel(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[n, m] without noise"""
        total = np.zeros((len(a), len(b)))
        for columns, square, amplitude in zip(self.views.values(), self.squares, self.amplitudes):
            total += amplitude / (1 + _squared_distances(a[:, columns], b[:, columns]) / square)
        return total

    def say(self, x: np.ndarray) -> Said:
        """Numbers with their deviations, or shares of classes."""
        between = self.kernel(x.astype(np.float32), self.x)
        scores = between @ self.weights + self.mean
        if self.curve is not None:
            logits = scores @ self.curve[:-1] + self.curve[-1]
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            return Said(shares / shares.sum(axis=1, keepdims=True))
        half = solve_triangular(self.root, between[:, : len(self.root)].T, lower=True)
        variance = self.amplitudes.sum() + self.noise - (half**2).sum(axis=0)
        deviation = np.sqrt(np.maximum(variance, self.noise))[:, None]
        return Said(scores, np.broadcast_to(deviation, scores.shape))

    def arrays(self) -> dict[str, np.ndarray]:
        """Graphs, weights and kernel; single precision where it is much."""
        kept = {"x": self.x, "squares": self.squares, "amplitudes": self.amplitudes, "mean": self.mean}
        kept |= {"noise": np.array(self.noise), "weights": self.weights, "root": self.root.astype(np.float32)}
        return kept | ({} if self.curve is None else {"curve": self.curve})

    @classmethod
    def restored(cls, arrays: Mapping[str, np.ndarray], views: Views) -> Self:
        """The same."""
        return cls(
            views,
            arrays["x"],
            arrays["squares"],
            arrays["amplitudes"],
            arrays["noise"].item(),
            arrays["weights"],
            arrays["mean"],
            arrays["root"].astype(np.float64),
            arrays.get("curve"),
        )


def _squared_distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = a.astype(np.float64), b.astype(np.float64)
    found = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.maximum(found, 0.0)


def _likeliest(x: np.ndarray, y: np.ndarray, views: Views) -> tuple[np.ndarray, np.ndarray, float]:
    """Squared lengths and amplitudes of views, and the noise, that make centred labels likeliest; lengths
    begin at the median distance."""
    distances, medians = [], []
    for columns in views.values():
        found = _squared_distances(x[:, columns], x[:, columns])
        apart = found[found > 1e-9 * max(found.max(initial=0.0), 1e-300)]
        medians.append(float(np.median(apart)) if len(apart) else 1.0)
        distances.append(torch.from_numpy(found / medians[-1]))
    size = float((y**2).mean()) or 1.0
    wanted, unit = torch.from_numpy(y / size**0.5), torch.eye(len(y), dtype=torch.float64)

    def unlikely(logs: Tensor) -> Tensor:
        covariance = (logs[-1] + USUAL_NOISE).exp() * unit + LEAST_NOISE * unit
        for k, distance in enumerate(distances):
            covariance = covariance + logs[2 * k].exp() / (1 + distance / logs[2 * k + 1].exp())
        root = torch.linalg.cholesky(covariance)
        fit = (wanted * torch.cholesky_solve(wanted, root)).sum() / 2
        half = root.diagonal().log().sum() * wanted.shape[1]
        return (fit + half + BROAD * logs.square().sum()) / len(wanted)

    def with_gradient(at: np.ndarray) -> tuple[float, np.ndarray]:
        logs = torch.from_numpy(at.copy()).requires_grad_()
        value = unlikely(logs)
        value.backward()
        assert logs.grad is not None
        return value.item(), logs.grad.numpy()

    begin = np.zeros(2 * len(views) + 1)
    found = np.exp(minimize(with_gradient, begin, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x)
    noise = size * (float(found[-1]) * np.exp(USUAL_NOISE) + LEAST_NOISE)
    return np.array(medians) * found[1:-1:2], size * found[:-1:2], noise


def _logistic_curve(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """[outputs + 1, outputs]: a map of scores and a constant, by logistic regression; a class that no graph
    has is hardly likely."""
    outputs = scores.shape[1]
    curve = np.zeros((outputs + 1, outputs))
    curve[-1] = -30.0
    present = np.unique(codes)
    curve[-1, present] = 0.0
    if len(present) > 1:
        model = LogisticRegression(C=10.0).fit(scores, codes)
        if len(present) == 2:  # scikit-learn has one row for two classes
            curve[:-1, present[1]], curve[-1, present[1]] = model.coef_[0], model.intercept_[0]
        else:
            curve[:-1, present], curve[-1, present] = model.coef_.T, model.intercept_
    return curve
