"""Logistic regression as the authors' script fits it (docs/paper-ledger.md, row 12): 100 steps of
Adam with learning rate 0.01 and weight decay 0.01 on the unscaled vectors, and nothing chosen."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from partwhole.evaluation.nested import Folds

STEPS, RATE, DECAY = 100, 0.01, 0.01


def logistic_regression(
    vectors: np.ndarray, labels: np.ndarray, folds: Folds, seed: int = 0
) -> list[np.ndarray]:
    """The labels predicted for each test part."""
    classes, targets = np.unique(labels, return_inverse=True)
    x, y = torch.from_numpy(np.ascontiguousarray(vectors, dtype=np.float32)), torch.from_numpy(targets)
    random = torch.Generator().manual_seed(seed)
    bound = math.sqrt(6 / (x.shape[1] + len(classes)))  # Xavier
    predictions = []
    for train, test in folds:
        weight = torch.empty(x.shape[1], len(classes)).uniform_(-bound, bound, generator=random)
        weight, bias = weight.requires_grad_(), torch.zeros(len(classes), requires_grad=True)
        optimizer = torch.optim.Adam([weight, bias], lr=RATE, weight_decay=DECAY)
        inputs, wanted = x[train], y[train]
        for _ in range(STEPS):
            optimizer.zero_grad()
            cross_entropy(inputs @ weight + bias, wanted).backward()
            optimizer.step()
        with torch.no_grad():
            predictions.append(classes[(x[test] @ weight + bias).argmax(1).numpy()])
    return predictions
