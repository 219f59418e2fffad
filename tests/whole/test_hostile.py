"""Input that means harm: it is refused by a sentence, writes nothing and unpacks within bounds."""

from __future__ import annotations

import gzip
import zipfile

import numpy as np
import pytest

from partwhole import PartwholeError, load_graphs
from partwhole.files import whole as files
from partwhole.sources.datasets import catalogue

EDGES = "graph,source,target\ng,a,b\n"
GRAPHML = b"<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/></graph></graphml>"
HEADS = {
    "bomb.csv.gz": b"smiles\nCCO\n",
    "bomb.smi.gz": b"CCO\n",
    "bomb.sdf.gz": b"\n",
    "bomb.edgelist.gz": b"a b\n",
    "bomb.graphml.gz": GRAPHML,
    "bomb.json.gz": b'{"nodes": [{"id": 1}], "edges": []}',
}


@pytest.mark.parametrize("name", HEADS)
def test_a_small_file_does_not_unpack_without_bound(tmp_path, monkeypatch, name):
    monkeypatch.setattr(files, "UNPACKED", 1 << 20)
    with gzip.open(tmp_path / name, "wb") as file:
        file.write(HEADS[name])
        for _ in range(64):
            file.write(b"\n" * (1 << 20))
    assert (tmp_path / name).stat().st_size < 1 << 17
    with pytest.raises(PartwholeError, match="unpacks to more than 100 times its size"):
        load_graphs(tmp_path / name)


def test_what_is_packed_as_usual_is_read(tmp_path):
    with gzip.open(tmp_path / "m.csv.gz", "wt") as file:
        file.write("smiles,y\n" + "".join(f"{'C' * (k % 30 + 1)}O,{k}\n" for k in range(5000)))
    assert len(load_graphs(tmp_path / "m.csv.gz")) == 5000


def tu_zip(path, prefix="T", **content):
    tables = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", "graph_labels": "1\n"} | content
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tables.items():
            archive.writestr(f"{prefix}_{name}.txt", text)
    return path


def test_an_archive_is_read_and_never_unpacked(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    store = load_graphs(tu_zip(inner / "T.zip", prefix="../../evil"))
    assert len(store) == 1
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["T.zip", "a", "b"]


def test_an_archive_that_lies_about_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr("partwhole.sources.readers.tu.MOST_BYTES", 1 << 20)
    honest = tu_zip(tmp_path / "honest.zip", graph_indicator="1\n" * (1 << 20))
    with pytest.raises(PartwholeError, match="unpacks to more than"):
        load_graphs(honest)
    content = tu_zip(tmp_path / "T.zip", graph_indicator="1\n" * 3000).read_bytes()
    said, lie = (6000).to_bytes(4, "little"), (4).to_bytes(4, "little")
    assert content.count(said) == 2  # in the entry and in the directory
    (tmp_path / "T.zip").write_bytes(content.replace(said, lie))
    with pytest.raises(PartwholeError, match="is damaged"):
        load_graphs(tmp_path / "T.zip")


def secret(tmp_path, name, text):
    """A file outside of the folder that is read, and a link to it in there."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    (outside / name).write_text(text)
    (folder / name).symlink_to(outside / name)
    return folder


def test_links_that_lead_out_of_a_folder_of_networks(tmp_path):
    folder = secret(tmp_path, "stolen.edgelist", "a b\n")
    (folder / "own.edgelist").write_text("a b\nb c\n")
    (folder / "again.edgelist").symlink_to(folder / "own.edgelist")  # stays inside
    with pytest.raises(PartwholeError, match="link that leads out of"):
        load_graphs(folder)
    with pytest.warns(UserWarning, match=r"stolen.edgelist: .* leads out of"):
        store = load_graphs(folder, strict=False)
    assert store.ids.tolist() == ["again", "own"]
    secret(tmp_path, "labels.csv", "file,y\nown,1\nagain,2\n")
    (folder / "stolen.edgelist").unlink()
    with pytest.raises(PartwholeError, match=r"labels.csv is a link that leads out"):
        load_graphs(folder)


def test_links_that_lead_out_of_other_folders(tmp_path, mutag, monkeypatch):
    folder = secret(tmp_path, "T_A.txt", "1, 2\n")
    (folder / "T_graph_indicator.txt").write_text("1\n1\n")
    with pytest.raises(PartwholeError, match=r"T_A.txt is a link that leads out"):
        load_graphs(folder)
    mutag[:3].save(tmp_path / "store")
    (tmp_path / "store" / "ids.npy").rename(tmp_path / "ids.npy")
    (tmp_path / "store" / "ids.npy").symlink_to(tmp_path / "ids.npy")
    with pytest.raises(PartwholeError, match=r"ids.npy is a link that leads out"):
        load_graphs(tmp_path / "store")
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "edges.csv").write_text(EDGES)
    (tmp_path / "nodes.csv").write_text("graph,node,x\ng,a,1\n")
    (tmp_path / "table" / "nodes.csv").symlink_to(tmp_path / "nodes.csv")
    with pytest.raises(PartwholeError, match=r"nodes.csv is a link that leads out"):
        load_graphs(tmp_path / "table")


def test_links_that_lead_out_of_the_data_root(tmp_path, monkeypatch):
    root, outside = tmp_path / "data", tu_zip(tmp_path / "MUTAG.zip")
    (root / "tu").mkdir(parents=True)
    (root / "tu" / "MUTAG.zip").symlink_to(outside)
    (root / "tu" / "OWN.zip").symlink_to(outside)
    (tmp_path / "elsewhere").symlink_to(root)
    for place in (root, tmp_path / "elsewhere"):  # the root itself may be a link
        monkeypatch.setenv("PARTWHOLE_DATA", str(place))
        for name in ("MUTAG", "OWN"):
            with pytest.raises(PartwholeError, match="is a link that leads out of"):
                catalogue.load(name)


def test_columns_of_a_store_that_hold_objects_are_refused(tmp_path, mutag):
    mutag[:3].save(tmp_path / "store")
    np.save(tmp_path / "store" / "ids.npy", np.array([{"a": 1}] * 3, dtype=object), allow_pickle=True)
    with pytest.raises(PartwholeError, match="not a whole graph store"):
        load_graphs(tmp_path / "store")
