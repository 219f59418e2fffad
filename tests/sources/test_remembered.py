"""Rows that were computed once are not computed again."""

import numpy as np

from partwhole import load_graphs
from partwhole.sources import remembered
from partwhole.sources.remembered import RememberedRows

SOME, MORE = ["CCO", "c1ccccc1", "CC(=O)[O-]"], ["c1ccccc1", "CCN", "CCO", "CCN"]


class Counted:
    """Atoms and bonds of graphs, and of how many it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, store):
        self.asked.append(len(store))
        rows = [(graph.num_nodes, len(graph.edges)) for graph in (store[i] for i in range(len(store)))]
        return np.array(rows, float).reshape(-1, 2)


def test_only_new_graphs_are_computed():
    compute = Counted()
    rows = RememberedRows(compute)
    for smiles in (SOME, MORE, SOME):
        store = load_graphs(smiles)
        assert np.array_equal(rows.of(store), Counted()(store))
    assert compute.asked == [3, 2, 0]
    assert rows.of(load_graphs(SOME)[:0]).shape == (0, 2)


def test_no_more_than_the_last_rows_are_kept(monkeypatch):
    monkeypatch.setattr(remembered, "MOST_ROWS", 2)
    compute = Counted()
    rows = RememberedRows(compute)
    assert np.array_equal(rows.of(load_graphs(SOME)), Counted()(load_graphs(SOME)))
    assert len(rows.rows) == 2
    rows.of(load_graphs(SOME[1:]))
    rows.of(load_graphs(SOME[:1]))
    assert compute.asked == [3, 0, 1]


def test_equal_atoms_with_other_bonds_are_other_molecules():
    compute = Counted()
    rows = RememberedRows(compute)
    for smiles in ("CC=O", "CCO", "C1CO1", "CC[O-]"):
        rows.of(load_graphs([smiles]))
    assert compute.asked == [1, 1, 1, 1]
