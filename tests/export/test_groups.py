"""Clusters of vectors, and which are like no other."""

from __future__ import annotations

import numpy as np
import pytest

import partwhole
from partwhole import PartwholeError, cluster_graphs, outlier_scores
from partwhole.export import groups
from partwhole.views.halos import COLORS
from partwhole.views.map import map_data

SIZES = [120, 90, 60, 30]


@pytest.fixture(scope="module")
def planted() -> tuple[np.ndarray, np.ndarray]:
    """Four groups, in no order, and the group of each vector."""
    random = np.random.default_rng(0)
    centers = random.normal(size=(len(SIZES), 32))
    group = random.permutation(np.repeat(np.arange(len(SIZES)), SIZES))
    return centers[group] + random.normal(size=(len(group), 32)) * 0.4, group


def test_the_number_of_clusters_is_found_and_the_largest_is_the_first(planted):
    vectors, group = planted
    found = cluster_graphs(vectors)
    np.testing.assert_array_equal(found.labels, group)
    assert found.sizes == SIZES
    assert found.silhouette > 0.25
    assert "clearly apart" in found.verdict


def test_the_number_of_clusters_can_be_given(planted):
    found = cluster_graphs(planted[0], 7)
    assert len(found.sizes) == 7
    assert found.sizes == sorted(found.sizes, reverse=True)
    np.testing.assert_array_equal(found.labels, cluster_graphs(planted[0], 7).labels)


def test_those_closest_to_a_centre_are_of_its_cluster(planted):
    vectors, group = planted
    for label, rows in enumerate(cluster_graphs(vectors).closest(3)):
        assert set(group[rows]) == {label}
        away = np.linalg.norm(vectors[rows] - vectors[group == label].mean(axis=0), axis=1)
        usual = np.linalg.norm(vectors[group == label] - vectors[group == label].mean(axis=0), axis=1)
        assert away.mean() < np.median(usual)


def test_no_clusters_are_told_as_none():
    vectors = np.random.default_rng(1).normal(size=(600, 32))
    assert "none is clear, the graphs pass into each other" in cluster_graphs(vectors).verdict


def test_many_vectors_are_clustered_a_few_at_a_time(planted, monkeypatch):
    monkeypatch.setattr(groups, "WHOLE", 100)
    np.testing.assert_array_equal(cluster_graphs(planted[0]).labels, planted[1])


def test_vectors_that_are_alike():
    alike = np.ones((8, 3))
    assert cluster_graphs(alike).sizes == [8]
    assert cluster_graphs(np.eye(4)[[0, 0, 0, 1]]).sizes == [3, 1]
    assert cluster_graphs(np.ones((1, 3))).sizes == [1]
    with pytest.raises(PartwholeError, match="8 graphs cannot be in 9 clusters"):
        cluster_graphs(alike, 9)
    with pytest.raises(PartwholeError, match="fewer than 3 different vectors"):
        cluster_graphs(np.repeat(np.eye(2), 5, axis=0), 3)
    assert outlier_scores(alike).ranks.tolist() == list(range(1, 9))
    assert outlier_scores(alike[:1]).scores.tolist() == [1.0]


def test_unusual_vectors_have_the_first_ranks(planted):
    vectors = planted[0].copy()
    vectors[[10, 77, 200]] += 5
    scores, ranks = outlier_scores(vectors)
    assert {int(rank) for rank in ranks[[10, 77, 200]]} == {1, 2, 3}
    assert np.median(scores) == pytest.approx(1.0)
    assert sorted(ranks) == list(range(1, len(vectors) + 1))
    np.testing.assert_array_equal(np.argsort(-scores, kind="stable"), np.argsort(ranks))


def test_a_score_is_the_distance_to_the_nearest_others():
    random = np.random.default_rng(2)
    vectors = random.normal(size=(40, 3))
    scaled = (vectors - vectors.mean(axis=0)) / vectors.std(axis=0)
    away = []
    for row in range(40):
        others = [float(np.linalg.norm(scaled[row] - scaled[k])) for k in range(40) if k != row]
        away.append(np.mean(sorted(others)[: groups.NEAREST]))
    np.testing.assert_allclose(outlier_scores(vectors).scores, np.array(away) / np.median(away), rtol=1e-4)


def test_of_many_vectors_some_are_compared_with(planted, monkeypatch):
    vectors = planted[0].copy()
    vectors[[10, 77, 200]] += 5
    monkeypatch.setattr(groups, "COMPARED", 100)
    assert {int(rank) for rank in outlier_scores(vectors).ranks[[10, 77, 200]]} == {1, 2, 3}


def test_the_map_can_be_coloured_by_cluster(mutag):
    points, vectors = np.zeros((188, 2)), np.random.default_rng(0).normal(size=(188, 8))
    columns = {c["name"]: c for c in map_data(points, mutag, None, {}, vectors)["columns"]}
    assert columns["cluster"]["values"] == cluster_graphs(vectors, most=len(COLORS)).labels.tolist()
    assert max(columns["cluster"]["values"]) < len(COLORS)
    assert not columns["cluster"]["numeric"]
    assert len(columns["outlier score"]["values"]) == 188
    assert "cluster" not in [c["name"] for c in map_data(points, mutag, None, {})["columns"]]


def test_they_are_found_from_the_package():
    assert partwhole.cluster_graphs is groups.cluster_graphs
