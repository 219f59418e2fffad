"""`partwhole embed` and `neighbors`: files of vectors in all formats, what they tell, and what is left of a
command that did not end."""

from __future__ import annotations

import csv
import gzip
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import partwhole
from partwhole import SubgraphInfoMax, cluster_graphs, load_graphs, load_pretrained, outlier_scores
from partwhole.cli.optional_values import with_values
from partwhole.cli.output import fitting
from partwhole.errors import PartwholeError
from partwhole.export.shard_files import ShardFiles
from partwhole.export.vector_files import read_vectors, vector_file
from partwhole.export.vector_tables import VECTOR, as_column
from partwhole.runs import folder as run_files
from partwhole.runs.pretrained import pretrained_folder
from partwhole.sources.readers import molecule_table

pytest.importorskip("rdkit")

pytestmark = pytest.mark.slow

SMILES = [f"{'C' * (1 + k % 20)}{'O' if k % 3 else 'N'}" for k in range(200)]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4).fit_run(["CCO", "CCN", "CO"], folder)
    return folder


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "many.csv"
    path.write_text("id,smiles,number\n" + "".join(f"m{k},{s},{k}\n" for k, s in enumerate(SMILES)))
    return path


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


# ---------------------------------------------------------------- formats


def test_every_format_holds_the_same_vectors(run, table, tmp_path):
    expected = SubgraphInfoMax.load(run).transform(SMILES)
    for name in ("v.parquet", "v.csv", "v.csv.gz", "v.npy"):
        done = partwhole("embed", run, table, "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        beside, vectors = read_vectors(tmp_path / name)
        assert beside.column_names == ["id", "smiles", "number"]
        assert beside.column("number").to_pylist() == list(range(200))
        np.testing.assert_allclose(vectors, expected, rtol=1e-4, atol=1e-5)
    assert np.load(tmp_path / "v.npy").shape == (200, 8)
    with gzip.open(tmp_path / "v.csv.gz", "rt") as packed:
        assert packed.read() == (tmp_path / "v.csv").read_text()
    rows = list(csv.reader((tmp_path / "v.csv").open()))
    assert rows[0] == ["id", "smiles", "number", *(f"e{k}" for k in range(8))]
    assert [row[0] for row in csv.reader((tmp_path / "v.ids.csv").open())] == [row[0] for row in rows]
    for name in ("v.csv", "v.npy"):
        found = json.loads(partwhole("neighbors", run, tmp_path / name, "m4", "-k", 2, "--json").stdout)
        assert len(found["answers"][0]["neighbors"]) == 2


@pytest.mark.parametrize("name", ["v.csv", "v.npy"])
def test_ids_of_text_files_are_read_to_the_letter(tmp_path, name):
    ids = ["007", "NA", "null", "1e3", "a,b", ""]
    vectors = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    with vector_file(tmp_path / name, 6) as write:
        write(pa.table({"id": ids, VECTOR: as_column(vectors)}))
    beside, read = read_vectors(tmp_path / name)
    assert beside.column("id").to_pylist() == ids
    np.testing.assert_array_equal(read, vectors)


def test_a_file_that_fails_is_not_there(tmp_path):
    for name in ("v.parquet", "v.csv", "v.npy"):
        with pytest.raises(ValueError, match="field names"), vector_file(tmp_path / name, 1) as write:
            write(pa.table({"id": ["a"], VECTOR: as_column(np.ones((1, 2)))}).cast(pa.schema([])))
    nested = pa.table({"id": ["a"], "list": [[1, 2]], VECTOR: as_column(np.ones((1, 2)))})
    with (
        pytest.raises(PartwholeError, match="cannot be written as CSV"),
        vector_file(tmp_path / "v.csv", 1) as w,
    ):
        w(nested)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_of_vectors(tmp_path):
    (tmp_path / "t.csv").write_text("id,e1\na,1\n")
    (tmp_path / "t.npy").write_bytes(b"nothing")
    for name in ("t.csv", "t.npy", "none.csv"):
        with pytest.raises(PartwholeError, match="is not a file of vectors"):
            read_vectors(tmp_path / name)


def test_another_ending_is_refused(run, table, tmp_path):
    done = partwhole("embed", run, table, "--out", tmp_path / "v.json")
    assert (done.returncode, hidden(tmp_path)) == (2, [])
    assert "ends in .parquet, .csv, .csv.gz or .npy" in done.stderr


# ---------------------------------------------------------------- what is read


def note_reads(log: Path) -> None:
    """Write the name of every file that is opened to `log`. Python does not see safetensors open one."""
    file = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    own = run_files.safe_open

    def note(event: str, given: tuple) -> None:
        if event == "open" and isinstance(given[0], str):
            os.write(file, f"{given[0]}\n".encode())

    def safe_open(path, *args, **how):
        note("open", (str(path),))
        return own(path, *args, **how)

    sys.addaudithook(note)
    run_files.safe_open = safe_open


def test_a_run_is_read_once(table, tmp_path):
    log, out = tmp_path / "log", tmp_path / "v.csv"
    command = ["embed", "--pretrained", "molecules", table, "--out", out]
    done = partwhole(*command, prepare=partial(note_reads, log))
    assert done.returncode == 0, done.stderr
    run = str(pretrained_folder("molecules"))
    opened = Counter(Path(name).name for name in log.read_text().splitlines() if name.startswith(run))
    assert opened == {
        "config.toml": 1,
        "model.safetensors": 1,
        "metrics.jsonl": 1,
        "landmarks.safetensors": 1,
        "vocabulary.safetensors": 1,
    }


def test_graphs_in_the_columns_of_the_model_are_not_recoded_again():
    model = load_pretrained()
    store = load_graphs(["CCO", "c1ccccc1"], schema=model.schema_)
    again = load_graphs(store, schema=model.schema_)
    assert again.node_codes is store.node_codes
    assert again.edge_codes is store.edge_codes
    assert again.schema == store.schema


def test_shards_of_another_run_are_not_used(run, table, tmp_path):
    """The same command goes on; after a new fit it begins anew."""
    own, out = tmp_path / "run", tmp_path / "v.csv"
    shutil.copytree(run, own)
    stopped = partial(small_shards, stop_by=signal.SIGTERM)
    partwhole("embed", own, table, "--out", out, prepare=stopped)
    before = (tmp_path / ".v.csv.parts" / "000000.parquet").read_bytes()
    other = SubgraphInfoMax(epochs=1, hidden=8, layers=2, batch_size=4, random_state=1)
    other.fit_run(["CCO", "CCN", "CO"], own, overwrite=True)
    partwhole("embed", own, table, "--out", out, prepare=stopped)
    assert (tmp_path / ".v.csv.parts" / "000000.parquet").read_bytes() != before
    assert partwhole("embed", own, table, "--out", out, prepare=small_shards).returncode == 0
    np.testing.assert_allclose(read_vectors(out)[1], other.transform(SMILES), rtol=1e-4, atol=1e-5)


# ---------------------------------------------------------------- clusters and outliers


def test_clusters_and_outliers_are_columns(tmp_path):
    rings = [f"c1ccc({'C' * k}O)cc1" for k in range(1, 21)]
    chains = ["C" * k + "(=O)N" + "C" * 3 for k in range(4, 34)]
    odd = "FC(F)(F)C(F)(F)C(F)(F)C(F)(F)C(F)(F)C(F)(F)C(F)(F)C(F)(F)F"
    rows = "".join(f"m{k},{s}\n" for k, s in enumerate([*rings, *chains, odd]))
    (tmp_path / "t.csv").write_text(f"id,smiles\n{rows}")
    out = tmp_path / "v.parquet"
    command = [
        "embed",
        "--pretrained",
        "molecules",
        tmp_path / "t.csv",
        "--out",
        out,
        "--outliers",
        "--clusters",
    ]
    done = partwhole(*command, "3")
    assert "Clusters (column cluster): 3" in done.stdout
    assert "The most unusual graphs" in done.stdout
    beside, vectors = read_vectors(out)
    assert beside.column_names == ["id", "smiles", "far", "cluster", "outlier_score", "outlier_rank"]
    assert beside.column("cluster").to_pylist() == cluster_graphs(vectors, 3).labels.tolist()
    assert beside.column("outlier_rank").to_pylist() == outlier_scores(vectors).ranks.tolist()
    told = json.loads(partwhole(*command, "--json").stdout)
    assert [group["graphs"] for group in told["clusters"]["groups"]] == cluster_graphs(vectors).sizes
    assert told["outliers"][0]["id"] == "m50"
    np.testing.assert_allclose(vectors[0], load_pretrained().transform(rings[:1])[0], rtol=1e-3, atol=1e-3)


def test_the_number_of_clusters_may_be_left_out():
    assert with_values(["embed", "--clusters", "--out", "x"]) == [
        "embed",
        "--clusters",
        "found",
        "--out",
        "x",
    ]
    assert with_values(["embed", "--clusters", "4", "run"]) == ["embed", "--clusters", "4", "run"]
    both = with_values(["embed", "--ray", "--clusters"])
    assert both == ["embed", "--ray", "local", "--clusters", "found"]


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("cluster", ["--clusters"]),
        ("outlier_rank", ["--outliers"]),
        ("embedding", []),
        ("far", []),
        ("e3", ["--out", "v.csv"]),
    ],
)
def test_a_column_that_is_there_already_is_not_replaced(run, tmp_path, column, options):
    (tmp_path / "t.csv").write_text(f"smiles,{column}\nCCO,1\n")
    done = partwhole("embed", run, tmp_path / "t.csv", "--out", "v.parquet", *options, cwd=tmp_path)
    assert (done.returncode, f"has a column '{column}', which is to be written" in done.stderr) == (2, True)
    assert partwhole("embed", run, tmp_path / "t.csv", "--out", "w.npy", cwd=tmp_path).returncode == 2 * (
        column in ("embedding", "far")
    )


# ---------------------------------------------------------------- commands that do not end


def test_the_input_is_not_replaced_without_leave(run, table):
    before = table.read_text()
    done = partwhole("embed", run, table, "--out", table)
    assert (done.returncode, table.read_text()) == (2, before)
    assert "is the input and would be replaced" in done.stderr
    link = table.with_name("link.csv")
    link.symlink_to(table)
    assert partwhole("embed", run, link, "--out", table).returncode == 2
    beside = table.with_name("x.ids.csv")
    table.rename(beside)
    assert partwhole("embed", run, beside, "--out", beside.with_name("x.npy")).returncode == 2
    assert beside.read_text() == before
    done = partwhole("embed", run, beside, "--out", beside, "--overwrite")
    assert done.returncode == 0, done.stderr
    assert read_vectors(beside)[1].shape == (200, 8)


def test_bad_input_leaves_nothing_behind(run, table, tmp_path):
    table.write_text(table.read_text() + "bad,C1CC,7\n")
    command = ["embed", run, table, "--out", tmp_path / "v.parquet", "--strict"]
    done = partwhole(*command, prepare=small_shards)
    assert done.returncode == 2
    assert "'C1CC' is not valid SMILES" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["many.csv"]


def test_what_is_finished_stays_when_only_the_clusters_fail(run, table, tmp_path):
    out = tmp_path / "v.parquet"
    done = partwhole("embed", run, table, "--out", out, "--clusters", "500")
    assert done.returncode == 2
    assert "200 graphs cannot be in 500 clusters" in done.stderr
    assert f"the finished part is in {tmp_path}/.v.parquet.parts" in done.stderr
    assert not out.exists()
    assert partwhole("embed", run, table, "--out", out, "--clusters", "5").returncode == 0
    assert hidden(tmp_path) == []


def small_shards(stop_by: int | None = None) -> None:
    """Read 40 molecules at a time; with `stop_by`, send this signal when the second part is finished."""
    molecule_table.CHUNK = 40
    keep = ShardFiles.keep

    def keep_and_stop(self, number, tables, told):
        keep(self, number, tables, told)
        if stop_by is not None and number == 1:
            os.kill(os.getpid(), stop_by)

    ShardFiles.keep = keep_and_stop


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_command_says_how_to_go_on(run, table, tmp_path, number):
    whole, out = tmp_path / "whole.csv", tmp_path / "v.csv"
    embed = ["embed", run, table, "--outliers", "--out"]
    done = partwhole(*embed, out, prepare=partial(small_shards, stop_by=number))
    assert done.returncode == 130
    parts = tmp_path / ".v.csv.parts"
    assert f"Stopped; the finished part is in {parts}, and the same command goes on" in done.stderr
    assert "Traceback" not in done.stderr
    assert (parts / "000001.parquet").exists()
    assert not out.exists()
    assert partwhole(*embed, out, prepare=small_shards).returncode == 0
    assert partwhole(*embed, whole, prepare=small_shards).returncode == 0
    assert out.read_text() == whole.read_text()
    assert hidden(tmp_path) == []


def test_a_stopped_command_of_a_data_set_keeps_nothing(tmp_path):
    """Whether it is still the same one could not be told."""
    SubgraphInfoMax(epochs=1, hidden=8, layers=2).fit_run("MUTAG", tmp_path / "run")
    embed = ["embed", tmp_path / "run", "MUTAG", "--out", tmp_path / "v.parquet", "--clusters", "999"]
    done = partwhole(*embed)
    assert (done.returncode, "finished part" in done.stderr, hidden(tmp_path)) == (2, False, [])


# ---------------------------------------------------------------- neighbours


def test_queries_that_cannot_be_read_are_left_out(run, table, tmp_path):
    out = tmp_path / "v.parquet"
    partwhole("embed", run, table, "--out", out)
    (tmp_path / "asked.csv").write_text("smiles\nCCO\nC1CC\nCCN\n")
    command = ["neighbors", run, out, tmp_path / "asked.csv", "--json"]
    done = partwhole(*command)
    assert done.returncode == 0, done.stderr
    assert [answer["query"] for answer in json.loads(done.stdout)["answers"]] == ["CCO", "CCN"]
    assert "left out, row 3: 'C1CC' is not valid SMILES" in done.stderr
    assert "Warning" not in done.stderr
    assert partwhole(*command, "--strict").returncode == 2


def in_terminal(columns: int, *arguments: object) -> str:
    """What the command writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "dumb"}
    command = [sys.executable, "-m", "partwhole", *map(str, arguments)]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        written = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            written += piece
    os.close(ours)
    assert process.returncode == 0, written
    return written.decode().replace("\r\n", "\n")


def test_neighbors_of_a_wide_table_fit_the_terminal(run, tmp_path):
    header = ",".join(f"property_{k}" for k in range(40))
    long = "C" * 150
    rows = "".join(f"{long}{'O' * (k % 2)}{'N' * k},{','.join(['0.123456'] * 40)}\n" for k in range(1, 8))
    (tmp_path / "wide.csv").write_text(f"smiles,{header}\n{rows}")
    table = parquet_of(run, tmp_path / "wide.csv")
    printed = in_terminal(80, "neighbors", run, table, long, "-k", 5)
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 80
    found = [line for line in lines if re.match(r"│ *[01]\.\d{4} │", line)]
    assert len(found) == 5
    assert all("…" in line for line in found)
    shown = sum(name.startswith("property") for name in re.split(r"[ │┃]+", printed))
    missing = int(re.search(r"(\d+) more columns are not shown", printed).group(1))
    assert shown + missing == 40
    assert shown > 0


def parquet_of(run: Path, table: Path) -> Path:
    out = table.with_suffix(".parquet")
    done = partwhole("embed", run, table, "--out", out)
    assert done.returncode == 0, done.stderr
    assert parquet.read_table(out).num_rows
    return out


def test_columns_share_the_room():
    assert fitting([6, 3, 4], 1, 80) == [6, 3, 4]
    assert fitting([6, 100, 100], 1, 80) == [6, 32, 32]
    assert fitting([6, 5, 100], 1, 80) == [6, 5, 59]
    assert fitting([6, 100, 100, 100], 1, 40) == [6, 12, 12]
    assert fitting([6, 100], 1, 10) == [6]
