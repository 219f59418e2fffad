"""The nested linear SVM: scikit-learn's `LinearSVC`, one class against the rest, solved to the end.

Vectors that are sums over nodes are large and correlated, and coordinate descent stops at its limit
there long before the optimum. The loss (squared hinge) is piecewise quadratic, so Newton steps reach
the optimum itself, and the solution for one C starts the next (Keerthi and DeCoste, 2005).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq

from partwhole.evaluation.nested import C_GRID, FoldResult, Folds, groups_of_equals, merged, nested

NOISE = 1e-6  # of the largest direction: what single precision leaves of sums over nodes
STEPS = 100  # a bound that is not met: about five are needed


def nested_linear_svm(vectors: np.ndarray, labels: np.ndarray, folds: Folds) -> list[FoldResult]:
    """Choose C by inner cross-validation in the training folds, fit, and predict the test fold."""
    turned = rotate(vectors.astype(np.float64))
    x = np.concatenate([turned, np.ones((len(vectors), 1))], axis=1)  # bias last
    classes, codes = np.unique(labels, return_inverse=True)
    groups = groups_of_equals(vectors)

    def predict(train: np.ndarray, test: np.ndarray, grid: list[float]) -> list[np.ndarray]:
        kept, counts = merged(train, codes, groups)
        sides = [np.where(codes[kept] == k, 1.0, -1.0) for k in range(len(classes))]
        if len(sides) == 2:  # the second problem is the first with the signs turned
            second = weight_path(x[kept], sides[1], counts, grid)
            weights = np.stack([-second, second])
        else:
            weights = np.stack([weight_path(x[kept], side, counts, grid) for side in sides])  # [K, C, d]
        return [classes[(x[test] @ weights[:, i].T).argmax(axis=1)] for i in range(len(grid))]

    return nested(labels, folds, predict, C_GRID)


def rotate(vectors: np.ndarray) -> np.ndarray:
    """Turn vectors into their principal directions, without those that hold rounding errors only.

    A rotation changes neither |w| nor x w, so the problem is the same, smaller and well conditioned.
    """
    left, sizes, _ = np.linalg.svd(vectors, full_matrices=False)
    kept = sizes > NOISE * sizes[0]
    return left[:, kept] * sizes[kept]


def weight_path(x: np.ndarray, side: np.ndarray, counts: np.ndarray, grid: list[float]) -> np.ndarray:
    """Find [C, d] the minimiser of |w|²/2 + C Σ counts · max(0, 1 - side · x w)², for each C of the grid."""
    weight, path = np.zeros(x.shape[1]), []
    for c in grid:
        weight = _minimise(x, side, c * counts, weight)
        path.append(weight)
    return np.stack(path)


def _minimise(x: np.ndarray, side: np.ndarray, cost: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Newton steps on the samples inside the margin, until these stay the same."""
    inside = side * (x @ weight) < 1
    for _ in range(STEPS):
        near, price = x[inside], 2 * cost[inside]
        hessian = np.eye(x.shape[1]) + (near * price[:, None]).T @ near
        step = _solve(hessian, near.T @ (price * side[inside])) - weight
        weight = weight + _step_length(x, side, cost, weight, step) * step
        before, inside = inside, side * (x @ weight) < 1
        if np.array_equal(before, inside):
            return weight  # the minimum of this quadratic piece lies in the piece
    return weight


def _solve(hessian: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Positive definite by construction, but vectors of size 1e5 and C = 1000 can round that away."""
    try:
        return cho_solve(cho_factor(hessian), right)
    except LinAlgError:
        return lstsq(hessian, right)[0]


def _step_length(
    x: np.ndarray, side: np.ndarray, cost: np.ndarray, weight: np.ndarray, step: np.ndarray
) -> float:
    """Where along `step` the loss is least: the root of its derivative, which never falls."""
    slack, change = 1 - side * (x @ weight), side * (x @ step)
    start, growth = weight @ step, step @ step

    def derivative(t: float) -> float:
        return float(start + t * growth - 2 * (cost * change) @ np.maximum(slack - t * change, 0))

    if derivative(1.0) <= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
    return (low + high) / 2
