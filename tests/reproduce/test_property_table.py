"""The table of molecular properties: its splits, its scores and its cells."""

from __future__ import annotations

import numpy as np
import pytest

from partwhole.reproduce.cells import Cell
from partwhole.reproduce.property_cells import EVERY, score, split
from partwhole.reproduce.tables import TABLES, plan, selected

pytest.importorskip("rdkit.Chem")


def test_no_scaffold_is_on_both_sides():
    groups = np.repeat(np.arange(40), np.arange(1, 41))  # 820 molecules, scaffolds of 1 to 40
    known = np.ones(len(groups), bool)
    known[::7] = False
    parts = [split(groups, known, "100", seed) for seed in (0, 0, 1)]
    for part in parts:
        train = np.concatenate([part.labelled, part.rest])
        assert set(groups[train]).isdisjoint(groups[part.test])
        assert len(part.labelled) == 100
        assert known[part.labelled].all()
        assert known[part.test].all()
        assert len(np.unique(np.concatenate([train, part.test]))) == len(train) + len(part.test)
        assert 0.15 * 820 * 6 / 7 < len(part.test) <= 164
    np.testing.assert_array_equal(parts[0].test, parts[1].test)
    assert not np.array_equal(parts[0].test, parts[2].test)
    everything = split(groups, known, EVERY, 0)
    assert known[everything.labelled].all()
    assert not known[everything.rest].any()


def test_scores_are_those_of_the_literature():
    class Half:  # two targets, of which the second has a gap
        def labels(self):
            return [np.array([0, 1])] * 2

        def probabilities(self, store):
            chances = np.array([0.1, 0.4, 0.35, 0.8])
            return [np.stack([1 - chances, chances], axis=1)] * 2

    y = np.array([[0, 1], [0, None], [1, 0], [1, 1]], dtype=object)
    found = score(Half(), None, y, np.array([[v is not None for v in row] for row in y]))
    assert found == {"measure": "ROC AUC", "value": pytest.approx(62.5)}  # 75 and 50


@pytest.mark.slow
@pytest.mark.parametrize("row", ["morgan", "fine-tuned"])
def test_a_cell_of_the_table(dataset, tmp_path, row):
    dataset("FreeSolv")
    table = selected(TABLES["molecules"], ["FreeSolv"], [row], ["300"])
    cells = plan(table, runs=1, epochs=1)
    cell: Cell = cells["FreeSolv:300", row][0]
    measured = cell.measure(tmp_path / "cell")
    assert measured.figures["score"]["measure"] == "RMSE"
    assert 0.5 < measured.figures["score"]["value"] < 100  # after one epoch
    assert measured.figures["split"]["labelled"] == 300


def test_a_record_that_does_not_name_a_newer_option_still_answers():
    cell = plan(selected(TABLES["table2"], ["MUTAG"], ["tree-split"]))["MUTAG", "tree-split"][0]
    record = {"cell": cell.key, "configuration": cell.configuration()}
    del record["configuration"]["start_from"]
    assert cell.is_that_of(record)
    assert not cell.is_that_of({**record, "configuration": {**record["configuration"], "start_from": "x"}})
