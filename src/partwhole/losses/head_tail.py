"""The Head-Tail contrastive loss of the paper (Eq. 17): which pairs count, and their scores."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from partwhole.errors import PartwholeError
from partwhole.graphs.graph import GraphViews
from partwhole.losses.scaled import ALIKE, discriminant, standardised
from partwhole.registry import BOUNDS, Plugin

PAPER = (
    "Wang & Liu, Learning Graph Representation by Aggregating Subgraphs via Mutual Information "
    "Maximization, 2021"
)
IDEA = "learned subgraphs, reassembled and compared with the whole"


@dataclass(frozen=True)
class PairScores:
    """Discriminator scores T of the pairs that count."""

    positive: Tensor  # [B, K]          (h(G_i), h~(G_i))
    tail: Tensor  # [at most B * (B - 1), K]  (h(G_j), h~(G_i)), j != i
    head: Tensor | None  # [at most B, K]  (h(G^_i), h~(G_i))

    def scaled(self) -> PairScores:
        """The scores as logarithms of odds that a pair is one of its own, not of another graph."""
        slope, shift = discriminant(self.positive, self.tail)
        head = None if self.head is None else slope * self.head - shift
        return PairScores(slope * self.positive - shift, slope * self.tail - shift, head)


def pair_scores(views: GraphViews, score: str = "dot", temperature: float = 0.2) -> PairScores:
    """Scores of positive, tail and head pairs; K is 1, or S when subgraph-conv is off (BASE).

    `dot` is the paper's: the product of the two vectors. `cosine` is that of their directions, divided by
    the temperature. `scaled` is the cosine of standardised vectors, with the slope and the shift that tell
    own from other graphs best (`losses/scaled.py`).
    """
    h, rec, corrupted = views.graph, views.reconstructed, views.corrupted
    graphs = len(h)
    if graphs < 2:
        raise PartwholeError(
            "The contrastive loss needs at least two graphs in a batch: a single graph has no tail "
            "negatives. Give more graphs or a larger batch size."
        )
    if score == "scaled":
        h, *permuted = standardised(h) if corrupted is None else standardised(h, corrupted)
        (rec,), corrupted = standardised(rec), permuted[0] if permuted else None
    elif score == "cosine":
        h, rec = normalize(h, dim=-1), normalize(rec, dim=-1) / temperature
        corrupted = None if corrupted is None else normalize(corrupted, dim=-1)
    every = torch.einsum("jd,ikd->ijk", h, rec)  # [B, B, K], entry ij is T(h(G_j), h~(G_i))
    other = ~torch.eye(graphs, dtype=torch.bool, device=h.device)
    head = None if corrupted is None else torch.einsum("id,ikd->ik", corrupted, rec)
    if score != "scaled":
        return PairScores(every.diagonal().T, every[other], head)
    # A graph cannot be told from its equal, as a permuted clique is, and hardly from one nearly equal: asked
    # to, h~ would have to say nothing. So of G^ the half counts that differs more from G.
    if head is not None and corrupted is not None:
        gap = 1 - (h * corrupted).sum(-1).detach()
        differs = gap > ALIKE
        head = head[differs & (gap > gap[differs].median() - ALIKE)] if bool(differs.any()) else None
    differ = other & (h @ h.T < 1 - ALIKE)
    counts = (differ if bool(differ.any()) else other)[..., None]
    tail = every.masked_select(counts).view(-1, every.shape[2])  # half the time of every[counts]
    return PairScores(every.diagonal().T, tail, head).scaled()


def head_tail_bound(scores: PairScores, bound: Plugin = "jsd") -> Tensor:
    """Eq. 17, to be maximised: positive, tail and head expectations of equal weight."""
    negatives = [scores.tail] if scores.head is None else [scores.tail, scores.head]
    value: Tensor = BOUNDS.get(bound)(scores.positive, *negatives)
    return value


def mutual_information(scores: PairScores, bound: Plugin = "jsd") -> Tensor:
    """I(h; h~) as estimated on the batch: positive and tail pairs, Eq. 14 or 15.

    The head pairs are no sample of the product of the marginals, so they stay out.
    """
    value: Tensor = BOUNDS.get(bound)(scores.positive, scores.tail)
    return value


def knowing_nothing(bound: Plugin = "jsd") -> float:
    """What an estimate is where all pairs score 0: -2 log 2 for jsd, 0 for dv. No other score that is the
    same for all gives more, so less is worse than knowing nothing."""
    same = torch.zeros(1)
    return float(BOUNDS.get(bound)(same, same))


def knowing_all(bound: Plugin = "jsd") -> float | None:
    """What an estimate comes close to where own pairs score ever higher and others ever lower: 0 for jsd;
    None for dv, which has no limit."""
    near, far = (float(BOUNDS.get(bound)(torch.tensor([s]), torch.tensor([-s]))) for s in (1e3, 2e3))
    return far if near == far else None
