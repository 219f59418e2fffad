"""The tables: statistics, the results file under every misfortune, and what is shown."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commands import Command, partwhole
from partwhole import PartwholeError
from partwhole.evaluation.protocols import choose
from partwhole.parallel.workers.processes import Processes
from partwhole.reproduce.accuracy_sheet import lines
from partwhole.reproduce.cells import Cell, run_cell, scores_of
from partwhole.reproduce.explain import explain, find_record
from partwhole.reproduce.journal import FORMAT, Journal
from partwhole.reproduce.paper import SIX
from partwhole.reproduce.picture import picture
from partwhole.reproduce.rendering import render
from partwhole.reproduce.runner import (
    TableProgress,
    in_progress,
    results_file,
    run_cells,
    seconds_left,
    unfinished,
)
from partwhole.reproduce.sheet import to_markdown
from partwhole.reproduce.statistics import corrected_paired_test, summarise, trimmed
from partwhole.reproduce.tables import TABLES, in_order, plan, selected
from places import ROOT

# -------------------------------------------------------------------- statistics


def test_mean_deviation_and_trimmed_figures():
    values = [88.0, 90.0, 91.0, 89.0, 60.0, 99.0, 92.0]
    assert summarise(values).mean == pytest.approx(87.0)
    assert summarise(values).std == pytest.approx(math.sqrt(928 / 6))
    assert trimmed(values) == summarise([88.0, 89.0, 90.0, 91.0, 92.0])
    assert trimmed(values).mean == pytest.approx(90.0)
    assert trimmed([1.0, 2.0]) is None
    assert math.isnan(summarise([3.0]).std)


def test_the_paired_test_is_corrected_for_overlapping_training_sets():
    random = np.random.default_rng(5)
    before = random.normal(80, 5, size=(7, 10))
    after = before + random.normal(1, 3, size=(7, 10))
    differences = [a - b for a, b in zip(after.flat, before.flat)]
    mean = sum(differences) / 70
    variance = sum((d - mean) ** 2 for d in differences) / 69
    t = mean / math.sqrt((1 / 70 + (1 / 10) / (9 / 10)) * variance)
    from scipy.stats import t as student
    from scipy.stats import ttest_rel

    result = corrected_paired_test(after, before)
    assert result.gain == pytest.approx(mean)
    assert result.p == pytest.approx(2 * (1 - student.cdf(abs(t), 69)))
    assert result.p > ttest_rel(after.ravel(), before.ravel()).pvalue  # the plain test finds too much
    # One run of two folds, by hand: differences 1 and 3, t = 2 / sqrt((1/2 + 1) 2), one degree of freedom.
    small = corrected_paired_test(np.array([[2.0, 5.0]]), np.array([[1.0, 2.0]]))
    assert small.p == pytest.approx(2 * (0.5 - math.atan(2 / math.sqrt(3)) / math.pi))
    assert math.isnan(corrected_paired_test(before, before).p)


# -------------------------------------------------------------------- the results file


def test_records_come_back_in_order(tmp_path):
    journal = Journal(tmp_path / "deep" / "cells.jsonl")
    assert journal.read() == []
    with journal.writing():
        journal.append({"cell": "a"})
        journal.append({"cell": "b"})
    with journal.writing():
        journal.append({"cell": "c"})
    assert [r["cell"] for r in journal.read()] == ["a", "b", "c"]


@pytest.mark.parametrize("cut", range(1, 40, 6))
def test_a_cut_line_is_passed_over_and_removed(tmp_path, cut):
    journal = Journal(tmp_path / "cells.jsonl")
    with journal.writing():
        journal.append({"cell": "whole"})
        journal.append({"cell": "cut", "rest": "of a long record"})
    content = journal.path.read_bytes()
    journal.path.write_bytes(content[:-cut])
    assert [r["cell"] for r in journal.read()] == ["whole"]
    with journal.writing():
        journal.append({"cell": "next"})
    assert [r["cell"] for r in journal.read()] == ["whole", "next"]


def test_a_header_that_was_cut_is_written_again(tmp_path):
    journal = Journal(tmp_path / "cells.jsonl")
    journal.path.write_bytes(b'{"format": "partw')
    with journal.writing():
        journal.append({"cell": "a"})
    assert [json.loads(line) for line in journal.path.read_text().splitlines()] == [FORMAT, {"cell": "a"}]


def test_files_that_are_not_ours_are_refused_and_left_alone(tmp_path):
    path = tmp_path / "cells.jsonl"
    for content, complaint in (
        (
            '{"format": "partwhole results", "version": 9}\n',
            "version 9 of the results file, this one reads 1",
        ),
        ('{"name": "something else"}\n', "is not a results file"),
        (json.dumps(FORMAT) + '\n{"cell": "a"}\n{"cell": ?}\n{"cell": "b"}\n', "Line 3 of .* is damaged"),
    ):
        path.write_text(content)
        with pytest.raises(PartwholeError, match=complaint):
            Journal(path).read()
        with pytest.raises(PartwholeError, match=complaint), Journal(path).writing():
            pytest.fail("must not come here")
        assert path.read_text() == content


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "cells.jsonl"
    script = "import sys; from pathlib import Path; from partwhole.reproduce.journal import Journal\n"
    script += "with Journal(Path(sys.argv[1])).writing(): pass"
    with Journal(path).writing():
        other = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert "Another process is writing" in other.stderr
    assert subprocess.run([sys.executable, "-c", script, path]).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="file size limits")
def test_a_full_disk_leaves_the_finished_cells(tmp_path):
    """A real limit on the size of files, met in the middle of a line."""
    path = tmp_path / "cells.jsonl"
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from partwhole.reproduce.journal import Journal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "with journal.writing():\n"
        "    journal.append({'cell': 'first'})\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))\n"
        "    journal.append({'cell': 'x' * 300})\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert ended.returncode == 1
    assert "The cells that are finished are kept" in ended.stderr
    assert [r["cell"] for r in Journal(path).read()] == ["first"]
    assert path.read_bytes().endswith(b"\n")


# -------------------------------------------------------------------- which cells


def test_tables_have_the_cells_of_the_paper():
    two = plan(TABLES["table2"])
    assert {name for name, _ in two} == set(SIX)
    assert len(two["MUTAG", "tree-split"]) == 7
    assert [c.configuration()["random_state"] for c in two["MUTAG", "tree-split"]] == list(range(7))
    base = plan(TABLES["table5"])["MUTAG", "base-tree-split"][0].configuration()
    assert (base["head_negatives"], base["subgraph_conv"], base["epochs"]) == (False, False, 100)
    neg = plan(TABLES["table4"])["MUTAG", "base-neg-multi-head"][0].configuration()
    assert (neg["head_negatives"], neg["subgraph_conv"], neg["generator"]) == (True, False, "multi-head")
    order = [cell.run for cell in in_order(two)]
    assert order == sorted(order)


def test_every_row_with_published_figures_has_them_for_every_data_set():
    for table in TABLES.values():
        for row in table.rows if table.published else ():
            if row.usual:
                assert set(table.datasets) <= set(table.published[row.name])
        assert set(table.published) <= {row.name for row in table.rows}


@pytest.mark.parametrize(
    ("datasets", "rows", "complaint"),
    [(["MUTAGG"], None, "Did you mean 'MUTAG'"), (None, ["tree-spilt"], "Did you mean 'tree-split'")],
)
def test_near_misses_are_named(datasets, rows, complaint):
    with pytest.raises(PartwholeError, match=complaint):
        selected(TABLES["table2"], datasets, rows)


def test_selection_takes_names_as_one_likes():
    part = selected(TABLES["table2"], ["ptc-mr"], ["tree-split"])
    assert (part.datasets, [r.name for r in part.rows]) == (("PTC_MR",), ["tree-split"])


# -------------------------------------------------------------------- what is shown


def made_up(cell: Cell, untrained: float, trained: float) -> dict:
    """A record with the same accuracies in every fold but for a little of its own."""
    wobble = np.random.default_rng(cell.run).normal(0, 1, 10)
    by_epoch = {"0": untrained + wobble, "5": trained + 1 + wobble, "10": trained - wobble}
    rounded = {epoch: values.tolist() for epoch, values in by_epoch.items()}
    return {
        "cell": cell.key,
        "method": cell.method,
        "configuration": cell.configuration(),
        "data": {"name": cell.dataset, "graphs": 188, "digest": "0" * 64},
        "seed": cell.run,
        "folds": {"number": 10, "seed": cell.run},
        "accuracies": dict.fromkeys(("rbf-svm", "linear-svm", "logistic-regression"), rounded),
        "training": {"first": {"loss": 10.0}, "last": {"loss": 1.0}},
        "seconds": {"training": 30.0, "scoring": 30.0},
        "peak_mib": 500,
        "threads": 1,
        "versions": {"python": "3.11.0"},
        "revision": "abc",
        "finished": "2026-01-01T00:00:00Z",
    }


@pytest.fixture
def small():
    table = selected(TABLES["table2"], ["MUTAG"], None)
    cells = plan(table, runs=4, epochs=10)
    records = [made_up(c, 80.0, 84.0 + c.run) for c in cells["MUTAG", "tree-split"]]
    return table, cells, records


def test_a_table_shows_ours_beside_the_published_figures(small):
    table, cells, records = small
    records[1]["seconds"]["training"] = 90.0  # beside other work
    shown = render(table, cells, records)
    empty, full = (dict(zip(shown.header, row, strict=True)) for row in shown.rows)
    assert (full["data set"], full["method"]) == ("MUTAG", "OURS (TS)")
    line = lines(cells, records)["MUTAG", "tree-split"]
    paper = [max(np.mean(r["accuracies"]["rbf-svm"][e]) for e in ("5", "10")) for r in records]
    assert line.accuracies("paper") == pytest.approx(paper)
    assert full["paper"] == f"{np.mean(paper):.1f} ± {np.std(paper, ddof=1):.1f}"
    kept = sorted(paper)[1:-1]
    assert full["difference"] == f"{np.mean(kept) - 91.8:+.1f}"
    assert (full["published"], full["runs × epochs"], full["seconds a run"]) == (
        "91.8 ± 0.5",
        "4 × 10",
        "30 + 30",
    )
    assert (empty["untrained"], empty["runs × epochs"], empty["published"]) == (
        "–",
        "0 of 4 × 10",
        "91.7 ± 1.1",
    )
    assert any("label-free: last epoch" in note for note in shown.notes)
    markdown = to_markdown(shown).splitlines()
    assert markdown[1].startswith("| --- | --- | ---: |")
    assert len({line.count("|") for line in markdown[:4]}) == 1
    drawing = picture(table, lines(cells, records))
    assert drawing.count("<circle") == 4 + 4  # the legend and one line
    assert "NaN" not in drawing.replace("nan", "NaN")


def test_choices_are_compared_with_the_default_on_the_same_folds():
    table = selected(TABLES["choices"], ["MUTAG"], ["tree-split", "soft"])
    cells = plan(table, runs=3, epochs=10)
    records = [made_up(c, 80, 85) for c in cells["MUTAG", "tree-split"]]
    records += [made_up(c, 80, 87) for c in cells["MUTAG", "soft"]]
    rows = render(table, cells, records).rows
    assert [row[0] for row in rows] == ["untrained", table.rows[0].label, "soft selection"]
    assert rows[2][1].endswith("(+2.0)")  # every fold differs by the same: there is no p-value
    assert "(" not in rows[1][1]


def test_a_rival_of_the_recipe_may_be_shown_alone():
    """It has nothing to train, and so no untrained figure."""
    table = selected(TABLES["recipe"], ["MUTAG"], ["structure-only"])
    cells = plan(table, runs=2)
    found = render(table, cells, [made_up(c, 80, 85) for c in cells["MUTAG", "structure-only"]])
    assert found.header == ["data set", "structure buckets"]
    assert [row[0] for row in found.rows] == ["MUTAG"]


def test_the_recipe_is_compared_with_the_untrained_encoder_of_the_paper_too():
    table = selected(TABLES["recipe"], ["MUTAG"], ["best", "tree-split"])
    cells = plan(table, runs=2)
    records = [made_up(c, 80, 85) for c in cells["MUTAG", "best"]]
    records += [made_up(c, 70, 82) for c in cells["MUTAG", "tree-split"]]
    found = render(table, cells, records)
    assert found.header == ["data set", "untrained", "best", "paper", "paper, untrained"]
    ((_, own, best, letter, encoder),) = found.rows
    assert "(" not in best
    own, letter, encoder = (
        float(cell.split("(")[1].split(",")[0].rstrip(")")) for cell in (own, letter, encoder)
    )
    assert letter == -3.0  # 82 against 85
    assert own - encoder == pytest.approx(10.0)  # 80 and 70, each against 85


def test_a_record_of_another_configuration_or_with_fewer_scores_does_not_count(small):
    _, cells, records = small
    mine = cells["MUTAG", "tree-split"]
    assert unfinished(mine, records) == []
    assert unfinished([*mine, *mine], []) == mine  # once each
    other = json.loads(json.dumps(records[0]))
    other["configuration"]["lr"] = 0.5
    assert unfinished(mine[:1], [other]) == mine[:1]
    fewer = json.loads(json.dumps(records[0]))
    del fewer["accuracies"]["linear-svm"]  # enough for table 5, not for the authors' protocol
    assert unfinished(mine[:1], [fewer]) == mine[:1]
    assert choose("authors", scores_of(fewer)) is None
    assert unfinished(mine[:1], [fewer, records[0]]) == []


def test_the_time_left_goes_by_cells_of_the_same_data_set(small):
    _, cells, records = small
    left = cells["MUTAG", "multi-head"]
    assert seconds_left(left, records, jobs=2) == (pytest.approx(4 * 60 / 2), True)
    other = [Cell("PTC_MR", "tree-split", "subgraph-infomax", {}, 10, 0, ("paper",))]
    assert seconds_left([*left, *other], records, jobs=2) == (pytest.approx(4 * 60 / 2), False)
    told = [
        TableProgress(0, 4, seconds, certain, ()).time_left()
        for seconds, certain in ((7500, True), (90, False), (0, False))
    ]
    assert told == ["about 2 h 5 min left", "more than 2 min left", "time left not known yet"]


def test_cells_in_progress_show_their_epoch(tmp_path):
    cells = plan(selected(TABLES["table2"], ["MUTAG"], None), runs=1, epochs=3)
    first, second = (group[0] for group in cells.values())
    for cell, lines_written in ((first, 2), (second, 3)):
        (tmp_path / cell.folder).mkdir()
        (tmp_path / cell.folder / "metrics.jsonl").write_text("{}\n" * lines_written)
    shown = in_progress([first, second], tmp_path)
    assert shown == ("MUTAG multi-head 0: epoch 2/3", "MUTAG tree-split 0: scoring")


# -------------------------------------------------------------------- real cells


@pytest.fixture(scope="module")
def finished(mutag, tmp_path_factory):
    """Two real cells, run in two processes."""
    folder = tmp_path_factory.mktemp("reproduce")
    cells = in_order(plan(selected(TABLES["table2"], ["MUTAG"], None), runs=1, epochs=5))
    seen = []
    run_cells(cells, folder, Processes(2, len(cells)), report=seen.append)
    return folder, cells, seen


@pytest.mark.slow
def test_a_cell_tells_all_that_is_needed_to_obtain_it_again(finished, mutag):
    folder, cells, seen = finished
    records = results_file(folder).read()
    assert {r["cell"] for r in records} == {"MUTAG/tree-split/5/0", "MUTAG/multi-head/5/0"}
    finishing = [(state.done, state.total) for state in seen if state.last or state is seen[0]]
    assert finishing == [(0, 2), (1, 2), (2, 2)]
    assert any("epoch" in running or "scoring" in running for state in seen for running in state.running)
    record = find_record("MUTAG/tree-split/5/0", records)
    assert record["data"] == {"name": "MUTAG", "graphs": 188, "digest": mutag.digest()}
    assert set(record["accuracies"]) == {"rbf-svm", "linear-svm", "logistic-regression"}
    assert set(record["accuracies"]["rbf-svm"]) == {"0", "5"}
    assert len(record["accuracies"]["rbf-svm"]["5"]) == 10
    assert {"python", "partwhole", "torch", "scikit-learn"} <= set(record["versions"])
    assert record["seconds"]["training"] > 0
    assert 100 < record["peak_mib"] < 4000
    assert record["revision"]
    assert list((folder / ".work").iterdir()) == []
    # Computed again, in this process with other threads: the same number.
    again = run_cell(next(c for c in cells if c.key == record["cell"]), folder / "again", "here")
    for classifier, by_epoch in record["accuracies"].items():
        for epoch, folds in by_epoch.items():
            assert np.mean(again["accuracies"][classifier][epoch]) == pytest.approx(np.mean(folds), abs=1.5)
    assert again["accuracies"]["rbf-svm"]["0"] == pytest.approx(record["accuracies"]["rbf-svm"]["0"])


@pytest.mark.slow
def test_explain_tells_how_a_number_came_about(finished):
    record = find_record("MUTAG/tree-split/5/0", results_file(finished[0]).read())
    told = explain(record)
    for text in (
        "generator tree-split",
        "188 graphs",
        "epoch 5, rbf-svm",
        "best of 3 on the test folds",
        "torch",
    ):
        assert text in told
    assert "of these not the default: epochs 5" in told
    with pytest.raises(PartwholeError, match="Did you mean 'MUTAG/tree-split/5/0'"):
        find_record("MUTAG/treesplit/5/0", [record])


@pytest.mark.slow
def test_finished_cells_are_not_run_again(finished):
    folder, cells, _ = finished
    before = results_file(folder).path.read_bytes()
    run_cells(cells, folder, Processes(None, 1), report=lambda state: pytest.fail("nothing is left to run"))
    assert results_file(folder).path.read_bytes() == before


def children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_killed_in_the_middle_it_goes_on_where_it_stopped(finished, tmp_path, number, code):
    """Two cells are there already; two more are being run when the process is ended."""
    journal = results_file(tmp_path)
    journal.path.write_bytes(results_file(finished[0]).path.read_bytes())
    words = ["reproduce", "table2", "--datasets", "MUTAG", "--epochs", 5, "--runs", 2]
    words += ["--out", tmp_path, "--jobs", 2]
    process = Command(*words)
    while not any((tmp_path / ".work").glob("*/metrics.jsonl")):  # a cell is being trained
        assert process.runs, process.end().stderr
        time.sleep(0.05)
    workers = children(process.pid)
    assert workers
    stopped = process.stop(number)
    assert stopped.returncode == code
    if number == signal.SIGTERM:
        assert "Stopped with 2 of 4 cells finished" in stopped.stderr
    while any(os.path.exists(f"/proc/{w}") for w in workers):  # they end with their parent
        time.sleep(0.1)
    assert len(journal.read()) == 2
    if number == signal.SIGTERM:
        return
    ended = partwhole(*words, "--json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)["rows"]
    assert [row["runs × epochs"] for row in rows] == ["2 × 5", "2 × 5"]
    assert len(journal.read()) == 4
    assert (tmp_path / "table2.md").read_text().startswith("# Table 2")
    assert "<svg" in (tmp_path / "table2.html").read_text()


# -------------------------------------------------------------------- what is committed


@pytest.mark.slow
def test_the_results_page_is_what_the_records_say():
    """docs/results.md and its picture are rendered from results/cells.jsonl: `make results-page`."""
    command = [sys.executable, ROOT / "docs" / "make_results.py", "--check"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


# -------------------------------------------------------------------- methods beside ours


@pytest.mark.slow
def test_cells_of_a_kernel_and_of_a_supervised_network(tmp_path):
    table = selected(TABLES["table2"], ["MUTAG"], ["wl", "gcn"])
    cells = plan(table, runs=1, epochs=2)
    (kernel,), (network,) = cells["MUTAG", "wl"], cells["MUTAG", "gcn"]
    assert (kernel.key, network.key) == ("MUTAG/wl/0/0", "MUTAG/gcn/2/0")  # a kernel has no epochs
    records = [run_cell(cell, tmp_path, "here") for cell in (kernel, network)]
    assert list(records[0]["accuracies"]) == ["kernel-svm"]
    assert {c: list(e) for c, e in records[1]["accuracies"].items()} == {
        "validated-network": ["2"],
        "network": ["1", "2"],  # every epoch is kept where the last would not be among each fifth
    }
    assert all(cell.answered_by(r) for cell, r in zip((kernel, network), records))
    assert not any(tmp_path.iterdir())
    shown = render(table, cells, records)
    first, second = (dict(zip(shown.header, row, strict=True)) for row in shown.rows)
    assert float(first["label-free"]) > 80
    assert (first["paper"], first["gain (p)"], first["published"]) == ("–", "–", "80.7 ± 3.0")
    assert second["paper"] != "–"
    assert int(first["MiB"]) > 50
    assert any("Supervised rows" in note for note in shown.notes)
    assert "kernel-svm" in explain(records[0])
    assert "rounds 4" in explain(records[0])


def test_a_method_that_cannot_is_told_with_its_reason(tmp_path):
    cell = Cell("MUTAG", "mlg", "mlg", {"minutes": 1e-9}, 0, 0, ("label-free",))
    record = run_cell(cell, tmp_path, "here")
    assert "more than its limit" in record["refused"]
    assert cell.answered_by(record)  # and not tried again
    table = selected(TABLES["table2"], ["MUTAG"], ["mlg"])
    shown = render(table, {("MUTAG", "mlg"): [cell]}, [record])
    assert shown.rows[0][3] == "–"
    assert any(note.startswith("MUTAG, mlg: mlg would take about") for note in shown.notes)
    assert "refused: mlg would take" in explain(record)


def test_a_row_that_is_left_out_of_a_set_is_told_with_the_reason_and_run_when_it_is_named():
    every = selected(TABLES["table2"], ["MUTAG", "PTC_MR"], ["all"])
    rows = tuple(replace(row, left_out={"MUTAG": "too slow."}) for row in every.rows if row.name == "gcn")
    few = replace(every, rows=rows)
    assert set(plan(few)) == {("PTC_MR", "gcn")}
    shown = render(few, plan(few), [])
    assert [row[-3] for row in shown.rows] == ["left out", "0 of 1 × 50"]
    assert "MUTAG, GCN, supervised: too slow." in shown.notes
    assert set(plan(selected(few, ["MUTAG"], ["gcn"]))) == {("MUTAG", "gcn")}


def test_all_stands_for_every_row_and_the_usual_ones_are_ours():
    usual = selected(TABLES["table2"], ["MUTAG"], None)
    assert [row.name for row in usual.rows] == ["multi-head", "tree-split"]
    every = selected(TABLES["table2"], ["MUTAG"], ["all"])
    assert len(every.rows) == 21
    assert {row.name for row in every.rows} >= set(every.published)
