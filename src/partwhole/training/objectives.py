"""The paper's objective: a network and a batch in, a loss and what to log out."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from partwhole.graphs.graph import Batch, GraphViews
from partwhole.losses.agreement import WEIGHT, agreement
from partwhole.losses.head_tail import head_tail_bound, mutual_information, pair_scores
from partwhole.model import PartWhole
from partwhole.parallel import ranks
from partwhole.registry import Plugin
from partwhole.training.feeds import DescribedBatch
from partwhole.training.plan import Objective


class BoundOptions(Protocol):
    """The options that say how pairs are scored and bounded."""

    estimator: Plugin
    pair_score: str
    temperature: float


class HeadTailObjective(Objective[PartWhole, Batch]):
    """Maximise I(h(G); h~(G)) (Eq. 7, 13) by the Head-Tail bound (Eq. 17)."""

    def __init__(self, options: BoundOptions):
        self.options = options

    def __call__(self, network: PartWhole, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        loss, logged = head_tail_loss(network(batch), self.options)
        return loss, {"loss": loss.detach(), **logged}


class DescribedObjective(Objective[PartWhole, DescribedBatch]):
    """The same bound, and beside it: the graphs that are alike by what the network sums up over their nodes
    are to be those that are described alike."""

    def __init__(self, options: BoundOptions):
        self.options = options

    def __call__(self, network: PartWhole, batch: DescribedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        views = network(batch.graphs)
        bound, logged = head_tail_loss(views, self.options)
        assert views.layer_sums is not None
        agreed = agreement(ranks.gathered(views.layer_sums()), ranks.gathered(batch.said))
        loss = bound + WEIGHT * (1 - agreed)
        return loss, {"loss": loss.detach(), **logged, "agreement": agreed.detach()}


def head_tail_loss(views: GraphViews, options: BoundOptions) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a batch, and what to log beside it; graphs are contrasted with those of all ranks."""
    scores = pair_scores(views.vectors_of_all_ranks(), options.pair_score, options.temperature)
    loss = -head_tail_bound(scores, options.estimator)
    with torch.no_grad():
        logged = {"mutual_information": mutual_information(scores, options.estimator)}
        return loss, logged | describe_subgraphs(views)


def describe_subgraphs(views: GraphViews) -> dict[str, Tensor]:
    """Whether the split means anything (ledger rows 3 and 4).

    `entropy`: of a node's shares over the subgraphs, in bits, mean over nodes. `smallest`,
    `largest`: mean share of the graph's nodes that the smallest and the largest subgraph hold.
    `overlap`: mean over nodes of membership beyond one. `uncovered`: share of nodes held by no
    subgraph. `degenerate_heads`: share of graphs whose corruption has the very same vector.
    """
    membership, rows = views.membership, views.rows  # [S, rows]
    if membership.shape[1] == 0:
        return {}
    total = membership.sum(0)  # [rows]
    share = membership / total.where(total > 0, 1.0)
    entropy = -(share * share.clamp_min(1e-12).log2()).sum(0)
    per_node = torch.stack([entropy, (total - 1).clamp_min(0), (total <= 0).to(total.dtype)])
    sums = rows.total(torch.cat([torch.ones_like(total)[None], per_node, membership]).T)  # [B, 4 + S]
    nodes, sizes = sums[:, :1], sums[:, 4:] / sums[:, :1].clamp_min(1)
    entropy, overlap, uncovered = sums[:, 1:4].sum(0) / nodes.sum()
    logged = {
        "entropy": entropy,
        "smallest": sizes.amin(1).mean(),
        "largest": sizes.amax(1).mean(),
        "overlap": overlap,
        "uncovered": uncovered,
    }
    if views.corrupted is not None:
        gap = (views.graph - views.corrupted).norm(dim=1)
        # Equal in exact arithmetic; sums taken in another order differ in the last digits.
        same = gap < 1e-5 * views.graph.norm(dim=1).clamp_min(1e-12)
        logged["degenerate_heads"] = same.to(gap.dtype).mean()
    return logged
