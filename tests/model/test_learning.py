"""What the default trains by: scores of a scale that the batch sets, and nodes divided in the middle."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from partwhole import SubgraphInfoMax
from partwhole.config import RecipeConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.networks import with_first_weights
from partwhole.generators.middle import middle_of
from partwhole.graphs.graph import GraphViews
from partwhole.losses.agreement import agreement
from partwhole.losses.head_tail import head_tail_bound, knowing_nothing, mutual_information, pair_scores
from partwhole.losses.scaled import discriminant, standardised
from partwhole.model import PartWhole
from partwhole.recipes import graph_vectors
from partwhole.recipes.graph_vectors import GraphVectors
from partwhole.recipes.weights import RECIPES
from partwhole.registry import GENERATORS

SMALL = {"hidden": 16, "layers": 2, "random_state": 0, "threads": 1}


def views(graphs=12, parts=1, seed=0, corrupted=None):
    random = torch.Generator().manual_seed(seed)
    h = torch.randn(graphs, 6, generator=random, dtype=torch.double) * 1000
    rec = h[:, None] * torch.linspace(0.5, 1, parts)[:, None] + torch.randn(
        graphs, parts, 6, generator=random
    )
    other = torch.randn(graphs, 6, generator=random, dtype=torch.double) * 1000
    return GraphViews(h, rec, other if corrupted is None else corrupted(h), torch.zeros(2, 3), None)


def slow_directions(rows, known):
    """Logarithms, centred and scaled as those of `known`, of length one; in plain loops."""

    def logs(all_rows):
        return [[math.copysign(math.log1p(abs(x)), x) for x in row] for row in all_rows]

    known, out = logs(known), []
    columns = list(zip(*known))
    means = [sum(c) / len(c) for c in columns]
    variances = [sum((x - m) ** 2 for x in c) / len(c) for c, m in zip(columns, means)]
    least = 1e-5 * sum(variances) / len(variances) + 1e-12
    for row in logs(rows):
        scaled = [(x - m) / math.sqrt(v + least) for x, m, v in zip(row, means, variances)]
        length = math.sqrt(sum(x * x for x in scaled))
        out.append([x / length for x in scaled])
    return out


def test_standardised_vectors_are_those_of_plain_loops():
    x, known = torch.tensor([[1.0, -2.0], [30.0, 4.0]]), torch.tensor([[5.0, 0.0], [1.0, 8.0], [0.0, -3.0]])
    for found, rows in zip(standardised(known, x), (known, x)):
        slow = slow_directions(rows.tolist(), known.tolist())
        np.testing.assert_allclose(found, slow, rtol=1e-5, atol=1e-6)
    (same,) = standardised(torch.ones(3, 2))  # all graphs agree: nothing to tell them by
    assert torch.equal(same, torch.zeros(3, 2))


def slow_agreement(sums, said):
    """Of two tables of numbers about the same graphs, in plain loops."""
    x = [[math.copysign(math.log1p(abs(v)), v) for v in row] for row in sums]
    columns = list(zip(*x))
    means = [sum(c) / len(c) for c in columns]
    variances = [sum((v - m) ** 2 for v in c) / len(c) for c, m in zip(columns, means)]
    least = 1e-5 * sum(variances) / len(variances) + 1e-12
    x = [[(v - m) / math.sqrt(var + least) for v, m, var in zip(row, means, variances)] for row in x]
    centre = [sum(c) / len(c) for c in zip(*said)]
    y = [[v - m for v, m in zip(row, centre)] for row in said]
    pairs = [
        (sum(a * b for a, b in zip(x[i], x[j])), sum(a * b for a, b in zip(y[i], y[j])))
        for i in range(len(x))
        for j in range(len(x))
    ]
    both, one, other = (sum(p[a] * p[b] for p in pairs) for a, b in [(0, 1), (0, 0), (1, 1)])
    return both / math.sqrt(one * other)


def test_agreement_is_that_of_plain_loops():
    random = torch.Generator().manual_seed(0)
    sums = 100 * torch.randn(7, 5, generator=random, dtype=torch.double)
    said = torch.randn(7, 3, generator=random, dtype=torch.double)
    found = agreement(sums, said)
    assert float(found) == pytest.approx(slow_agreement(sums.tolist(), said.tolist()))
    assert 0 < found < 1
    turned = torch.linalg.qr(torch.randn(3, 3, generator=random, dtype=torch.double))[0]
    assert float(agreement(sums, 5 * said @ turned + 2)) == pytest.approx(float(found))


def test_agreement_of_four_graphs():
    """Two and two alike on both sides, and on neither."""
    sums = torch.tensor([[0.0], [0.0], [math.e - 1], [math.e - 1]], dtype=torch.double)
    assert float(agreement(sums, sums)) == pytest.approx(1)
    crossed = torch.tensor([[0.0], [1.0], [0.0], [1.0]], dtype=torch.double)
    assert float(agreement(sums, crossed)) == pytest.approx(0, abs=1e-12)
    # centred: -1/2, -1/2, 1/2, 1/2 and -1/4, -1/4, -1/4, 3/4; products 4 (1/4)^2 over 1 times 3/4
    one = torch.tensor([[0.0], [0.0], [0.0], [1.0]], dtype=torch.double)
    assert float(agreement(sums, one)) == pytest.approx(1 / 3, rel=1e-4)


def test_graphs_without_a_description_do_not_count():
    random = torch.Generator().manual_seed(0)
    sums, said = torch.randn(9, 4, generator=random), torch.randn(9, 2, generator=random)
    some = said.clone()
    some[6:] = torch.nan
    assert agreement(sums, some) == agreement(sums[:6], said[:6])
    nothing = torch.full_like(said, torch.nan)
    sums.requires_grad_()
    agreement(sums, nothing).backward()
    assert torch.equal(sums.grad, torch.zeros_like(sums))


def test_training_raises_agreement(dataset):
    """And it stays where it is without."""
    graphs = dataset("PTC_MR")
    model = SubgraphInfoMax(epochs=8, **SMALL).fit(graphs)
    first, last = (model.history_[epoch]["agreement"] for epoch in (0, -1))
    assert last > first + 0.1
    assert "agreement" not in SubgraphInfoMax(objective="bound", epochs=1, **SMALL).fit(graphs).history_[0]


def test_all_graphs_of_a_small_set_are_described_and_as_many_as_time_allows_of_others(dataset, monkeypatch):
    graphs = dataset("MUTAG")
    vectors = GraphVectors(RECIPES["best"], 32, 16)
    everything = vectors.descriptions(graphs).of(graphs).of(np.arange(188))
    assert everything.shape == (188, 32)
    assert not everything.isnan().any()
    monkeypatch.setattr(graph_vectors, "MOST_GRAPHS", 100)
    monkeypatch.setattr(graph_vectors, "MOST_DESCRIBED", 150)
    said = vectors.descriptions(graphs).of(graphs)
    assert len(said.rows) == 151  # what is not described takes no memory
    some = said.of(np.arange(188))
    known = ~some[:, 0].isnan()
    assert int(known.sum()) == 150
    # Directions of fewer graphs; which graphs are alike is nearly the same.
    assert agreement_of_kernels(some[known], everything[known]) > 0.95


def agreement_of_kernels(a, b):
    a, b = a - a.mean(0), b - b.mean(0)
    return float(((a @ a.T) * (b @ b.T)).sum() / ((a @ a.T).norm() * (b @ b.T).norm()))


def test_the_paper_describes_nothing_to_agree_with(mutag):
    with pytest.raises(PartwholeError, match="leave objective out"):
        SubgraphInfoMax(recipe="paper", objective="described", **SMALL).fit(mutag)


def test_the_discriminant_is_the_ratio_of_two_normal_distributions():
    random = torch.Generator().manual_seed(0)
    own = 0.6 + 0.25 * torch.randn(200_000, generator=random)
    other = 0.1 + 0.25 * torch.randn(200_000, generator=random)
    slope, shift = discriminant(own, other)
    assert float(slope) == pytest.approx(8.0, rel=0.02)  # (0.6 - 0.1) / 0.25^2
    assert float(shift / slope) == pytest.approx(0.35, abs=0.01)  # half way
    assert discriminant(torch.ones(3), torch.zeros(3))[0] == 20  # apart without a doubt: the steepest
    assert discriminant(torch.zeros(3), torch.ones(3))[0] == -20
    assert discriminant(torch.ones(3), torch.ones(3)) == (0, 0)


@pytest.mark.parametrize("parts", [1, 3])
def test_scaled_scores_are_those_of_plain_loops(parts):
    given = views(parts=parts)
    scores = pair_scores(given, "scaled")
    h, hat = (slow_directions(x.tolist(), given.graph.tolist()) for x in (given.graph, given.corrupted))
    rec = [slow_directions(r.tolist(), r.tolist()) for r in given.reconstructed.unbind(1)]

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    graphs = range(len(h))
    own = [dot(h[i], r[i]) for i in graphs for r in rec]
    other = [dot(h[j], r[i]) for i in graphs for j in graphs for r in rec if i != j]

    def moments(values):
        mean = sum(values) / len(values)
        return mean, sum((v - mean) ** 2 for v in values) / len(values)

    (far, v1), (near, v0) = moments(own), moments(other)
    slope = max(-20, min(20, (far - near) / max((v1 + v0) / 2, 1e-4)))
    wanted = [slope * (s - (far + near) / 2) for s in own]
    np.testing.assert_allclose(scores.positive.flatten(), wanted, rtol=1e-6)
    gaps = [1 - dot(h[i], hat[i]) for i in graphs]
    differ = [
        i for i in graphs if gaps[i] >= sorted(gaps)[(len(gaps) - 1) // 2]
    ]  # more than half of the others
    heads = [slope * (dot(hat[i], r[i]) - (far + near) / 2) for i in differ for r in rec]
    np.testing.assert_allclose(scores.head.flatten(), heads, rtol=1e-6, atol=1e-9)
    assert mutual_information(scores) > knowing_nothing()


def test_h_tilde_begins_near_the_mean_of_balanced_parts():
    """By the letter it begins with weights of both signs."""
    widths, model = {"node": 3}, PartWhole
    even = model.from_config(RecipeConfig(hidden=4).settled(), widths).subgraph_aggregation.subgraph_conv
    assert ((even.weight - 0.25).abs() <= 0.025).all()
    assert even.weight.unique().numel() == 4  # or how nodes are divided would make no difference
    assert even.bias.tolist() == [0.0]
    letter = RecipeConfig(hidden=4, recipe="paper").settled()
    drawn = [
        with_first_weights(seed, lambda: model.from_config(letter, widths)).subgraph_aggregation.subgraph_conv
        for seed in range(4)
    ]
    assert min(float(conv.weight.detach().min()) for conv in drawn) < 0


def test_a_graph_is_not_told_from_its_equal():
    """A permuted clique is the clique, and two equal graphs of a batch are no negatives of each other. Of
    permuted graphs that differ, the half counts that differs more."""
    permuted = views(corrupted=lambda h: h.clone())
    assert pair_scores(permuted, "scaled").head is None
    some = views(corrupted=lambda h: torch.where(torch.arange(len(h))[:, None] < 5, h, -h))
    assert pair_scores(some, "scaled").head.shape == (4, 1)  # of the seven that differ
    near = torch.linspace(0.2, 1, 12, dtype=torch.double)[:, None]
    assert pair_scores(views(corrupted=lambda h: h + near * h.roll(1, 0)), "scaled").head.shape == (7, 1)
    twins = views()
    twins.graph[1] = twins.graph[0]
    assert pair_scores(twins, "scaled").tail.shape == (12 * 11 - 2, 1)
    assert pair_scores(twins, "dot").tail.shape == (12 * 11, 1)


@pytest.mark.parametrize("estimator", ["jsd", "dv"])
def test_scores_of_any_size_begin_near_knowing_nothing(estimator):
    """Dot products of the same vectors are far below it."""
    for seed in range(5):
        given = views(seed=seed, graphs=32)
        rec = torch.randn(given.reconstructed.shape, dtype=torch.double) * 1e4  # knows nothing
        nothing = GraphViews(given.graph, rec, None, given.membership, None)
        found = mutual_information(pair_scores(nothing, "scaled"), estimator)
        assert knowing_nothing(estimator) - 0.1 < found < knowing_nothing(estimator) + 0.2
        assert head_tail_bound(pair_scores(nothing, "dot"), estimator) < knowing_nothing(estimator) - 1000


@pytest.mark.parametrize(
    ("values", "weights", "middle", "above"),
    [
        ([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1], 2.5, 2),
        ([4.0, 1.0, 2.0, 3.0], [5, 1, 1, 1], 3.5, 1),  # the heaviest has a side of its own
        ([1.0, 1.0, 1.0, 2.0], [1, 1, 1, 1], 1.5, 1),  # equal values stay together
        ([1.0, 9.0, 2.0, 3.0], [1, 0, 1, 1], 1.5, 3),  # what has no weight does not count
        ([2.0, 2.0], [1, 1], 1.0, 2),  # nothing to divide
        ([2.0], [1], 1.0, 1),
        ([2.0], [0], 0.0, 1),
    ],
)
def test_the_middle_halves_the_weights(values, weights, middle, above):
    values = torch.tensor(values)
    found, spread = middle_of(values, torch.tensor(weights, dtype=values.dtype)).tolist()
    assert found == pytest.approx(middle)
    assert spread > 0
    assert int((values >= found).sum()) == above


@pytest.mark.parametrize("generator", list(GENERATORS))
@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY"])
def test_parts_do_not_collapse(dataset, name, generator):
    """Of four parts none is nearly empty, and a graph has the same parts alone as among others."""
    graphs = dataset(name)[::4]
    model = SubgraphInfoMax(generator=generator, epochs=3, **SMALL).fit(graphs)
    parts = np.hstack(model.all_subgraphs(graphs))
    share = parts.sum(1) / parts.sum()
    assert share.min() > 0.1, share
    for alone, among in zip([model.subgraphs(graphs[i]) for i in range(5)], model.all_subgraphs(graphs[:5])):
        np.testing.assert_array_equal(alone, among)


def test_free_parts_do_collapse(mutag):
    """What the middle is there for: the paper's selection leaves a part of MUTAG without a node."""
    share = []
    for seed in range(4):
        options = SMALL | {"random_state": seed}
        model = SubgraphInfoMax(recipe="paper", epochs=10, **options).fit(mutag)
        parts = np.hstack(model.all_subgraphs(mutag))
        share.append((parts.sum(1) / parts.sum()).min())
    assert min(share) < 0.01


@pytest.mark.parametrize("name", ["MUTAG", "PTC_MR", "IMDB-BINARY"])
def test_the_estimate_is_above_knowing_nothing_from_the_third_epoch_on(dataset, name):
    history = SubgraphInfoMax(epochs=6, **SMALL).fit(dataset(name)).history_
    assert all(epoch["mutual_information"] > knowing_nothing() for epoch in history[2:])
    letter = SubgraphInfoMax(recipe="paper", epochs=6, **SMALL).fit(dataset(name)).history_
    assert letter[-1]["mutual_information"] < knowing_nothing()


def test_what_auto_means_is_kept(mutag, tmp_path):
    wanted_of = {
        "best": ("scaled", "balanced", "described"),
        "paper": ("dot", "straight-through", "bound"),
    }
    for recipe, wanted in wanted_of.items():
        run = tmp_path / recipe
        SubgraphInfoMax(recipe=recipe, epochs=1, **SMALL).fit_run(mutag[:20], run)
        loaded = SubgraphInfoMax.load(run)
        assert (loaded.pair_score, loaded.selection, loaded.objective) == wanted
    chosen = RecipeConfig(pair_score="cosine").settled()
    assert (chosen.pair_score, chosen.selection, chosen.objective) == ("cosine", "balanced", "described")
