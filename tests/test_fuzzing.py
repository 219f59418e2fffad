"""A little of `fuzzing.py` on every run; `make fuzz` does it at length."""

from __future__ import annotations

import json

import pytest

import fuzzing

INPUTS = 25  # a target


@pytest.mark.parametrize("make", [fuzzing.file_targets, fuzzing.graph_targets])
def test_everything_is_read_or_refused_with_a_sentence(tmp_path, make):
    for name, inputs, run in make(tmp_path):
        assert fuzzing.fuzz(name, inputs, run, INPUTS, drawn_by=0).inputs >= INPUTS


def test_the_log_is_of_100_000_inputs_and_of_every_target(tmp_path):
    lines = [json.loads(line) for line in (fuzzing.ROOT / "results" / "fuzzing.jsonl").open()]
    assert sum(line["inputs"] for line in lines) >= 100_000
    assert max(line["slowest"] for line in lines) < fuzzing.SECONDS
    assert [line["target"] for line in lines] == [name for name, _, _ in fuzzing.targets(tmp_path)]
