"""Work on a Ray cluster of two nodes, one of which is lost; all of it real."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from commands import partwhole
from partwhole import SubgraphInfoMax
from partwhole.cli.optional_values import with_values
from partwhole.export.cluster_embedding import divided
from partwhole.export.vector_files import read_vectors
from partwhole.graphs.streaming import concatenate
from partwhole.reproduce.runner import results_file
from partwhole.sources.base import LoadedShard, Piece
from partwhole.sources.reading import Reading

pytest.importorskip("ray")

pytestmark = pytest.mark.slow

TABLE = [sys.executable, "-m", "partwhole", "reproduce", "table2", "--datasets", "MUTAG", "--runs", "3"]
TABLE += ["--methods", "wl", "counts", "infograph", "--epochs", "10"]
CELLS = {f"MUTAG/{row}/{run}" for row in ("wl/0", "counts/0", "infograph/10") for run in range(3)}


@pytest.fixture
def cluster():
    """A head and a second node, with one core each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


def finished(folder):
    return [record["cell"] for record in results_file(folder).read()]


def begun(command, folder, cells):
    """The command in a process of its own, once some cells are finished."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **pipes)
    while process.poll() is None and len(finished(folder)) < cells:
        time.sleep(0.1)
    assert process.poll() is None, process.communicate()[1]
    return process


def test_a_lost_node_loses_no_cell_and_after_a_lost_head_the_command_goes_on(cluster, tmp_path):
    """On one cluster, since it takes long to start: first its second node is lost, then its head."""
    out = tmp_path / "node"
    process = begun([*TABLE, "--out", str(out), "--ray", cluster.address], out, 2)
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    _, told = process.communicate()
    assert process.returncode == 0, told
    assert sorted(finished(out)) == sorted(CELLS)

    out = tmp_path / "head"
    process = begun([*TABLE, "--out", str(out), "--ray", cluster.address], out, 2)
    cluster.shutdown()
    _, told = process.communicate()
    assert process.returncode == 2
    assert "is gone; start it again and run the same command: what is finished is kept." in told
    kept = finished(out)
    assert 2 <= len(kept) < len(CELLS)
    assert partwhole(*TABLE[3:], "--out", out).returncode == 0
    assert sorted(finished(out)) == sorted(CELLS)
    assert finished(out)[: len(kept)] == kept


def test_embedding_on_a_cluster_is_embedding_here(tmp_path):
    """Two parts of a table, with a row that cannot be read."""
    pytest.importorskip("rdkit")
    smiles = [f"{'C' * (1 + k % 40)}{'O' if k % 3 else 'N'}" for k in range(5000)]
    rows = "".join(f"{text},{k}\n" for k, text in enumerate(smiles))
    (tmp_path / "many.csv").write_text(f"smiles,number\n{rows}C1CC,9000\n")
    model = SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4)
    model.fit_run(["CCO", "CCN", "c1ccccc1O", "CC(=O)O"], tmp_path / "run")
    command = [sys.executable, "-m", "partwhole", "embed", tmp_path / "run", tmp_path / "many.csv", "--ray"]
    done = subprocess.run([*command, "--out", tmp_path / "v.parquet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Wrote 5000 vectors of width 8" in done.stdout
    assert "left out, row 5002: 'C1CC' is not valid SMILES" in done.stderr
    beside, vectors = read_vectors(tmp_path / "v.parquet")
    assert beside.column("number").to_pylist() == list(range(5000))
    np.testing.assert_array_equal(vectors, model.transform(smiles))


def test_a_set_that_is_read_as_a_whole_is_sent_in_parts(mutag):
    parts = list(divided(LoadedShard(Piece(concatenate([mutag] * 30))), Reading()))
    assert [len(part.read(Reading()).store) for part in parts] == [4096, 30 * 188 - 4096]


def test_an_address_where_no_cluster_is(tmp_path):
    command = [*TABLE, "--out", str(tmp_path), "--ray", "127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "There is no Ray cluster at 127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_address_may_be_left_out():
    assert with_values(["reproduce", "table2", "--ray"]) == ["reproduce", "table2", "--ray", "local"]
    assert with_values(["embed", "--ray", "run", "data"]) == ["embed", "--ray", "local", "run", "data"]
    for address in ("auto", "10.0.0.1:6379", "head:6379"):
        assert with_values(["x", "--ray", address, "--json"]) == ["x", "--ray", address, "--json"]
