"""Graphs that are far from what an encoder was trained on."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from commands import partwhole
from partwhole import PartwholeError, SubgraphInfoMax, load_graphs, load_pretrained, make_motif_graphs
from partwhole.export.cluster_embedding import RunContent, embed_shard
from partwhole.runs.folder import RunFolder
from partwhole.runs.landmarks import FEWEST, WIDEST, Landmarks, landmarks_of, read_landmarks
from partwhole.runs.pretrained import pretrained_folder
from partwhole.sources.base import LoadedShard, Piece
from partwhole.sources.reading import Reading

pytest.importorskip("rdkit")

PEPTIDE = "N" + "C(CO)C(=O)NC(Cc1ccccc1)C(=O)NC(C)C(=O)N" * 20 + "CC(=O)O"  # of 61 amino acids
FAR = {
    "water": "O",
    "methane": "C",
    "zinc oxide": "[Zn]=O",
    "salt": "[Na+].[Cl-]",
    "uranium": "[U]",
    "peptide": PEPTIDE,
}
NEAR = ["CC(=O)Oc1ccccc1C(=O)O", "Cn1c(=O)c2c(ncn2C)n(C)c1=O", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"]


def are_far(smiles: list[str]) -> np.ndarray:
    encoder, landmarks = load_pretrained(), read_landmarks(pretrained_folder("molecules"))
    store = load_graphs(smiles, schema=encoder.schema_)
    return landmarks.far(encoder.transform(store), store.num_nodes)


def test_what_the_encoder_of_molecules_never_saw_is_far():
    assert dict(zip(FAR, are_far(list(FAR.values())).tolist())) == dict.fromkeys(FAR, True)
    assert not are_far(NEAR).any()


def test_molecules_like_those_it_saw_are_not_far():
    file = Path(os.environ.get("PARTWHOLE_DATA", ""), "moses", "test_scaffolds.csv.gz")
    if not file.exists():
        pytest.skip("MOSES is not on this machine")
    with gzip.open(file, "rt") as opened:
        smiles = [row["SMILES"] for row in csv.DictReader(opened)]
    assert are_far(random.Random(0).sample(smiles, 1000)).mean() < 0.02


def test_one_in_a_hundred_of_the_same_kind_is_far():
    draw = np.random.default_rng(0)
    mixed = draw.normal(size=(16, 16))  # columns that vary together
    usual, new = (draw.normal(size=(2000, 16)) @ mixed for _ in range(2))
    landmarks = Landmarks.of(usual, np.full(2000, 10))
    assert 0.003 < landmarks.far(new, np.full(2000, 10)).mean() < 0.03
    assert landmarks.far(new[:9] + 50, np.full(9, 10)).all()
    assert landmarks.far(new[:9], np.full(9, 21)).all()
    assert landmarks.far(new[:9], np.full(9, 4)).all()


def test_columns_that_never_vary():
    vectors = np.random.default_rng(0).normal(size=(200, 3))
    vectors[:, 1] = 7
    landmarks = Landmarks.of(vectors, np.full(200, 10))
    other = vectors[:1] + np.array([0, 9, 0])
    assert landmarks.far(np.concatenate([vectors[:1], other]), np.full(2, 10)).tolist() == [False, True]


def test_landmarks_are_kept_in_the_run_folder(tmp_path):
    store = make_motif_graphs(FEWEST)
    model = SubgraphInfoMax(epochs=1, hidden=8, layers=2).fit(store)
    vectors = model.transform(store)
    assert landmarks_of(model.transform, store[: FEWEST - 1], model.width) is None
    assert landmarks_of(model.transform, store, WIDEST + 1) is None
    landmarks = landmarks_of(model.transform, store, model.width)
    landmarks.write(tmp_path)
    again = read_landmarks(tmp_path)
    np.testing.assert_allclose(again.distances(vectors), landmarks.distances(vectors), rtol=1e-4, atol=1e-5)
    with pytest.raises(PartwholeError, match="landmarks of width"):
        again.distances(vectors[:, :1])
    file = RunFolder(tmp_path).landmarks_file
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(PartwholeError, match="damaged or cut short"):
        read_landmarks(tmp_path)
    RunFolder(tmp_path).clear()
    assert read_landmarks(tmp_path) is None


@pytest.mark.slow
def test_embed_and_neighbors_say_what_is_far(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,smiles\n" + "".join(f"m{k},{s}\n" for k, s in enumerate([*NEAR, "O"]))
    )
    out = tmp_path / "v.parquet"
    done = partwhole("embed", "--pretrained", "molecules", tmp_path / "t.csv", "--out", out)
    said = "1 of 4 graphs are far from what the encoder was trained on (column far); their vectors may mean"
    assert said in done.stdout
    assert parquet.read_table(out).column("far").to_pylist() == [False, False, False, True]
    for query in ("O", "m3"):
        found = partwhole("neighbors", "molecules", out, query)
        assert f"{query} is far from what the encoder was trained on" in found.stdout
    found = partwhole("neighbors", "molecules", out, NEAR[0])
    assert "is far" not in found.stdout
    answers = json.loads(partwhole("neighbors", "molecules", out, "O", "--json").stdout)["answers"]
    assert answers[0]["far"] is True


def test_other_machines_tell_it_too():
    """They get the run as bytes."""
    content = RunContent.of(pretrained_folder("molecules"))
    store = load_graphs([NEAR[0], "O"], schema=load_pretrained().schema_)
    (table,), _ = embed_shard(content, [], LoadedShard(Piece(store)), Reading())
    assert table.column("far").to_pylist() == [False, True]
