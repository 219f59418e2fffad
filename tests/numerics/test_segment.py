"""Segment operations against plain loops, values and gradients."""

from __future__ import annotations

import pytest
import torch

from partwhole.numerics.segment import (
    neighbor_sum,
    permute_within_graphs,
    segment_ids,
    segment_max,
    segment_softmax,
    segment_sum,
)

PTR = torch.tensor([0, 3, 3, 4, 9])  # the second segment is empty
ROWS = 9


@pytest.fixture
def x():
    return torch.randn(ROWS, 2, generator=torch.Generator().manual_seed(0), dtype=torch.double)


@pytest.fixture
def weight():
    return torch.rand(ROWS, generator=torch.Generator().manual_seed(1), dtype=torch.double)


def loop(x, reduce):
    return [reduce(x[a:b]) for a, b in zip(PTR[:-1].tolist(), PTR[1:].tolist())]


def test_segment_sum_is_a_loop(x, weight):
    expected = torch.stack(loop(x, lambda rows: rows.sum(0)))
    torch.testing.assert_close(segment_sum(x, PTR), expected)
    weighted = torch.stack(loop(x * weight[:, None], lambda rows: rows.sum(0)))
    torch.testing.assert_close(segment_sum(x, PTR, weight=weight), weighted)


def test_segment_max_is_a_loop_and_zero_where_empty(x):
    expected = torch.stack(loop(x, lambda rows: rows.amax(0) if len(rows) else torch.zeros(2).double()))
    torch.testing.assert_close(segment_max(x, PTR), expected)


def test_segment_softmax_is_a_loop(x, weight):
    ids = segment_ids(PTR, ROWS)
    expected = torch.cat(loop(x[:, 0], lambda rows: rows.softmax(0)))
    torch.testing.assert_close(segment_softmax(x[:, 0], PTR, ids), expected)
    weight = weight.clone()
    weight[3] = 0.0  # the whole third segment
    out = segment_softmax(x[:, 0], PTR, ids, weight)
    assert out[3] == 0.0
    torch.testing.assert_close(out[:3], weight[:3] * x[:3, 0].exp() / (weight[:3] * x[:3, 0].exp()).sum())


def test_neighbor_sum_is_the_adjacency_product(zoo):
    batch = zoo.batch(torch.arange(len(zoo)).numpy())
    n = batch.num_nodes
    dense = torch.zeros(n, n, dtype=torch.double)
    for v in range(n):
        for k in range(int(batch.edge_ptr[v]), int(batch.edge_ptr[v + 1])):
            dense[v, batch.neighbor[k]] += 1.0
    assert torch.equal(dense, dense.T)
    x = torch.randn(n, 3, dtype=torch.double)
    torch.testing.assert_close(neighbor_sum(x, batch.edge_ptr, batch.neighbor), dense @ x)


def test_gradients_are_exact(x, weight, zoo):
    x.requires_grad_()
    weight.requires_grad_()
    ids = segment_ids(PTR, ROWS)
    assert torch.autograd.gradcheck(lambda a: segment_sum(a, PTR), [x])
    assert torch.autograd.gradcheck(lambda a, w: segment_sum(a, PTR, None, w), [x, weight])
    assert torch.autograd.gradcheck(lambda a, w: segment_softmax(a[:, 0], PTR, ids, w), [x, weight])
    batch = zoo[4:6].batch(torch.arange(2).numpy())
    y = torch.randn(batch.num_nodes, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a: neighbor_sum(a, batch.edge_ptr, batch.neighbor), [y])


def test_no_rows_at_all():
    none = torch.zeros(0, 3)
    assert segment_sum(none, torch.tensor([0, 0, 0])).tolist() == [[0.0] * 3] * 2
    assert (
        neighbor_sum(torch.ones(2, 1), torch.tensor([0, 0, 0]), torch.zeros(0, dtype=torch.long)).sum() == 0
    )


def test_permutation_stays_within_graphs_and_is_uniform():
    ids = segment_ids(PTR, ROWS)
    random = torch.Generator().manual_seed(0)
    counts = torch.zeros(3, 3)
    for _ in range(600):
        y = permute_within_graphs(ids, random)
        for a, b in zip(PTR[:-1].tolist(), PTR[1:].tolist()):
            assert sorted(y[a:b].tolist()) == list(range(a, b))
        counts[torch.arange(3), y[:3]] += 1
    # 200 expected in each of nine cells; four standard deviations are 46.
    assert (counts - 200).abs().max() < 46
