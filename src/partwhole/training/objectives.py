"""What a step optimises: a model and a batch in, a loss and what to log out."""

from __future__ import annotations

import torch
from torch import Tensor

from partwhole.graph import GraphBatch, GraphViews
from partwhole.losses.head_tail import head_tail_bound, mutual_information, pair_scores
from partwhole.model import PartWhole
from partwhole.segment import segment_sum


class HeadTailObjective:
    """Maximise I(h(G); h~(G)) (Eq. 7, 13) by the Head-Tail bound (Eq. 17)."""

    def __call__(
        self, model: PartWhole, batch: GraphBatch, random: torch.Generator
    ) -> tuple[Tensor, dict[str, float]]:
        config = model.config
        views = model(batch, random)
        scores = pair_scores(views, config.score, config.temperature)
        loss = -head_tail_bound(scores, config.estimator)
        logged = {
            "loss": loss.item(),
            "mutual_information": mutual_information(scores, config.estimator).item(),
        }
        return loss, logged | describe_subgraphs(views, batch)


@torch.no_grad()
def describe_subgraphs(views: GraphViews, batch: GraphBatch) -> dict[str, float]:
    """Whether the split means anything (ledger rows 3 and 4).

    `entropy`: of a node's shares over the subgraphs, in bits, mean over nodes. `smallest`,
    `largest`: mean share of the graph's nodes that the smallest and the largest subgraph hold.
    `overlap`: mean over nodes of membership beyond one. `uncovered`: share of nodes held by no
    subgraph. `degenerate_heads`: share of graphs whose corruption has the very same vector.
    """
    membership = views.membership  # [S, n]
    if membership.shape[1] == 0:
        return {}
    total = membership.sum(0)  # [n]
    share = membership / total.where(total > 0, 1.0)
    entropy = -(share * share.clamp_min(1e-12).log2()).sum(0).mean()
    nodes = batch.node_ptr.diff().clamp_min(1)[:, None]  # [B, 1]
    sizes = segment_sum(membership.T.contiguous(), batch.node_ptr, batch.graph_of_node) / nodes
    logged = {
        "entropy": entropy.item(),
        "smallest": sizes.min(1).values.mean().item(),
        "largest": sizes.max(1).values.mean().item(),
        "overlap": (total - 1).clamp_min(0).mean().item(),
        "uncovered": (total <= 0).float().mean().item(),
    }
    if views.corrupted is not None:
        scale = views.graph.norm(dim=1).clamp_min(1e-12)
        gap = (views.graph - views.corrupted).norm(dim=1) / scale
        # Equal in exact arithmetic; sums taken in another order differ in the last digits.
        logged["degenerate_heads"] = (gap < 1e-5).float().mean().item()
    return logged
