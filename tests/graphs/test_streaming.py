"""Stores larger than memory."""

from __future__ import annotations

import numpy as np
import pytest

from partwhole import GraphStore, PartwholeError, SubgraphInfoMax, load_graphs, make_motif_graphs
from partwhole.graphs.saving import COLUMNS
from partwhole.graphs.streaming import concatenate, write_store
from partwhole.lifting import lifter
from partwhole.sources.readers import molecules
from partwhole.sources.readers.molecules import stream_molecules

SMILES = ["CCO", "c1ccccc1", "CC(=O)N", "C#N", "O=C=O", "[Na+].[Cl-]", "C"] * 3


def test_a_store_written_in_pieces_is_the_store_written_at_once(mutag, tmp_path):
    pieces = [mutag[:50], mutag[50:51], mutag[51:]]
    written = write_store(iter(pieces), tmp_path / "store", name="MUTAG")
    assert written.is_mapped
    assert written.digest() == mutag.digest() == concatenate(pieces).digest()
    assert written.labels.tolist() == mutag.labels.tolist()
    assert written.ids.tolist() == list(range(188))
    mutag.save(tmp_path / "whole")
    for column in COLUMNS:
        a, b = (np.load(tmp_path / folder / f"{column}.npy") for folder in ("store", "whole"))
        np.testing.assert_array_equal(a, b)


def test_pieces_must_be_alike_and_nothing_stays_when_they_are_not(mutag, tmp_path):
    with pytest.raises(PartwholeError, match="same attributes"):
        write_store([mutag[:5], make_motif_graphs(4)], tmp_path / "store")
    with pytest.raises(PartwholeError, match="no graphs"):
        write_store([], tmp_path / "store")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_smiles_stream_to_the_same_graphs(tmp_path, monkeypatch):
    at_once = load_graphs(SMILES)
    monkeypatch.setattr(molecules, "CHUNK", 4)
    assert stream_molecules(iter(SMILES), tmp_path / "molecules").digest() == at_once.digest()


def test_a_bad_molecule_in_a_stream_is_named_by_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr(molecules, "CHUNK", 4)
    with pytest.raises(PartwholeError, match="Molecule 6"):
        stream_molecules([*SMILES[:6], "C1CC", "C"], tmp_path / "molecules")
    assert list(tmp_path.iterdir()) == []


def test_training_and_embedding_from_the_map_are_the_same(mutag, tmp_path, monkeypatch):
    mutag.save(tmp_path / "store")
    mapped = GraphStore.open(tmp_path / "store")
    options = {"hidden": 8, "layers": 2, "epochs": 2, "batch_size": 32}
    expected = SubgraphInfoMax(**options).fit_transform(mutag)
    np.testing.assert_array_equal(SubgraphInfoMax(**options).fit_transform(mapped), expected)
    monkeypatch.setattr(lifter, "MOST_STATIC_NODES", 0)  # as for a store that is too large to colour
    np.testing.assert_array_equal(SubgraphInfoMax(**options).fit_transform(mapped), expected)


def resident_pages_of_maps() -> int:
    """Kilobytes of file-backed memory in this process."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssFile"))


def test_touched_pages_are_given_back(tmp_path):
    store = make_motif_graphs(20)
    big = concatenate([store] * 2000)
    big.save(tmp_path / "big")
    mapped = GraphStore.open(tmp_path / "big")
    before = resident_pages_of_maps()
    total = sum(int(getattr(mapped, c).astype(np.int64).sum()) for c in ("neighbor", "edge_ptr", "node_ptr"))
    touched = resident_pages_of_maps()
    mapped.release_pages()
    after = resident_pages_of_maps()
    assert touched - before > 10_000
    assert after - before < 0.2 * (touched - before)
    assert total == sum(
        int(getattr(big, c).astype(np.int64).sum()) for c in ("neighbor", "edge_ptr", "node_ptr")
    )
