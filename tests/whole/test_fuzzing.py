"""A little of `fuzzing.py` on every run; `make fuzz` does it at length."""

from __future__ import annotations

import pytest

import fuzzing

pytestmark = pytest.mark.slow

INPUTS = 25  # a target


@pytest.mark.parametrize("make", [fuzzing.file_targets, fuzzing.graph_targets])
def test_everything_is_read_or_refused_with_a_sentence(tmp_path, make):
    for name, inputs, run in make(tmp_path):
        assert fuzzing.fuzz(name, inputs, run, INPUTS, drawn_by=0).inputs >= INPUTS
