"""What is predicted: numbers or classes, several targets at once, each with its own missing labels.

A task tells how many outputs the model has, the loss of a batch, the error that chooses the epoch,
and how outputs become predictions. Targets are [B, T], NaN where missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


class Task(Protocol):
    """What a network with labels learns: how many outputs, which loss, which error."""

    @property
    def outputs(self) -> int:
        """Columns that the network has."""
        ...

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Mean over the known entries."""
        ...

    def error(self, outputs: Tensor, targets: Tensor) -> float:
        """What chooses the epoch; the smaller the better."""
        ...

    def disagreement(self, outputs: Tensor, others: Tensor) -> Tensor:
        """How far two models are apart."""
        ...


@dataclass(frozen=True)
class Regression:
    """Mean squared error on targets standardised by the labelled training part."""

    means: tuple[float, ...]
    scales: tuple[float, ...]

    @classmethod
    def of(cls, targets: np.ndarray) -> Regression:
        """The mean and standard deviation of each target [G, T]; a constant one is only shifted."""
        spread = np.nanstd(targets, axis=0)
        rounding = 1e-12 * np.maximum(1.0, np.abs(np.nanmean(targets, axis=0)))
        scales = np.where(spread > rounding, spread, 1.0)
        return cls(tuple(np.nanmean(targets, axis=0).tolist()), tuple(scales.tolist()))

    @property
    def outputs(self) -> int:
        """One column for each target."""
        return len(self.means)

    def standardised(self, targets: Tensor) -> Tensor:
        """Targets with mean 0 and deviation 1 over the labelled training part."""
        shift, scale = (
            torch.tensor(v, dtype=targets.dtype, device=targets.device) for v in (self.means, self.scales)
        )
        return (targets - shift) / scale

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Mean squared error over the known entries."""
        wanted = self.standardised(targets).to(outputs.dtype)
        known = ~wanted.isnan()
        return (outputs[known] - wanted[known]).square().mean()

    def error(self, outputs: Tensor, targets: Tensor) -> float:
        """Mean absolute error in standard deviations, each target weighing the same."""
        return float((outputs - self.standardised(targets).to(outputs.dtype)).abs().nanmean(0).nanmean())

    def disagreement(self, outputs: Tensor, others: Tensor) -> Tensor:
        """Mean squared difference, in standard deviations."""
        return (outputs - others).square().mean()

    def predictions(self, outputs: Tensor) -> np.ndarray:
        """[B, T] in the units of the targets."""
        numbers: np.ndarray = outputs.double().cpu().numpy() * np.array(self.scales) + np.array(self.means)
        return numbers

    def to_dict(self) -> dict[str, Any]:
        """What a run folder keeps."""
        return {"means": list(self.means), "scales": list(self.scales)}


@dataclass(frozen=True)
class Classification:
    """Cross-entropy; targets are class codes, and each target has its own classes."""

    sizes: tuple[int, ...]  # classes of each target

    @property
    def outputs(self) -> int:
        """One column for each class of each target."""
        return sum(self.sizes)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy over the known entries."""
        losses = []
        for logits, codes in zip(outputs.split(self.sizes, dim=1), targets.unbind(1)):
            known = ~codes.isnan()
            losses.append(cross_entropy(logits[known], codes[known].long(), reduction="sum"))
        return torch.stack(losses).sum() / (~targets.isnan()).sum()

    def error(self, outputs: Tensor, targets: Tensor) -> float:
        """Mean probability of the wrong classes. A network that is sure of itself has a large cross-entropy
        where it errs, though it errs less often: that would choose the first epochs."""
        wrong = []
        for logits, codes in zip(outputs.split(self.sizes, dim=1), targets.unbind(1)):
            known = ~codes.isnan()
            right = logits[known].softmax(1).gather(1, codes[known].long()[:, None])
            wrong.append((1 - right).mean())
        return float(torch.stack(wrong).nanmean())

    def disagreement(self, outputs: Tensor, others: Tensor) -> Tensor:
        """Mean squared difference of the probabilities."""
        pairs = zip(outputs.split(self.sizes, dim=1), others.split(self.sizes, dim=1))
        return torch.stack([(a.softmax(1) - b.softmax(1)).square().mean() for a, b in pairs]).mean()

    def probabilities(self, outputs: Tensor) -> list[np.ndarray]:
        """[B, classes] for each target."""
        return [logits.softmax(1).double().cpu().numpy() for logits in outputs.split(self.sizes, dim=1)]
