"""A full disk and a folder that may only be read: one sentence, and what was whole before stays whole.

The limits are real: the kernel refuses bytes beyond a file size, and files where permissions forbid them.
"""

from __future__ import annotations

import ctypes
import resource
import shutil
import sys
from functools import partial

import pytest
from pyarrow import parquet
from safetensors.torch import load_file

from commands import partwhole
from places import EXAMPLES

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")]

FIT = ["--hidden", "32", "--layers", "2", "--snapshot-every", "1"]
CAPABILITIES_VERSION, OVERRIDE_PERMISSIONS = 0x20080522, 0b111  # chown, override, read anywhere


def as_an_ordinary_user():
    """Without what lets root write where permissions forbid it."""
    header, data = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(header, data) == 0
    data[0] &= ~OVERRIDE_PERMISSIONS
    assert libc.capset(header, data) == 0


def limit(most_bytes):
    """Of a file, in this process."""
    as_an_ordinary_user()
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def refused(*arguments, most_bytes=None):
    """The sentence that a command under a limit ends with."""
    done = partwhole(*arguments, prepare=partial(limit, most_bytes))
    lines = [line for line in done.stderr.splitlines() if line.startswith("partwhole: ")]
    assert done.returncode == 2, done.stderr
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run, by the command line as it is."""
    out = tmp_path_factory.mktemp("run") / "run"
    assert partwhole("fit", "MUTAG", "--out", out, "--epochs", "1", *FIT).returncode == 0
    return out


def content(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("most_bytes", [500, 20_000])  # the configuration, the weights
def test_fit_on_a_full_disk(tmp_path, most_bytes):
    sentence = refused("fit", "MUTAG", "--out", tmp_path / "r", "--epochs", "1", *FIT, most_bytes=most_bytes)
    assert "Cannot write" in sentence
    assert "free some space or choose another place" in sentence
    assert all(len(whole) <= most_bytes for whole in content(tmp_path).values())
    assert not list(tmp_path.rglob("*.part"))  # nothing half written stays


def test_what_was_whole_before_a_full_disk_stays_whole(tmp_path, run):
    shutil.copytree(run, tmp_path / "r")
    before = content(tmp_path / "r")
    sentence = refused(
        "fit", "MUTAG", "--out", tmp_path / "r", "--epochs", "3", "--resume", *FIT, most_bytes=20_000
    )
    assert "Cannot write" in sentence
    after = content(tmp_path / "r")
    assert [p for p in before if p.suffix == ".safetensors" and p in after] != []
    assert all(after[p] == before[p] for p in before if p.suffix == ".safetensors" and p in after)
    assert load_file(tmp_path / "r" / "resume.safetensors")


def test_embed_on_a_full_disk(tmp_path, run):
    out = tmp_path / "vectors.parquet"
    parquet.write_table(parquet.read_table(EXAMPLES / "molecules.parquet"), out)
    before = out.read_bytes()
    assert "Cannot write" in refused("embed", run, "MUTAG", "--out", out, most_bytes=10_000)
    assert out.read_bytes() == before


def test_tables_and_reports_on_a_full_disk(tmp_path, run, mutag):
    mutag[:12].save(tmp_path / "few")
    table = ["reproduce", "table2", "--datasets", "MUTAG", "--methods", "counts", "--out", tmp_path / "t"]
    assert "The cells that are finished are kept" in refused(*table, "--runs", "3", most_bytes=1_600)
    assert "Cannot write" in refused("report", run, tmp_path / "few", most_bytes=10_000)
    assert not (run / "report.html").exists()


def test_folders_that_may_only_be_read(tmp_path, run):
    closed = tmp_path / "closed"
    shutil.copytree(run, closed / "run")
    before = content(closed)
    for folder in (closed / "run" / "snapshots", closed / "run", closed):
        folder.chmod(0o555)
    try:
        for arguments in (
            ("fit", "MUTAG", "--out", closed / "new", "--epochs", "1", *FIT),
            ("fit", "MUTAG", "--out", closed / "run", "--epochs", "1", "--overwrite", *FIT),
            ("fit", "MUTAG", "--out", closed / "run", "--epochs", "2", "--resume", *FIT),
            ("embed", run, "MUTAG", "--out", closed / "vectors.parquet"),
            ("reproduce", "table2", "--datasets", "MUTAG", "--methods", "counts", "--out", closed / "t"),
        ):
            assert "Permission denied" in refused(*arguments)
            assert content(closed) == before
    finally:
        for folder in (closed, closed / "run", closed / "run" / "snapshots"):
            folder.chmod(0o755)
