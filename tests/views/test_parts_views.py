"""The vocabulary on pages: colours that can be told apart, what is drawn, and what the report says."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import pytest

from commands import partwhole
from partwhole import SubgraphInfoMax, load_graphs, make_motif_graphs
from partwhole.estimators.linear import LogisticClassifier
from partwhole.parts.vocabulary import TYPES
from partwhole.views.enriched import MOST_TARGETS, enriched_sections
from partwhole.views.explained import bars_of, percent, shown_effect
from partwhole.views.halos import PART_COLORS, color_of
from partwhole.views.parts_section import NOT_OWN, typical_graphs
from partwhole.views.shown_types import ShownTypes, part_name, type_cards

PAGES = {"#ffffff": 0.5, "#141a21": 0.65}  # the background, and how opaque halos are on it


def oklab(colors: np.ndarray) -> np.ndarray:
    """[n, 3] in a space in which distances are about as large as they are seen (Ottosson)."""
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    cones = linear @ np.array([[0.4122, 0.2119, 0.0883], [0.5363, 0.6807, 0.2817], [0.0514, 0.1074, 0.6300]])
    return np.cbrt(cones) @ np.array(
        [[0.2105, 1.9780, 0.0259], [0.7936, -2.4286, 0.7828], [-0.0041, 0.4506, -0.8087]]
    )


def rgb(color: str) -> np.ndarray:
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255


@pytest.mark.parametrize("page", PAGES)
def test_colours_of_types_can_be_told_apart(page):
    assert len(set(PART_COLORS)) == TYPES
    seen = PAGES[page] * np.array([rgb(c) for c in PART_COLORS]) + (1 - PAGES[page]) * rgb(page)
    points = oklab(np.vstack([seen, rgb(page)]))
    apart = np.linalg.norm(points[:, None] - points, axis=2) + np.eye(len(points))
    assert apart.min() > 0.06  # three times what is just noticed


@pytest.fixture(scope="module")
def model(mutag):
    return LogisticClassifier(vectors="counts").fit(mutag, mutag.labels)


def test_types_are_drawn_in_their_colour_and_close_up(model, mutag):
    pytest.importorskip("rdkit")
    types = ShownTypes.of(model, mutag)
    cards = type_cards(types)
    assert sum(types.told[card.type].parts for card in cards) == len(types.parts)
    for card in cards:
        assert 1 <= len(card.drawings) <= 3
        for drawing in card.drawings:
            assert set(re.findall('stroke="(#.{6})"', drawing)) == {color_of(card.type)}
    nitro = next(card for card in cards if card.name.endswith("nitro"))
    left, top, width, height = map(float, re.search('viewBox="(.*?)"', nitro.drawings[0]).group(1).split())
    assert width == height < 1000
    assert min(left, top) >= 0
    assert max(left + width, top + height) <= 1000


def test_pieces_of_networks_are_drawn_among_their_neighbours():
    graphs = make_motif_graphs(30)
    types = ShownTypes.of(SubgraphInfoMax(epochs=1, hidden=4, layers=1).fit(graphs), graphs)
    for t in types.by_frequency:
        drawings = types.drawings(t.type)
        assert drawings
        dots = [drawing.rsplit('d="', 1)[1].count("h0") for drawing in drawings]
        assert min(dots) >= types.parts.size[t.examples[0]]
    assert any("nodes" in name for name in types.names)


def test_without_a_vocabulary_types_are_those_of_the_graphs_shown(model, mutag):
    model.vocabulary_, kept = None, model.vocabulary_
    try:
        assert ShownTypes.of(model, mutag).own is False
    finally:
        model.vocabulary_ = kept
    assert ShownTypes.of(model, mutag).own is True
    assert ShownTypes.of(model, load_graphs([nx.empty_graph(0), nx.empty_graph(0)])) is None


def test_what_goes_with_targets_is_limited(dataset):
    store = dataset("ESOL")[:200]
    types = ShownTypes.of(SubgraphInfoMax(epochs=1, hidden=4, layers=1).fit(store), store)
    last = store.schema.targets[-1].name
    sections, more = enriched_sections(types, store, last)
    assert len(sections) <= MOST_TARGETS
    assert more == len(store.schema.targets) - MOST_TARGETS
    assert sections[0].target == last
    bars = sections[0].plots[0].figure.data[0]
    kinds = [int(name.split(":")[0]) for name in bars.y]
    assert list(bars.marker.color) == [color_of(kind) for kind in kinds]


def test_bars_say_what_parts_add(model, mutag):
    found = model.explain(mutag[0])
    bars = bars_of(found)
    assert [bar.width for bar in bars] == sorted((bar.width for bar in bars), reverse=True)
    assert bars[0].width == 100
    for bar, one in zip(bars, found.effects):
        assert bar.positive == (one.effect >= 0)
        assert bar.name.startswith(f"{one.type}: ")
    minus = "\N{MINUS SIGN}"
    assert (shown_effect(-0.1234, True), shown_effect(-1e-9, True)) == (f"{minus}12.3 %", "0.0 %")
    assert shown_effect(-1.5, False) == f"{minus}1.5"
    assert (percent(0.9996), percent(1.0), percent(0.5)) == ("99.9 %", "100 %", "50 %")
    assert (part_name("star", 5), part_name("pair", 2), part_name("Cl", 1)) == (
        "star, 5 nodes",
        "pair",
        "chlorine",
    )


def test_typical_graphs_are_of_all_classes(mutag):
    chosen = typical_graphs(mutag)
    assert len(set(chosen)) == len(chosen) == 8
    assert len(set(mutag.labels[chosen[:2]])) == 2


def test_the_report_of_a_run_with_labels_explains(model, mutag, tmp_path):
    model.save(tmp_path / "run")
    done = partwhole("report", tmp_path / "run", "MUTAG", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    for title in ("Types of parts", "Graphs in their parts", "Types that go with a target"):
        assert f"<h2>{title}</h2>" in page
    assert "Which parts drive a prediction" in page
    assert page.count('<ul class="bars">') == 6
    assert NOT_OWN not in page
    (tmp_path / "run" / "vocabulary.safetensors").unlink()
    done = partwhole("report", tmp_path / "run", "MUTAG", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert NOT_OWN in (tmp_path / "page.html").read_text()
