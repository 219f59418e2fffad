"""Work on a Ray cluster of two nodes, one of which is lost; all of it real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from pyarrow import parquet

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.cli.cluster import with_address
from partwhole.reproduce.runner import results_file

pytest.importorskip("ray")

TABLE = [sys.executable, "-m", "partwhole", "reproduce", "table2", "--datasets", "MUTAG", "--runs", "4"]
TABLE += ["--methods", "wl", "counts", "infograph", "--epochs", "20"]
CELLS = {f"MUTAG/{row}/{run}" for row in ("wl/0", "counts/0", "infograph/20") for run in range(4)}


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


def test_a_lost_node_loses_and_doubles_no_cell(cluster, tmp_path):
    process = begun([*TABLE, "--out", str(tmp_path), "--ray", cluster.address], tmp_path, 2)
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    _, told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    assert sorted(finished(tmp_path)) == sorted(CELLS)


def test_a_lost_head_ends_the_command_and_it_goes_on_without(cluster, tmp_path):
    process = begun([*TABLE, "--out", str(tmp_path), "--ray", cluster.address], tmp_path, 2)
    cluster.shutdown()
    _, told = process.communicate(timeout=50)  # Ray alone would take a minute
    assert process.returncode == 2
    assert "is gone; start it again and run the same command: what is finished is kept." in told
    kept = finished(tmp_path)
    assert 2 <= len(kept) < len(CELLS)
    subprocess.run([*TABLE, "--out", str(tmp_path)], check=True, capture_output=True, timeout=240)
    assert sorted(finished(tmp_path)) == sorted(CELLS)
    assert finished(tmp_path)[: len(kept)] == kept


def test_a_killed_worker_of_a_local_cluster_is_replaced(tmp_path):
    process = begun([*TABLE, "--out", str(tmp_path), "--ray"], tmp_path, 1)
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
    working = [int(line.split()[0]) for line in listed if "ray::alone" in line]
    os.kill(working[0], signal.SIGKILL)
    _, told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    assert sorted(finished(tmp_path)) == sorted(CELLS)


def test_embedding_on_a_cluster_is_embedding_here(tmp_path):
    """Three parts of a table, with a row that cannot be read, and two of a set that is read as a whole."""
    pytest.importorskip("rdkit")
    rows = "".join(f"{'C' * (1 + k % 40)}{'O' if k % 3 else 'N'},{k}\n" for k in range(9000))
    (tmp_path / "many.csv").write_text(f"smiles,number\n{rows}C1CC,9000\n")
    few = load_graphs(["CCO", "CCN", "c1ccccc1O", "CC(=O)O"])
    SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4).fit_run(few, tmp_path / "run")
    command = [sys.executable, "-m", "partwhole", "embed", str(tmp_path / "run")]
    for data, graphs in ((tmp_path / "many.csv", 9000), (stored(tmp_path / "store"), 5000)):
        found = {}
        for name, arguments in {"here": [], "cluster": ["--ray"]}.items():
            out = tmp_path / f"{name}.parquet"
            given = [*command, str(data), "--out", str(out), *arguments]
            done = subprocess.run(given, capture_output=True, text=True, timeout=200)
            assert done.returncode == 0, done.stderr
            assert f"Wrote {graphs} vectors of width 8" in done.stdout
            assert ("1 graphs were left out" in done.stderr) == (graphs == 9000)
            found[name] = parquet.read_table(out)
        assert found["here"].equals(found["cluster"])


def stored(folder):
    """5,000 molecules in a store of their own."""
    load_graphs(["CCO", "CCN", "CCCC", "OCCO", "C"] * 1000).save(folder)
    return folder


def test_an_address_where_no_cluster_is(tmp_path):
    command = [*TABLE, "--out", str(tmp_path), "--ray", "127.0.0.1:1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "There is no Ray cluster at 127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_address_may_be_left_out():
    assert with_address(["reproduce", "table2", "--ray"]) == ["reproduce", "table2", "--ray", "local"]
    assert with_address(["embed", "--ray", "run", "data"]) == ["embed", "--ray", "local", "run", "data"]
    for address in ("auto", "10.0.0.1:6379", "head:6379"):
        assert with_address(["x", "--ray", address, "--json"]) == ["x", "--ray", address, "--json"]
