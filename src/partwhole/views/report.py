"""The report of a run: one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files import atomic_file
from partwhole.labelled import LabelledMethod
from partwhole.method import GraphMethod
from partwhole.predictions import ACCURACY, Predictions, compare, predicted
from partwhole.semisupervised.targets import as_columns, as_numbers
from partwhole.store import GraphStore
from partwhole.training.checkpoint import RunFolder
from partwhole.views.halos import COLORS
from partwhole.views.map import MOST_NODES, MOST_POINTS, draw, map_data, memberships_of, script_json
from partwhole.views.plots import known_against_predicted, plane, sizes_and_overlaps, training_curves

DRAWINGS = 8


def write_report(
    run: RunFolder, estimator: GraphMethod, store: GraphStore, results: list[dict[str, Any]]
) -> Path:
    """Training curve, map of the embeddings, learned subgraphs, protocol table, configuration."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise PartwholeError(
            "The report needs plotly; install it with `pip install 'partwhole[report]'`."
        ) from None
    shown = np.linspace(0, len(store) - 1, min(len(store), MOST_POINTS)).astype(int)
    part = store[shown]
    many = "all" if len(shown) == len(store) else f"{len(shown)} of"
    predictions: dict[str, Any] = {}
    found = Predictions({}, {})
    if isinstance(estimator, LabelledMethod):
        found = predicted(estimator, part)
        predictions = _predictions(estimator, part, found)
    memberships = memberships_of(estimator, part)
    saw = "which never saw a label" if not predictions else "which learned from the labels of some"
    epochs = f"{len(estimator.history_)} epochs, " if estimator.history_ else ""
    page = _template().render(
        title=f"partwhole: {store.name}",
        lead=f"{len(store)} graphs, method {estimator.method}, {epochs}run folder {run.path}",
        style=_file("style.css"),
        plotly=get_plotlyjs(),
        script=_file("map.js"),
        results=results,
        curve=_html(training_curves(estimator.history_)) if estimator.history_ else "",
        map=script_json(map_data(plane(estimator.transform(part)), part, memberships, found.targets)),
        map_text=f"The vectors of {many} {len(store)} graphs in the plane (t-SNE, or principal axes where "
        "there are fewer than ten); graphs that lie close are alike "
        f"to the model, {saw}. Point at a dot to see its graph; a click holds it.",
        predictions=predictions,
        colors=COLORS[: getattr(estimator, "num_subgraphs", 0)],
        cards=_cards(part, memberships),
        sizes=_html(sizes_and_overlaps(memberships)) if memberships else "",
        config=run.config_file.read_text(),
    )
    out = run.path / "report.html"
    with atomic_file(out) as temporary:
        temporary.write_text(page)
    return out


def _first_target(store: GraphStore) -> tuple[str, np.ndarray | None]:
    """Its name and values, where every graph has it."""
    return (store.schema.targets[0].name, store.labels) if store.has_labels else ("", None)


def _predictions(estimator: LabelledMethod, store: GraphStore, found: Predictions) -> dict[str, Any]:
    """How far predictions are from known targets, and a picture of each that is a number."""
    plots = []
    measured = compare(estimator, store, found)
    for name in (row["target"] for row in measured if row["measure"] != ACCURACY):
        wanted = as_numbers(as_columns(store.target(name), len(store)), [name])[:, 0]
        known = ~np.isnan(wanted)
        figure = known_against_predicted(wanted[known], found.targets[name][known], store.ids[known], name)
        plots.append(_html(figure))
    return {"measured": measured, "plots": plots, "targets": estimator.target_names_}


def _html(figure: Any) -> str:
    html: str = figure.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False})
    return html


def _cards(store: GraphStore, memberships: list[np.ndarray] | None) -> list[dict[str, str]]:
    """A few graphs, spread over the classes and the sizes."""
    if memberships is None:
        return []
    nodes = store.num_nodes
    candidates = np.flatnonzero((nodes > 0) & (nodes <= MOST_NODES))
    name, labels = _first_target(store)
    groups = [candidates]
    if labels is not None and labels.dtype.kind != "f" and len(candidates):
        groups = [candidates[labels[candidates] == c] for c in np.unique(labels[candidates])]
    cards = []
    for group in groups:
        by_size = group[np.argsort(nodes[group], kind="stable")]
        places = np.linspace(0, len(by_size) - 1, max(1, DRAWINGS // len(groups)) + 2)[1:-1]
        for i in np.unique(by_size[places.astype(int)]) if len(by_size) else []:
            graph = store[i]
            sizes = ", ".join(f"{size:.4g}" for size in memberships[i].sum(axis=1))
            label = f", {name} {labels[i]}" if labels is not None else ""
            text = f"graph {graph.id}{label}: {graph.num_nodes} nodes; nodes per subgraph {sizes}"
            cards.append({"svg": draw(graph, memberships[i]), "text": text})
    return cards[:DRAWINGS]


def _file(name: str) -> str:
    return files("partwhole.views").joinpath(name).read_text()


def _template() -> jinja2.Template:
    return jinja2.Environment(autoescape=True).from_string(_file("report.html"))
