"""Where to divide nodes so that neither side is empty: the middle of their logits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from partwhole.graphs.node_vectors import Rows
from partwhole.parallel import ranks

ALIKE = 1e-5  # of their size; logits that differ by less are equal but for rounding


class Middle(nn.Module):
    """Logits, centred between the two halves of the nodes and scaled by their mean distance from there.

    Without it a generator is free to put all nodes into one part, and does. In training the middle is that
    of the batch. Afterwards it is what was found while `learning` from the graphs of the fit, so that the
    parts of a graph depend on that graph only.
    """

    def __init__(self, operators: int):
        super().__init__()
        self.middle: Tensor
        self.spread: Tensor
        self.register_buffer("middle", torch.zeros(operators))
        self.register_buffer("spread", torch.ones(operators))
        self._learning = False

    def forward(self, logit: Tensor, rows: Rows, operators: slice, among: Tensor) -> Tensor:
        """[k, rows] -> [k, rows], for the operators of these places; `among` [k, rows]: shares of nodes"""
        middle, spread = self.middle[operators], self.spread[operators]
        if self.training or self._learning:
            weight = among.detach() if rows.count is None else among.detach() * rows.count.to(among.dtype)
            values, weight = logit.detach().T, weight.T  # [rows, k]
            if not self._learning:  # every rank has a piece of the batch
                values, weight = ranks.gathered(values.contiguous()), ranks.gathered(weight.contiguous())
            middle, spread = torch.stack([middle_of(v, w) for v, w in zip(values.T, weight.T)], dim=1)
        if self._learning:
            self.middle[operators], self.spread[operators] = middle, spread
        return (logit - middle[:, None]) / spread[:, None]

    @contextmanager
    def learning(self) -> Iterator[None]:
        """The middles of the batch that is seen meanwhile are kept."""
        self._learning = True
        try:
            yield
        finally:
            self._learning = False


def middle_of(values: Tensor, weights: Tensor) -> Tensor:
    """[2]: between which values the weights are halved best, and the mean distance from there.

    Equal values stay together: if three in four nodes are alike, the parts have three quarters and one. Where
    all are equal there is nothing to divide, and all are on the upper side.
    """
    held = weights > 0
    values, order = values[held].sort()
    below = weights[held][order].cumsum(0)
    apart = values.diff() > ALIKE * (values[1:].abs() + values[:-1].abs())
    if not bool(apart.any()):
        return torch.stack([values[0] - 1 if len(values) else values.new_zeros(()), values.new_ones(())])
    uneven = (below[:-1] - below[-1] / 2).abs().where(apart, below[-1])
    at = int(uneven.argmin())
    middle = (values[at] + values[at + 1]) / 2
    spread = ((values - middle).abs() * weights[held][order]).sum() / below[-1]
    return torch.stack([middle, spread])
