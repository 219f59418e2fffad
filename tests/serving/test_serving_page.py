"""The page of the service with many targets, and the marker of a graph that was asked for."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from PIL import Image

from partwhole import load_graphs
from partwhole.estimators.linear import LogisticClassifier
from partwhole.views.halos import COLORS
from places import EXAMPLES
from served import HANGS, Served, browser_page, in_browser

pytestmark = pytest.mark.slow

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
TARGETS = [f"disorders of the organ with the number {k}" for k in range(27)]
VIRIDIS = ["#440154", "#21918c", "#fde725"]  # of numbers


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A run of 27 targets with two classes each, and molecules of which they are known."""
    folder = tmp_path_factory.mktemp("many")
    with open(EXAMPLES / "molecules.csv") as file:
        smiles = [row["smiles"] for row in csv.DictReader(file)]
    labels = np.random.default_rng(0).integers(0, 2, (len(smiles), len(TARGETS)))
    with open(folder / "many.csv", "w") as file:
        csv.writer(file).writerows(
            [["smiles", *TARGETS], *([s, *y] for s, y in zip(smiles, labels.tolist()))]
        )
    LogisticClassifier().fit(load_graphs(smiles), labels, names=TARGETS).save(folder / "run")
    service = Served(folder / "run", folder / "many.csv", "--seconds", HANGS)
    yield service
    service.stop()


@pytest.fixture
def page(served):
    """Which was asked for a molecule."""
    with browser_page() as page:
        page.goto(served.address)
        page.wait_for_selector(".map[data-ready=yes]")
        page.fill("#given", ASPIRIN)
        page.keyboard.press("Enter")
        page.wait_for_selector(".answer")
        page.wait_for_function("document.querySelector('.map .plot').data.at(-1).name === 'your graph'")
        yield page


def test_parts_have_a_legend_and_graphs_unlike_the_fit_a_warning():
    service = Served("molecules-small", EXAMPLES / "molecules.csv", "--seconds", HANGS)
    try:
        aspirin, water = service.post("/look", {"smiles": [ASPIRIN, "O"]}).json()
        assert (aspirin["far"], water["far"]) == (False, True)
        assert sorted(node for part in aspirin["parts"] for node in part["nodes"]) == list(range(13))
        assert aspirin["explanation"] is None  # nothing is predicted
        told = service.get("/types").json()
        assert told["own"] is False  # the pretrained encoder is older than vocabularies
        colors = {one["type"]: one["color"] for one in told["types"]}
        assert {part["type"]: part["color"] for part in aspirin["parts"]}.items() <= colors.items()
        shown = set(re.findall('stroke="(#.{6})"', aspirin["drawing"]))
        assert shown == {part["color"] for part in aspirin["parts"]}
        parts = service.get("/map").json()["parts"]
        assert len(parts["counts"][0]) == len(parts["names"]) == len(parts["colors"])
    finally:
        service.stop()


def test_the_most_notable_predictions_come_first(served):
    (seen,) = served.post("/look", {"smiles": [ASPIRIN]}).json()
    found = seen["predicted"]
    assert {prediction["target"] for prediction in found} == set(TARGETS)
    positive = [prediction["probabilities"]["1"] for prediction in found]
    assert positive == sorted(positive, reverse=True)
    for prediction in found:
        assert prediction["probability"] == max(prediction["probabilities"].values())
        assert prediction["probabilities"][str(prediction["value"])] == prediction["probability"]
    whole = served.post("/predict", {"smiles": [ASPIRIN]}).json()["probabilities"]
    assert {prediction["target"]: prediction["probabilities"]["1"] for prediction in found} == pytest.approx(
        {name: shares["1"][0] for name, shares in whole.items()}, abs=1e-6
    )


def test_the_most_notable_prediction_is_explained(served):
    (seen,) = served.post("/look", {"smiles": [ASPIRIN]}).json()
    found, first = seen["explanation"], seen["predicted"][0]
    assert (found["target"], found["label"]) == (first["target"], str(first["value"]))
    assert found["prediction"] == pytest.approx(first["probability"], abs=1e-6)
    assert sorted(node for part in found["parts"] for node in part["nodes"]) == list(range(13))
    effects = [abs(part["effect"]) for part in found["parts"]]
    assert effects == sorted(effects, reverse=True)


@in_browser
def test_parts_and_their_effects_are_seen(page):
    bars = page.locator(".answer .bars li")
    assert bars.count() >= 2
    listed = page.locator(".answer .legend li").all_inner_texts()
    assert len(set(listed)) == len(listed) >= 2
    page.click("#types-summary")
    assert page.locator("#types .card svg").count() >= 4


@in_browser
def test_many_targets_are_a_folded_table(page):
    for width in (1200, 390):
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function(f"document.documentElement.scrollWidth === {width}")  # Plotly takes a moment
        assert page.locator(".answer > div:first-child tbody tr:visible").count() == 5
        assert page.locator(".card td:visible").count() == 0
        assert page.locator(".card summary:visible").all_inner_texts() == ["27 targets"] * 10
    assert page.locator(".answer > div:first-child th").all_inner_texts() == [
        "Target",
        "Predicted",
        "Probability",
    ]
    page.click(".answer > div:first-child summary")
    rows = page.locator(".answer > div:first-child tbody tr:visible")
    assert rows.count() == 27
    assert all(share.endswith(" %") for share in rows.locator("td:nth-child(3)").all_inner_texts())
    page.locator(".card summary").first.click()
    assert page.locator(".card td:visible").count() == 2 * 27


def pixels_of_the_marker(page) -> np.ndarray:
    """[n, 3] around it, which is on the screen."""
    page.locator(".map .plot").scroll_into_view_if_needed()
    x, y = page.evaluate(
        """() => {
            const plot = document.querySelector('.map .plot'), { xaxis, yaxis } = plot._fullLayout;
            const star = plot.data.at(-1), box = plot.getBoundingClientRect();
            const place = [xaxis._offset + xaxis.l2p(star.x[0]), yaxis._offset + yaxis.l2p(star.y[0])];
            return [box.x + place[0], box.y + place[1]];
        }"""
    )
    shot = page.screenshot(clip={"x": x - 15, "y": y - 15, "width": 30, "height": 30})
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).reshape(-1, 3)


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_marker_is_seen_on_every_colour(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 1200, "height": 2400})
    assert "your graph" in page.locator(".map .legend").text_content()
    for color in [None, "#9aa5b1", *VIRIDIS, *COLORS]:
        if color is not None:  # dots as large as the marker and more, so that it lies on this colour
            page.evaluate(
                """(color) => {
                    const plot = document.querySelector('.map .plot');
                    const dots = [...plot.data.keys()].slice(0, -1);
                    const marker = { "marker.size": 200, "marker.color": color, "marker.opacity": 1 };
                    return Plotly.restyle(plot, marker, dots).then(() => null);
                }""",
                color,
            )
        found = pixels_of_the_marker(page)
        assert (found.max(axis=1) < 60).sum() > 60, f"nothing dark on {color}"
        assert (found.min(axis=1) > 200).sum() > 60, f"nothing light on {color}"
