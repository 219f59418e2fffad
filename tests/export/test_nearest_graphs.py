"""Nearest neighbours from Python, and the examples of what is exported for vectors."""

from __future__ import annotations

import doctest

import numpy as np
import pyarrow as pa
import pytest

from partwhole import PartwholeError, nearest_graphs
from partwhole.export import groups, neighbors
from partwhole.export.vector_files import vector_file
from partwhole.export.vector_tables import VECTOR, as_column

pytest.importorskip("faiss")


@pytest.fixture
def vectors() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_a_row_is_not_its_own_neighbour(vectors, metric):
    """Compared with all distances, taken one by one."""
    x = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if metric == "cosine" else vectors
    apart = np.linalg.norm(x[:, None].astype(float) - x, axis=2)
    np.fill_diagonal(apart, np.inf)
    found = nearest_graphs(vectors, k=3, metric=metric)
    np.testing.assert_array_equal(found.rows, np.argsort(apart, axis=1)[:, :3])
    np.testing.assert_array_equal(found.ids, found.rows)
    some = nearest_graphs(vectors, [7, 3], k=3, metric=metric)
    np.testing.assert_array_equal(some.rows, found.rows[[7, 3]])
    np.testing.assert_array_equal(some.scores, found.scores[[7, 3]])


def test_a_vector_may_find_itself(vectors):
    found = nearest_graphs(vectors, vectors[:2], k=1)
    assert found.rows.tolist() == [[0], [1]]
    np.testing.assert_allclose(found.scores, 1, rtol=1e-6)


def test_equal_vectors_are_neighbours_of_each_other():
    found = nearest_graphs(np.ones((5, 2)), k=3)
    assert found.rows.shape == (5, 3)
    assert all(row not in others for row, others in enumerate(found.rows.tolist()))


def test_where_there_are_fewer_all_are_given(vectors):
    assert nearest_graphs(vectors[:3], k=10).rows.shape == (3, 2)
    assert nearest_graphs(vectors[:3], vectors[:1], k=10).rows.shape == (1, 3)


@pytest.mark.parametrize("name", ["v.parquet", "v.npy"])
def test_a_file_gives_its_ids(vectors, tmp_path, name):
    ids = [f"m{k}" for k in range(50)]
    with vector_file(tmp_path / name, 50) as write:
        write(pa.table({"id": ids, VECTOR: as_column(vectors)}))
    found = nearest_graphs(tmp_path / name, [4], k=2)
    np.testing.assert_array_equal(found.rows, nearest_graphs(vectors, [4], k=2).rows)
    assert found.ids.tolist() == [[ids[row] for row in found.rows[0]]]
    index = tmp_path / "index"
    assert nearest_graphs(tmp_path / name, [4], k=2, index=index).rows.shape == (1, 2)
    assert index.exists()


def test_of_an_index_that_finds_fewer_the_rest_is_told_as_none(tmp_path):
    """A list of the index is looked into, not all of them."""
    random = np.random.default_rng(0)
    vectors = random.normal(size=(4000, 2)).astype(np.float32)
    with vector_file(tmp_path / "v.parquet", 4000) as write:
        write(pa.table({"id": [str(k) for k in range(4000)], VECTOR: as_column(vectors)}))
    found = nearest_graphs(tmp_path / "v.parquet", [0], k=3999, index=tmp_path / "index")
    assert (found.rows == -1).any()
    assert all((row < 0) == (name is None) for row, name in zip(found.rows[0], found.ids[0]))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"k": 0}, "at least one neighbour"),
        ({"metric": "dot"}, "no metric 'dot'"),
        ({"queries": [50]}, "ask for rows from 0 to 49"),
        ({"queries": [-1]}, "ask for rows from 0 to 49"),
        ({"queries": [0.5, 1.5, 2.5, 3.5]}, "put a single one into a list"),
        ({"queries": np.ones((1, 3))}, "width 3 and the file has 4"),
    ],
)
def test_wrong_questions_are_told(vectors, asked, told):
    with pytest.raises(PartwholeError, match=told):
        nearest_graphs(vectors, **asked)


@pytest.mark.parametrize("module", [groups, neighbors], ids=lambda module: module.__name__)
def test_the_examples_run(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
