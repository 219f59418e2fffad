"""Edge-conditioned messages by patterns of edges: exact, with a fraction of the operations.

The matrix of an edge is M(e) = sum_c h_c(e) W_c with h(e) = ReLU(E a(e) + b). Among edges with the same
categories and the same active features, h and so M are linear in the numbers among the attributes:
M(e) = sum_f v_f(e) A_pf, with v_0 = 1, for every edge of a pattern p. Then

    sum_j M(e_ij) x_j  =  sum_p sum_f A_pf (sum_{j in p} v_f(e_ij) x_j):

neighbours of a pattern are summed first, and each sum meets a matrix once. Distances of molecules fall
into a few dozen patterns, however many edges there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear as affine

from partwhole.nn.sparse import Sparse
from partwhole.numerics.autograd import Context, Gradients

WORD = 24  # bits of a whole number that a float holds exactly
MIXERS = torch.randint(2**62, (1024,), generator=torch.Generator().manual_seed(0)) * 2 + 1  # odd


@dataclass(frozen=True, eq=False)
class EdgePatterns:
    """Which edges share a matrix up to their numbers."""

    of_edge: Tensor  # [e] int64, below P
    example: Tensor  # [P] int64, an edge of each
    active: Tensor  # [P, C] bool, features above zero
    numeric: Tensor  # [D] bool, attributes that are not all 0 or 1

    @property
    def count(self) -> int:
        """Patterns P."""
        return len(self.example)


@torch.no_grad()
def find_patterns(attributes: Tensor, layer: nn.Linear) -> EdgePatterns:
    """The patterns of edges with attributes [e, D] under the layer that makes h(e)."""
    categories = ((attributes == 0) | (attributes == 1)).all(dim=0)
    active = affine(attributes, layer.weight, layer.bias) > 0  # [e, C]
    of_edge, example = alike(torch.cat([active, attributes[:, categories] > 0], dim=1))
    return EdgePatterns(of_edge, example, active[example], ~categories)


def alike(bits: Tensor) -> tuple[Tensor, Tensor]:
    """[e, B] bool -> the pattern of each row [e], and an example of each pattern [P]."""
    words = packed(bits)  # [e, W]
    _, of_edge = (words * MIXERS[: words.shape[1]].to(words.device)).sum(dim=1).unique(return_inverse=True)
    example = examples(of_edge)
    if not torch.equal(words, words[example][of_edge]):  # two patterns of one code, once in 2^60 pairs
        _, of_edge = words.unique(dim=0, return_inverse=True)
        example = examples(of_edge)
    return of_edge, example


def packed(bits: Tensor) -> Tensor:
    """[e, B] bool -> [e, W] int64, `WORD` bits each: whole numbers that a float product gives exactly."""
    place = torch.arange(bits.shape[1], device=bits.device)
    powers = torch.zeros(bits.shape[1], -(-bits.shape[1] // WORD), device=bits.device)
    powers[place, place // WORD] = 2.0 ** (place % WORD)
    return (bits.float() @ powers).long()


def examples(of_edge: Tensor) -> Tensor:
    """[P] an edge of each pattern: the last."""
    found = of_edge.new_empty(int(of_edge.max()) + 1)
    found[of_edge] = torch.arange(len(of_edge), device=of_edge.device)
    return found


class PatternMessages:
    """The mean message of every node, neighbours of one pattern summed first."""

    def __init__(
        self,
        patterns: EdgePatterns,
        layer: nn.Linear,
        matrices: Tensor,
        attributes: Tensor,
        edge_ptr: Tensor,
        neighbor: Tensor,
    ):
        self.nodes = len(edge_ptr) - 1
        degree = edge_ptr.diff()
        target = torch.repeat_interleave(degree, output_size=len(neighbor))  # [e]
        key, row = (patterns.of_edge * self.nodes + target).unique(return_inverse=True)
        order = row.argsort(stable=True)
        values = [torch.ones_like(attributes[:, :1]), attributes[:, patterns.numeric]]
        share = torch.cat(values, dim=1) / degree[target, None]  # v_f(e) over the degree [e, 1 + F]
        self.into_rows = [
            Sparse.from_entries(row[order], neighbor[order], v[order], (len(key), self.nodes))
            for v in share.unbind(1)
        ]  # edges -> (pattern, node) rows
        node, place = (key % self.nodes).sort(stable=True)
        ones = share.new_ones(len(key))
        self.into_nodes = Sparse.from_entries(node, place, ones, (self.nodes, len(key)))
        ends = torch.bincount(key // self.nodes, minlength=patterns.count).cumsum(0)
        self.ends = ends.tolist()  # rows of a pattern stand together
        self.matrices = pattern_matrices(patterns, layer, matrices, attributes)  # [P, (1 + F) d, d]

    def mean(self, x: Tensor) -> Tensor:
        """[r n, d] -> [r n, d], for r copies of the graphs: G, or G and then G^."""
        copies, width = len(x) // max(self.nodes, 1), x.shape[1]
        side = x.view(copies, self.nodes, width).transpose(0, 1).reshape(self.nodes, -1)  # [n, r d]
        sums = [(matrix @ side).view(-1, copies, 1, width) for matrix in self.into_rows]
        rows = torch.cat(sums, dim=2).view(-1, len(sums) * width)  # [R r, (1 + F) d]
        heard: Tensor = GroupedProduct.apply(rows, self.matrices, [end * copies for end in self.ends])
        out = self.into_nodes @ heard.view(-1, copies * width)  # [n, r d]
        return out.view(self.nodes, copies, width).transpose(0, 1).reshape(-1, width)


def pattern_matrices(
    patterns: EdgePatterns, layer: nn.Linear, matrices: Tensor, attributes: Tensor
) -> Tensor:
    """A [P, (1 + F) d, d] from W [C + 1, d, d], whose last is for the feature that is always 1."""
    fixed = torch.where(patterns.numeric, 0, attributes[patterns.example])  # [P, D], categories alone
    constant = affine(fixed, layer.weight, layer.bias)  # [P, C]
    slopes = layer.weight[:, patterns.numeric].T  # [F, C]
    everywhere = slopes.expand(patterns.count, *slopes.shape)  # [P, F, C]
    features = torch.cat([constant[:, None], everywhere], dim=1) * patterns.active[:, None]
    last = torch.zeros_like(features[..., :1])
    last[:, 0] = 1.0
    flat = torch.cat([features, last], dim=2).flatten(0, 1) @ matrices.flatten(1)  # [P (1 + F), d d]
    return flat.view(patterns.count, -1, matrices.shape[2])


class _RunsContext(Context, Protocol):
    ends: Sequence[int]


class GroupedProduct(torch.autograd.Function):
    """Runs of rows, each times a matrix of its own: [n, k], [P, k, d] -> [n, d]; run p ends at ends[p]."""

    @staticmethod
    def forward(ctx: _RunsContext, x: Tensor, matrices: Tensor, ends: Sequence[int]) -> Tensor:
        """The products of all runs, one under the other."""
        out = x.new_empty(len(x), matrices.shape[2])
        for matrix, start, end in zip(matrices, [0, *ends], ends):
            torch.mm(x[start:end], matrix, out=out[start:end])
        ctx.save_for_backward(x, matrices)
        ctx.ends = ends
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: _RunsContext, gradient: Tensor) -> Gradients:
        """The gradients for the rows and for the matrices."""
        x, matrices = ctx.saved_tensors
        to_x, to_matrices = torch.empty_like(x), torch.empty_like(matrices)
        for p, (start, end) in enumerate(zip([0, *ctx.ends], ctx.ends)):
            torch.mm(gradient[start:end], matrices[p].T, out=to_x[start:end])
            torch.mm(x[start:end].T, gradient[start:end], out=to_matrices[p])
        return to_x, to_matrices, None
