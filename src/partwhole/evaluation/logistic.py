"""Logistic regression as the authors' script fits it (docs/paper-ledger.md, row 12): 100 steps of
Adam with learning rate 0.01 and weight decay 0.01 on the unscaled vectors, and nothing chosen.

The folds share their vectors, so all are fitted at once: their weights stand side by side in one
matrix, and a sample outside the training folds of one has no share in its gradient.
"""

from __future__ import annotations

import math

import torch
from numpy import ascontiguousarray, ndarray, unique
from torch import Tensor
from torch.nn.functional import one_hot

from partwhole.evaluation.nested import Folds

STEPS, RATE, DECAY = 100, 0.01, 0.01
BETAS, EPS = (0.9, 0.999), 1e-8  # Adam's own


@torch.inference_mode()
def logistic_regression(vectors: ndarray, labels: ndarray, folds: Folds, seed: int = 0) -> list[ndarray]:
    """Predict the labels of each test fold; the seed draws the first weights."""
    classes, codes = unique(labels, return_inverse=True)
    x = torch.from_numpy(ascontiguousarray(vectors, dtype="float32"))  # [n, d]
    wanted = one_hot(torch.from_numpy(codes), len(classes)).float()[:, None, :]  # [n, 1, K]
    share = torch.zeros(len(x), len(folds), 1)  # [n, F, 1] of each sample in each loss
    for k, (train, _) in enumerate(folds):
        share[torch.from_numpy(train), k] = 1 / len(train)
    random = torch.Generator().manual_seed(seed)
    bound = math.sqrt(6 / (x.shape[1] + len(classes)))  # Xavier
    starts = [torch.empty(x.shape[1], len(classes)).uniform_(-bound, bound, generator=random) for _ in folds]
    weight, bias = (
        torch.stack(starts, dim=1),
        torch.zeros(1, len(folds), len(classes)),
    )  # [d, F, K], [1, F, K]
    moments = [(torch.zeros_like(p), torch.zeros_like(p)) for p in (weight, bias)]

    def logits() -> Tensor:
        return (x @ weight.flatten(1)).unflatten(1, (len(folds), -1)) + bias  # [n, F, K]

    for step in range(1, STEPS + 1):
        error = (logits().softmax(-1) - wanted) * share
        slopes = (x.T @ error.flatten(1)).unflatten(1, (len(folds), -1)), error.sum(0, keepdim=True)
        for value, slope, (first, second) in zip((weight, bias), slopes, moments):
            slope = slope + DECAY * value
            first.lerp_(slope, 1 - BETAS[0])
            second.lerp_(slope.square(), 1 - BETAS[1])
            size = (second / (1 - BETAS[1] ** step)).sqrt_().add_(EPS)
            value.sub_(RATE / (1 - BETAS[0] ** step) * first / size)
    chosen = logits().argmax(-1).numpy()  # [n, F]
    return [classes[chosen[test, k]] for k, (_, test) in enumerate(folds)]
