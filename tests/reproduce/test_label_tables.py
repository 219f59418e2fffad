"""Table 3: cells of QM9, their split, and the table of errors."""

from __future__ import annotations

import numpy as np
import pytest

from partwhole import PartwholeError, SubgraphInfoMaxClassifier, SubgraphInfoMaxRegressor
from partwhole.reproduce import share_cells, target_cells
from partwhole.reproduce.cells import run_cell
from partwhole.reproduce.explain import explain
from partwhole.reproduce.paper import TABLE3
from partwhole.reproduce.rendering import render
from partwhole.reproduce.sheet import to_markdown
from partwhole.reproduce.tables import TABLES, plan, selected
from partwhole.reproduce.target_cells import split
from partwhole.sources.datasets.qm9_files import TARGETS
from partwhole.sources.readers.qm9 import UNITS

TABLE = TABLES["table3"]


def test_the_split_is_that_of_the_paper():
    parts = split(130_831, seed=0)
    sizes = [len(p) for p in (parts.labelled, parts.held_out, parts.test, parts.rest)]
    assert sizes == [5_000, 10_000, 10_000, 105_831]
    everything = np.concatenate([parts.labelled, parts.held_out, parts.test, parts.rest])
    assert len(np.unique(everything)) == 130_831
    assert split(130_831, 1).labelled.tolist() != parts.labelled.tolist()


def test_published_figures_are_complete():
    assert {row.name for row in TABLE.rows} == set(TABLE3)
    assert all(set(of) == set(TARGETS) == set(UNITS) for of in TABLE3.values())
    assert TABLE3["multi-head"]["mu"] == 0.82
    assert TABLE3["supervised"]["r2"] == 4.0730


def test_rows_differ_in_what_unlabelled_molecules_teach_only():
    cells = {row: plan(TABLE)["QM9:mu", row][0].configuration() for row in TABLE3}
    for row, options in cells.items():
        changed = {name for name, value in options.items() if value != cells["supervised"][name]}
        assert changed <= {"generator", "unlabelled", "unsupervised_weight"}, row
    shared = {"backbone": "edge-network", "readout": "set2set", "hidden": 64, "layers": 3, "batch_size": 20}
    assert shared.items() <= cells["tree-split"].items()


def made_up(cell, error: float) -> dict:
    return {
        "cell": cell.key,
        "configuration": cell.configuration(),
        "seed": cell.run,
        "error": {"test": error, "unit": UNITS[cell.variant]},
        "seconds": {"training": 90.0, "scoring": 30.0},
    }


def test_ratios_are_taken_run_by_run_and_stand_beside_the_paper():
    cells = plan(selected(TABLE, None, None, ["mu", "Cv"]), runs=2, epochs=3)
    records = [made_up(cells["QM9:mu", "supervised"][k], error) for k, error in enumerate((0.5, 0.8))]
    records += [made_up(cells["QM9:mu", "tree-split"][k], error) for k, error in enumerate((0.4, 0.8))]
    shown = render(selected(TABLE, None, None, ["mu", "Cv"]), cells, records)
    assert shown.header[1:] == ["mu (D)", "runs × epochs", "minutes"]  # Cv has no finished cell
    rows = {row[0]: row[1:] for row in shown.rows}
    assert rows["supervised, error"] == ["0.6500 / 0.2581", "2 × 3", "4"]
    assert rows["OURS (TS)"] == ["0.90 / 0.89", "2 × 3", "4"]  # the mean of 0.8 and 1.0
    assert rows["InfoGraph*"] == ["– / 0.98", "0 of 2 × 3", "–"]
    assert "Not measured yet: Cv." in to_markdown(shown)


def test_targets_are_named_by_their_near_miss():
    with pytest.raises(PartwholeError, match="table3 has no target 'alfa'"):
        selected(TABLE, None, None, ["alfa"])
    assert [row.name for row in selected(TABLE, None, ["infograph"]).rows] == ["supervised", "infograph"]
    with pytest.raises(PartwholeError, match=r"table2 has no target 'mu'. It has none"):
        selected(TABLES["table2"], None, None, ["mu"])
    with pytest.raises(PartwholeError, match="table3 has no data set 'MUTAG'"):
        selected(TABLE, ["MUTAG"], None)


@pytest.mark.slow
@pytest.mark.parametrize("row", ["supervised", "tree-split"])
def test_a_real_cell_of_few_molecules(dataset, monkeypatch, tmp_path, row):
    store = dataset("QM9")[1000:1200]
    monkeypatch.setattr(target_cells, "load_once", lambda name: store)
    for name, size in (("LABELLED", 60), ("HELD_OUT", 40), ("TEST", 30)):
        monkeypatch.setattr(target_cells, name, size)
    (cell,) = plan(TABLE, runs=1, epochs=1)["QM9:alpha", row]
    record = run_cell(cell, tmp_path, "here")
    assert cell.answered_by(record)
    assert record["data"]["graphs"] == 170  # the molecules of the test are not among them
    assert record["error"]["unit"] == "a0^3"
    assert len(record["validation"]) == 1
    part = split(200, 0)
    seen = np.sort(np.concatenate([part.labelled, part.held_out, part.rest]))
    y = np.where(np.isin(seen, part.rest), np.nan, store.target("alpha")[seen])
    held = np.flatnonzero(np.isin(seen, part.held_out))
    again = SubgraphInfoMaxRegressor(**cell.settings().options()).fit(store.take(seen), y, held_out=held)
    expected = np.abs(again.predict(store.take(part.test)) - store.target("alpha")[part.test]).mean()
    assert record["error"]["test"] == pytest.approx(expected, rel=1e-4)
    told = explain(record)
    assert "60 labelled, 40 held out, 30 test" in told
    assert "mean absolute error on the test molecules" in told
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- few labels


def test_labels_are_drawn_in_proportion():
    labels = np.repeat([0, 1], [3000, 1000])
    part = share_cells.split(labels, 0.01, seed=2)
    assert [len(p) for p in (part.labelled, part.test, part.rest)] == [40, 800, 3160]
    assert labels[part.labelled].sum() == 10
    assert len(np.unique(np.concatenate([part.labelled, part.test, part.rest]))) == 4000


@pytest.mark.slow
def test_a_real_cell_of_few_labels(mutag, monkeypatch, tmp_path):
    monkeypatch.setattr(share_cells, "load_once", lambda name: mutag)
    few = TABLES["few-labels"]
    cells = plan(few, runs=1, epochs=1)
    records = [run_cell(cells["NCI1:10%", row][0], tmp_path, "here") for row in ("supervised", "tree-split")]
    assert records[1]["split"] == {"seed": 0, "labelled": 19, "unlabelled": 131, "test": 38}
    part = share_cells.split(mutag.labels, 0.1, 0)
    seen = np.sort(np.concatenate([part.labelled, part.rest]))
    y = [mutag.labels[i] if i in part.labelled else None for i in seen]
    again = SubgraphInfoMaxClassifier(**cells["NCI1:10%", "tree-split"][0].settings().options()).fit(
        mutag.take(seen), y
    )
    expected = 100 * again.score(mutag.take(part.test), mutag.labels[part.test])
    assert records[1]["accuracy"] == pytest.approx(expected, abs=0.01)
    shown = render(few, cells, records)
    rows = {(row[1], row[2]): row for row in shown.rows}
    assert rows["10%, 19", "OURS (TS)"][4] == f"{records[1]['accuracy'] - records[0]['accuracy']:+.1f}"
    assert rows["–", "supervised"][3] == "–"
    assert "accuracy on the test graphs" in explain(records[0])
