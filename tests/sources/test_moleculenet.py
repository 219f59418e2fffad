"""The sets of MoleculeNet: their sizes, and how they are fetched."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from partwhole import PartwholeError, load_graphs
from partwhole.sources.datasets import catalogue, moleculenet

pytest.importorskip("rdkit.Chem")

pytestmark = pytest.mark.slow


def test_the_sets_have_the_published_sizes(dataset):
    for name, about in moleculenet.SETS.items():
        store = dataset(name)
        assert len(store) == about.graphs
        assert {column.name for column in store.schema.targets} >= set(about.targets)
    known = [dataset("Tox21").target(name) for name in moleculenet.SETS["Tox21"].targets]
    assert sum(value is None or value != value for column in known for value in column) == 16012


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_set_is_downloaded_and_checked(tmp_path, monkeypatch, capfd):
    place = catalogue.find("FreeSolv")
    if place is None:
        pytest.skip("FreeSolv is not on this machine")
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "SAMPL.csv").write_bytes(place.read_bytes())
    (mirror / "BBBP.csv").write_text("smiles,p_np\nCCO,1\n")
    monkeypatch.setenv("PARTWHOLE_DATA", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with served(mirror) as address:
        monkeypatch.setenv("PARTWHOLE_MIRROR", address)
        assert len(load_graphs("freesolv")) == 642
        with pytest.raises(PartwholeError, match="not that of BBBP: it is cut short or altered"):
            load_graphs("BBBP")
