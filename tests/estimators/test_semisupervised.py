"""What unlabelled graphs teach: each loss against a slow twin, and what a step may see."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LinearRegression
from torch.nn.functional import softplus

from partwhole import PartwholeError, SubgraphInfoMaxClassifier, SubgraphInfoMaxRegressor
from partwhole.config import PredictorConfig
from partwhole.estimators.semi_supervised.equation18 import SemiSupervisedObjective
from partwhole.estimators.semi_supervised.labelled_batches import LEAST_STEPS, LabelledBatch, LabelledFeed
from partwhole.estimators.semi_supervised.model import SemiSupervisedModel
from partwhole.estimators.semi_supervised.references import AtomReferences, element_counts
from partwhole.estimators.semi_supervised.tasks import Classification, Regression
from partwhole.lifting.lifter import Lifter
from partwhole.losses.head_tail import head_tail_bound, pair_scores
from partwhole.losses.local_global import LocalGlobal
from partwhole.model import PartWhole
from partwhole.registry import UNLABELLED
from partwhole.training.feeds import step_generator

TASK = Regression((0.0,), (1.0,))


def small(**options) -> PredictorConfig:
    return PredictorConfig(hidden=6, layers=2, batch_size=8, **options)


def encoder_for(mutag, config=None):
    return PartWhole.from_config(
        config or small(), {"node": mutag.schema.node_width}, mutag.schema.edge_width
    )


def model_for(mutag, **options) -> SemiSupervisedModel:
    torch.manual_seed(0)
    config = small(**options)
    encoder = encoder_for(mutag, config)

    def drawn_again():
        return encoder_for(mutag, config)

    return SemiSupervisedModel(config, encoder, TASK, drawn_again).double()


# -------------------------------------------------------------------- losses


def test_eq_18_is_the_sum_of_both_losses_of_one_pass(mutag):
    """Graphs 0 and 1 have labels; both losses are taken apart by hand."""
    model = model_for(mutag, unsupervised_weight=0.5)
    graphs = mutag.batch(np.arange(5), step_generator(0, 0, 0)).double()
    targets = torch.tensor([[1.0], [3.0], [torch.nan], [torch.nan], [torch.nan]], dtype=torch.double)
    loss, logged = SemiSupervisedObjective(TASK, 0.5)(model, LabelledBatch(graphs, targets))
    views = model.student.encoder(graphs)
    outputs = model.student.head(views.graph)[:, 0]
    supervised = ((outputs[0] - 1) ** 2 + (outputs[1] - 3) ** 2) / 2
    unsupervised = -head_tail_bound(pair_scores(views))
    torch.testing.assert_close(loss, supervised + 0.5 * unsupervised)
    assert logged["supervised"].item() == pytest.approx(supervised.item())
    assert logged["unsupervised"].item() == pytest.approx(unsupervised.item())


def test_infograph_is_a_loop_over_nodes_and_graphs(mutag):
    torch.manual_seed(1)
    model = PartWhole.from_config(
        small(), {"node": mutag.schema.node_width}, mutag.schema.edge_width
    ).double()
    loss = LocalGlobal(6, 6).double()
    batch = mutag.batch(np.arange(4)).double()
    nodes = model.nodes(batch)
    h = model.readout(nodes)
    x = nodes.project(torch.eye(6, dtype=torch.double))
    positive, negative = [], []
    for v in range(len(x)):
        for g in range(4):
            score = loss.local(x[v : v + 1])[0] @ loss.whole(h[g : g + 1])[0]
            (positive if nodes.rows.graph[v] == g else negative).append(score)
    slow = -softplus(-torch.stack(positive)).mean() - softplus(torch.stack(negative)).mean()
    torch.testing.assert_close(loss(nodes, h, "jsd"), slow)


def test_infograph_counts_the_nodes_of_a_lifted_row(mutag):
    torch.manual_seed(2)
    model = encoder_for(mutag).double().eval()
    loss = LocalGlobal(6, 6).double()
    index = np.arange(20)
    values = []
    for batch in (mutag.batch(index), Lifter(mutag, 2).batch(index)):
        nodes = model.nodes(batch.double())
        values.append(loss(nodes, model.readout(nodes), "jsd").item())
    assert values[0] == pytest.approx(values[1], rel=1e-10)


def test_infograph_star_has_an_encoder_of_its_own(mutag):
    model = model_for(mutag, unlabelled="infograph-star")
    mine, other = model.student.encoder, model.companion.encoder
    assert not torch.equal(
        mine.node_aggregation.node_mlps["node"][0].weight, other.node_aggregation.node_mlps["node"][0].weight
    )
    batch = mutag.batch(np.arange(6)).double()
    h, added, logged = model.companion(model.student, batch, 0.25)
    torch.testing.assert_close(h, mine.embed(batch))
    # The whole local-global loss, and a quarter of what the two encoders share.
    expected = logged["unsupervised"] - 0.25 * logged["mutual_information"]
    assert added.item() == pytest.approx(expected.item())
    added.backward()
    assert all(p.grad is not None for p in mine.layer_aggregation.parameters())
    assert all(p.grad is not None for p in other.layer_aggregation.parameters())


def test_the_mean_teacher_is_the_running_mean_of_the_student(mutag):
    """Weights 0, 1, 3: means 0, (0 + 1) / 2, and a third of 3 besides two thirds of that."""
    model = model_for(mutag, unlabelled="mean-teacher")
    teacher, student = model.companion.teacher, model.student
    for weights in (teacher, student):
        for parameter in weights.parameters():
            parameter.data.zero_()
    seen = []
    for value in (1.0, 3.0):
        for parameter in student.parameters():
            parameter.data.fill_(value)
        model.companion.after_step(student)
        seen.append(next(teacher.parameters()).flatten()[0].item())
    assert seen == pytest.approx([0.5, 0.5 * 2 / 3 + 3.0 / 3])
    model.companion.steps.fill_(10**6)
    model.companion.after_step(student)
    assert next(teacher.parameters()).flatten()[0].item() == pytest.approx(0.999 * seen[-1] + 0.001 * 3)
    assert model.predictor is teacher


def test_mean_teacher_pulls_the_student_and_not_the_teacher(mutag):
    model = model_for(mutag, unlabelled="mean-teacher")
    with torch.no_grad():
        model.student.head[2].bias += 1.0
    batch = mutag.batch(np.arange(6)).double()
    _, added, _ = model.companion(model.student, batch, 2.0)
    assert added.item() == pytest.approx(2.0)  # all outputs are 1 apart
    added.backward()
    assert model.student.head[2].bias.grad is not None
    assert all(p.grad is None for p in model.companion.teacher.parameters())


def test_classes_disagree_by_their_probabilities():
    task = Classification((2,))
    ours, theirs = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, np.log(3.0)]])
    assert task.disagreement(ours, theirs).item() == pytest.approx(0.25**2)


# -------------------------------------------------------------------- what a step sees


def test_labelled_graphs_come_round_and_the_others_go_on(mutag):
    config = small()
    model = encoder_for(mutag, config)
    labelled, everything = np.arange(10), np.arange(100)
    targets = np.arange(188.0)[:, None]
    feed = LabelledFeed(mutag, model, config, targets, labelled=labelled, everything=everything, corrupt=True)
    assert feed.steps() == LEAST_STEPS  # 10 labels would make an epoch of two steps
    seen, others = [], []
    for step in range(2):  # 10 graphs are two batches of 8 and 2
        batch = feed.batch(0, step)
        known = batch.targets[:, 0].isnan().logical_not()
        seen += batch.targets[known, 0].tolist()
        others.append(batch.num_graphs - int(known.sum()))
        assert batch.graphs.num_graphs == batch.num_graphs
    assert sorted(seen) == list(range(10))
    assert all(6 <= count <= 8 for count in others)  # those drawn twice are left out
    everything_known = LabelledFeed(
        mutag, model, config, targets, labelled=labelled, everything=labelled, corrupt=False
    )
    for step in range(20):  # a graph twice in a batch would be a negative of itself
        batch = everything_known.batch(0, step)
        assert batch.num_graphs <= 10
    passed = [feed.others.at(step) for step in range(13)]
    assert sorted(np.concatenate(passed).tolist()) == list(range(100))  # over the end of no epoch


@pytest.mark.parametrize("name", list(UNLABELLED))
def test_graphs_that_are_held_out_teach_nothing(mutag, name):
    """Other graphs and other labels in their place leave the weights as they are."""
    held = np.arange(150, 160)
    options = {"epochs": 1, "hidden": 8, "layers": 2, "batch_size": 32, "unlabelled": name}

    def trained(other: bool):
        order = np.concatenate([np.arange(150), np.arange(160, 170) if other else held])
        y = mutag.num_nodes[order] + np.where(np.isin(np.arange(160), held), 1000.0 * other, 0.0)
        model = SubgraphInfoMaxRegressor(**options).fit(mutag.take(order), y, held_out=held)
        return model.predict(mutag[:5])

    np.testing.assert_array_equal(trained(False), trained(True))


def test_the_weight_is_felt(mutag):
    y = mutag.num_nodes.astype(float)
    options = {"epochs": 1, "hidden": 8, "layers": 2, "batch_size": 64}
    found = [
        SubgraphInfoMaxRegressor(unsupervised_weight=w, **options).fit(mutag, y).predict(mutag[:3])
        for w in (0.0, 0.0, 1.0)
    ]
    assert found[0].tolist() == found[1].tolist()
    assert found[0].tolist() != found[2].tolist()


# -------------------------------------------------------------------- atom references


def test_references_are_the_least_squares_fit_of_the_elements(mutag):
    counts = np.zeros((188, mutag.schema.node[0].width))
    for g in range(188):
        for code in mutag[g].node_codes[:, 0]:
            counts[g, code] += 1
    random = np.random.default_rng(0)
    y = counts @ (50 * random.normal(size=counts.shape[1])) - 100 + random.normal(size=188) / 10
    known = y.copy()
    known[::3] = np.nan
    rows = ~np.isnan(known)
    slow = LinearRegression().fit(counts[rows], known[rows])
    fast = AtomReferences.fitted(element_counts(mutag), known[:, None])
    assert fast.of(element_counts(mutag))[:, 0] == pytest.approx(slow.predict(counts), abs=1e-8)
    model = SubgraphInfoMaxRegressor(epochs=1, atom_references=True, hidden=8, layers=2).fit(mutag, y)
    plain = SubgraphInfoMaxRegressor(epochs=1, hidden=8, layers=2).fit(mutag, y)
    assert np.abs(model.predict(mutag) - y).mean() < 1.0  # the network starts from the sum over atoms
    assert np.abs(plain.predict(mutag) - y).mean() > 20.0
    with pytest.raises(PartwholeError, match="Atom references are for numbers"):
        SubgraphInfoMaxClassifier(atom_references=True).fit(mutag, mutag.labels)


def test_references_survive_the_run_folder(mutag, tmp_path):
    y = mutag.num_nodes * -10.0
    model = SubgraphInfoMaxRegressor(epochs=1, atom_references=True, hidden=8, layers=2)
    model.fit_run(mutag, tmp_path / "run", y=y)
    loaded = SubgraphInfoMaxRegressor.load(tmp_path / "run")
    assert loaded.predict(mutag).tolist() == model.predict(mutag).tolist()


def test_references_need_molecules(dataset):
    store = dataset("IMDB-BINARY")[:20]
    with pytest.raises(PartwholeError, match="need molecules"):
        SubgraphInfoMaxRegressor(atom_references=True, epochs=1).fit(store, np.arange(20.0))
