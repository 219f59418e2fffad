"""A real notebook, with nothing but a kernel: no widgets."""

from __future__ import annotations

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

pytestmark = pytest.mark.slow

PLUG_IN = """
from partwhole import SubgraphInfoMax, make_motif_graphs
from partwhole.generators.multi_head import MultiHead
from partwhole.registry import GENERATORS

@GENERATORS.register
class MyCut(MultiHead):
    pass
"""
FIT = """
model = SubgraphInfoMax(generator="my-cut", hidden=8, layers=2, epochs=2, verbose=True)
model.fit(graphs)
"""
CELLS = [PLUG_IN, PLUG_IN, "graphs = make_motif_graphs(12)\ngraphs", FIT]


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The cells after they were run, an error in one of them being an error here."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    folder = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    return (
        nbclient.NotebookClient(book, timeout=1800, kernel_name="python3", resources=folder).execute().cells
    )


def html(cell) -> str:
    return next(o["data"]["text/html"] for o in cell.outputs if o.output_type == "execute_result")


def test_progress_is_shown_without_widgets(cells):
    text = "".join(o.text for o in cells[3].outputs if o.output_type == "stream" and o.name == "stderr")
    assert "MI: mutual information between parts and whole" in text
    last = text.rstrip("\n").split("\r")[-1]
    assert re.match(r"epoch 2/2  \d:\d\d:\d\d  loss \S+  MI \S+ \(nothing known: -1.39, all: 0\)", last)


def test_a_store_and_an_estimator_have_a_face(cells):
    assert "<b>GraphStore</b> MOTIFS: 12 graphs" in html(cells[2])
    assert "SubgraphInfoMax" in html(cells[3])
    assert "Fitted" in html(cells[3])
