"""The closest vectors: exact and from an index, of an id, a molecule and a file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from partwhole import PartwholeError, SubgraphInfoMax
from partwhole.export.neighbors import Neighbors
from places import EXAMPLES

SMALL = {"hidden": 8, "layers": 2, "epochs": 1, "batch_size": 8}


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_the_closest_vectors_are_found(metric, tmp_path):
    random = np.random.default_rng(0)
    vectors, queries = random.normal(size=(400, 6)), random.normal(size=(5, 6))
    if metric == "cosine":
        lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
        scores = queries @ vectors.T / lengths
        order = np.argsort(-scores, axis=1)[:, :7]
    else:
        scores = np.linalg.norm(queries[:, None] - vectors, axis=2)
        order = np.argsort(scores, axis=1)[:, :7]
    found, places = Neighbors(vectors, metric).search(queries, 7)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_allclose(found, np.take_along_axis(scores, order, axis=1), rtol=1e-4)
    index = tmp_path / "index"
    built = Neighbors(vectors, metric, index).search(queries, 7)
    kept = Neighbors(vectors, metric, index).search(queries, 7)
    np.testing.assert_array_equal(built[1], kept[1])
    assert (built[1] == order).mean() > 0.9  # ten lists, all of which are looked into
    with pytest.raises(PartwholeError, match="is the index of other vectors"):
        Neighbors(vectors[:300], metric, index)
    with pytest.raises(PartwholeError, match="query has vectors of width 5 and the file has 6"):
        Neighbors(vectors, metric).search(queries[:, :5], 1)
    index.write_bytes(b"cut")
    with pytest.raises(PartwholeError, match="not a whole index"):
        Neighbors(vectors, metric, index)


def test_neighbors_of_an_id_a_molecule_and_a_file(partwhole, tmp_path):
    run, out = tmp_path / "run", tmp_path / "v.parquet"
    SubgraphInfoMax(**SMALL).fit(EXAMPLES / "molecules.csv").save(run)
    partwhole("embed", run, EXAMPLES / "molecules.csv", "--out", out)
    by_id = json.loads(partwhole("neighbors", run, out, "toluene", "-k", 3, "--json").out)["answers"]
    assert by_id[0]["query"] == "toluene"
    assert len(by_id[0]["neighbors"]) == 3
    assert "toluene" not in [n["name"] for n in by_id[0]["neighbors"]]
    by_smiles = json.loads(partwhole("neighbors", run, out, "Cc1ccccc1", "-k", 4, "--json").out)["answers"]
    first, *rest = by_smiles[0]["neighbors"]
    assert (first["id"], first["cosine"]) == ("toluene", 1.0)
    assert [n["id"] for n in rest] == [n["id"] for n in by_id[0]["neighbors"]]
    printed = partwhole("neighbors", run, out, EXAMPLES / "molecules.smi", "-k", 1, "--metric", "euclidean")
    assert printed.out.count("Closest to") == 26
    partwhole("neighbors", run, out, "ethanol", "--approximate")
    assert (tmp_path / "v.parquet.cosine.index").exists()
    assert "not an id of the file" in partwhole("neighbors", run, out, "nonsense", code=2).err
    assert (
        "not a file of vectors"
        in partwhole("neighbors", run, EXAMPLES / "molecules.parquet", "x", code=2).err
    )
    assert "no metric 'dot'" in partwhole("neighbors", run, out, "ethanol", "--metric", "dot", code=2).err
