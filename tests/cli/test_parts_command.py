"""`partwhole parts`, as a user calls it."""

from __future__ import annotations

import json
from itertools import chain

import numpy as np
import pytest
from pyarrow import csv, parquet

from commands import partwhole


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("parts") / "run"
    partwhole("fit", "MOTIFS", "--epochs", "1", "--hidden", "8", "--layers", "2", "--out", str(out))
    return out


def test_every_node_is_in_one_part(run, tmp_path):
    out = tmp_path / "parts.parquet"
    told = partwhole("parts", str(run), "MOTIFS", "--out", str(out), "--vectors", "--json")
    content, table = json.loads(told.stdout), parquet.read_table(out)
    assert content["parts"] == table.num_rows == sum(row["parts"] for row in content["types"])
    assert table.column_names == ["id", "type", "size", "nodes", "embedding"]
    first = [n for i, n in zip(table["id"].to_pylist(), table["nodes"].to_pylist()) if i == 0]
    assert sorted(chain.from_iterable(first)) == list(range(sum(map(len, first))))
    assert np.isfinite(table["embedding"].combine_chunks().flatten()).all()


def test_two_types_are_the_motif_and_the_tree(run, tmp_path):
    out = tmp_path / "counts.csv"
    options = ("--counts", "--types", "2", "--target", "motif")
    told = partwhole("parts", str(run), "MOTIFS", "--out", str(out), *options)
    assert "Types that go with motif" in told.stdout
    assert "tree" in told.stdout
    table = csv.read_csv(out)
    assert table.column_names == ["id", "type_0", "type_1"]
    assert 1 in (min(table["type_0"].to_pylist()), min(table["type_1"].to_pylist()))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--out", "parts.csv"), "CSV cannot hold"),
        (("--out", "parts.txt"), "neither .csv nor .parquet"),
        (("--out", "parts.parquet", "--target", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_done_is_told(run, tmp_path, arguments, reason):
    told = partwhole("parts", str(run), "MOTIFS", *arguments, cwd=tmp_path)
    assert told.returncode == 2
    assert reason in told.stderr
    assert not (tmp_path / "parts.parquet").exists()
