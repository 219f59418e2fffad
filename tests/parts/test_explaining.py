"""Which parts drive a prediction: the same as building each smaller graph by hand; every run has parts."""

from __future__ import annotations

import shutil
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from partwhole import (
    Graph,
    GraphStore,
    PartwholeError,
    SubgraphInfoMaxClassifier,
    SubgraphInfoMaxRegressor,
    load_graphs,
    load_run,
    make_motif_graphs,
)
from partwhole.estimators.linear import LogisticClassifier, RidgeRegressor
from partwhole.methods.wl import WeisfeilerLehman
from partwhole.parts.explaining import with_each_part_left_out
from partwhole.parts.names import NAMES
from partwhole.parts.vocabulary import Vocabulary
from places import ROOT

SMALL = {"epochs": 1, "hidden": 8, "layers": 2}


def without(graph: Graph, gone: list[int]) -> Graph:
    """A graph without some nodes, node by node and edge by edge."""
    kept = [v for v in range(graph.num_nodes) if v not in gone]
    number = {v: k for k, v in enumerate(kept)}
    edges = [k for k, (a, b) in enumerate(graph.edges.tolist()) if a in number and b in number]
    return Graph(
        len(kept),
        np.array([[number[a], number[b]] for a, b in graph.edges[edges].tolist()]).reshape(-1, 2).astype(int),
        node_codes=graph.node_codes[kept],
        node_values=graph.node_values[kept],
        edge_codes=graph.edge_codes[edges],
        edge_values=graph.edge_values[edges],
        schema=replace(graph.schema, targets=()),
    )


def classifier(store):
    return SubgraphInfoMaxClassifier(**SMALL).fit(store, store.labels)


def regressor(store):
    return SubgraphInfoMaxRegressor(**SMALL).fit(store, store.num_nodes.astype(float))


def ridge(store):
    return RidgeRegressor(vectors="counts").fit(store, store.num_nodes.astype(float))


def logistic(store):
    return LogisticClassifier(vectors="wl").fit(store, store.labels)


@pytest.mark.parametrize("fitted", [classifier, regressor, ridge, logistic], ids=lambda f: f.__name__)
def test_effects_are_those_of_graphs_built_by_hand(fitted, mutag):
    store = mutag[:40]
    model = fitted(store)
    for place in (3, 17):
        found = model.explain(store[place])
        assert sorted(v for one in found.effects for v in one.nodes) == list(range(store.num_nodes[place]))
        for one in found.effects:
            smaller = GraphStore.from_graphs([without(store[place], one.nodes)])
            if found.label is None:
                whole, alone = model.predict(store[place : place + 1])[0], model.predict(smaller)[0]
            else:
                column = [str(c) for c in model.classes_].index(found.label)
                whole = model.predict_proba(store[place : place + 1])[0, column]
                alone = model.predict_proba(smaller)[0, column]
            assert found.value == pytest.approx(whole, rel=1e-5, abs=1e-6)
            assert one.without == pytest.approx(alone, rel=1e-5, abs=1e-6)
            assert one.effect == pytest.approx(whole - alone, rel=1e-4, abs=1e-5)
        sizes = [abs(one.effect) for one in found.effects]
        assert sizes == sorted(sizes, reverse=True)
        assert {one.type for one in found.effects} == set(model.part_types(store[place : place + 1])[0])
    assert any(one.effect for one in found.effects)


def test_the_part_that_makes_the_class_drives_the_prediction():
    """Nitro or not is all that the label tells."""
    smiles = ["Cc1ccccc1[N+](=O)[O-]", "Cc1ccccc1Cl", "CCc1ccc([N+](=O)[O-])cc1", "CCc1ccc(Br)cc1"] * 8
    store = load_graphs(smiles)
    model = LogisticClassifier(vectors="counts").fit(store, ["nitro", "other"] * 16)
    found = model.explain(store[0])
    assert found.label == "nitro"
    assert NAMES[found.effects[0].form] in ("nitro", "N-oxide, or a half of nitro")
    assert found.effects[0].effect > 0.2


def test_targets_are_chosen_by_name(mutag):
    labels = np.stack([mutag.labels.astype(str), (mutag.num_nodes > 15).astype(str)], axis=1)[:40]
    model = LogisticClassifier(vectors="counts").fit(mutag[:40], labels, names=["first", "large"])
    assert model.explain(mutag[0]).target == "first"
    assert model.explain(mutag[0], "large").label in ("True", "False")
    with pytest.raises(PartwholeError, match="Did you mean 'large'"):
        model.explain(mutag[0], "larges")


def test_a_graph_that_is_one_part_has_nothing_to_leave_out(mutag):
    model = ridge(mutag[:40])
    found = model.explain(mutag[0], vocabulary=model.vocabulary_.merged(1))
    assert found.effects == []
    assert found.value == pytest.approx(model.predict(mutag[:1])[0])


def test_what_cannot_be_left_out_part_by_part_is_told():
    nodes = load_graphs([nx.empty_graph(6000)])
    parts = Vocabulary.of(nodes).parts_of(nodes)
    assert len(parts) == 6000
    with pytest.raises(PartwholeError, match="merge types"):
        with_each_part_left_out(nodes, parts)


@pytest.mark.parametrize("fitted", [classifier, ridge, logistic], ids=lambda f: f.__name__)
def test_every_run_keeps_its_vocabulary(fitted, mutag, tmp_path):
    model = fitted(mutag[:40])
    model.save(tmp_path / "run")
    again = load_run(tmp_path / "run")
    for own, other in zip(model.part_types(mutag), again.part_types(mutag)):
        assert np.array_equal(own, other)
    own, other = ([one.effect for one in m.explain(mutag[5]).effects] for m in (model, again))
    assert own == pytest.approx(other, rel=1e-5, abs=1e-7)


def test_a_method_without_network_and_a_fit_in_a_folder_have_one(tmp_path):
    graphs = make_motif_graphs(20)
    WeisfeilerLehman().fit_run(graphs, tmp_path / "wl")
    assert load_run(tmp_path / "wl").vocabulary_.number == Vocabulary.of(graphs).number


@pytest.mark.parametrize("run", ["classifier", "ridge", "wl", "described"])
def test_old_runs_say_that_they_have_none(run, tmp_path, mutag):
    shutil.copytree(ROOT / "tests" / "old_runs" / run, tmp_path / "run")
    model = load_run(tmp_path / "run")
    assert model.vocabulary_ is None
    with pytest.raises(PartwholeError, match="fit again"):
        model.part_types(GraphStore.from_graphs([Graph(0, np.zeros((0, 2), int), schema=model.schema_)]))


def test_names_are_canonical():
    chem = pytest.importorskip("rdkit.Chem")
    for smiles in NAMES:
        molecule = chem.MolFromSmiles(smiles, sanitize=False)
        molecule.UpdatePropertyCache(strict=False)
        assert chem.MolToSmiles(molecule) == smiles
