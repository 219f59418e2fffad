"""What a person sees while a network is trained."""

from __future__ import annotations

import io
import math
import re

import pytest
from rich.console import Console

from partwhole import SubgraphInfoMax
from partwhole.losses.head_tail import knowing_all, knowing_nothing
from partwhole.training.progress import Figures, ProgressBar, ProgressLine

AWKWARD = {
    "loss": 123456.0,
    "mutual_information": -80512.0,
    "validation": 1234.5,
    "entropy": 1.96,
    "smallest": 0.0312,
    "largest": 1.0,
}


def test_knowing_nothing_is_what_pairs_give_that_all_score_the_same():
    assert knowing_nothing("jsd") == pytest.approx(-2 * math.log(2))
    assert knowing_nothing("dv") == 0
    assert knowing_all("jsd") == 0
    assert knowing_all("dv") is None


def shown(metrics: dict, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="standard")
    bar = ProgressBar(Figures(knowing_nothing("jsd"), knowing_all("jsd")), console)
    bar.start(9, 1000, steps=40)
    bar.step(11, 40, 40)
    bar.epoch({"epoch": 12, **metrics})
    bar.stop()
    lines = console.file.getvalue().splitlines()
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).rstrip() for line in lines]


def test_nothing_is_cut_in_a_terminal_of_80_columns():
    lines = shown(AWKWARD)
    assert max(map(len, lines)) <= 80
    bar = next(line for line in reversed(lines) if line.startswith("training"))
    assert re.fullmatch(r"training [━╸╺]{24} epoch 12/1000 0:00:00 [-\d:]+ left", bar)
    figures = " ".join(" ".join(lines[lines.index(bar) + 1 :]).split())
    for words in (
        "loss 1.235e+05",
        "MI -8.05e+04 (nothing known: -1.39, all: 0)",
        "validation 1234",
        "entropy 1.96 bit",
    ):
        assert words in figures
    assert figures.endswith("sizes 3%-100%")
    assert "…" not in figures


def test_the_terms_are_explained_once():
    text = " ".join(" ".join(shown(AWKWARD)).split())
    assert text.count("MI: mutual information between parts and whole, estimated") == 1
    assert "below -1.39 worse than knowing nothing." in text
    assert "sizes: smallest and largest subgraph, in shares of the nodes." in text
    assert "MI:" not in " ".join(shown({"loss": 1.0}))


def test_a_fit_shows_its_progress_on_standard_error(mutag, capsys):
    SubgraphInfoMax(hidden=8, layers=2, epochs=2, estimator="dv", verbose=True).fit(mutag)
    said = capsys.readouterr()
    assert said.out == ""
    assert "epoch 2/2" in said.err
    assert "(nothing known: 0)" in said.err


def test_a_line_is_rewritten_and_ends_with_the_last_figures(capsys):
    line = ProgressLine(Figures(knowing_nothing("jsd")))
    line.start(0, 2, steps=2)
    for epoch in range(2):
        for step in range(2):
            line.step(epoch, step + 1, 2)
        line.epoch({"epoch": epoch + 1, "loss": 10.0**-epoch, "mutual_information": -0.5})
    line.stop()
    legend, lines, end = capsys.readouterr().err.split("\n")
    assert legend.split("\r")[1].startswith("epoch 0/2  ")
    assert legend.split("\r")[-1].startswith("loss: what training makes small. MI: ")
    last = lines.split("\r")[-1].rstrip()
    assert re.fullmatch(r"epoch 2/2  [\d:]+  loss 0.1  MI -0.5 \(nothing known: -1.39\)", last)
    assert end == ""
