"""The report of a run: one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.estimator import SubgraphInfoMax
from partwhole.files import atomic_file
from partwhole.store import GraphStore
from partwhole.training.checkpoint import RunFolder
from partwhole.views.drawing import COLORS, draw_subgraphs
from partwhole.views.plots import MOST_POINTS, embedding_map, training_curves

DRAWINGS = 8
MOST_NODES = 120  # of a drawing that can still be read


def write_report(
    run: RunFolder, estimator: SubgraphInfoMax, store: GraphStore, results: list[dict[str, Any]]
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
    labels = part.labels if store.has_labels else None
    figure = embedding_map(estimator.transform(part), labels, part.ids)
    many = "all" if len(shown) == len(store) else f"{len(shown)} of"
    template = jinja2.Environment(autoescape=True).from_string(
        files("partwhole.views").joinpath("report.html").read_text()
    )
    page = template.render(
        title=f"partwhole: {store.name}",
        lead=f"{len(store)} graphs, method {estimator.method}, {len(estimator.history_)} epochs, "
        f"run folder {run.path}",
        plotly=f"<script>{get_plotlyjs()}</script>",
        results=results,
        curve=_html(training_curves(estimator.history_)) if estimator.history_ else "",
        map=_html(figure),
        map_text=f"The vectors of {many} {len(store)} graphs by t-SNE; graphs that lie close are alike "
        "to the model, which never saw a label.",
        colors=COLORS[: estimator.num_subgraphs],
        cards=_cards(estimator, store),
        config=run.config_file.read_text(),
    )
    out = run.path / "report.html"
    with atomic_file(out) as temporary:
        temporary.write_text(page)
    return out


def _html(figure: Any) -> str:
    html: str = figure.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False})
    return html


def _cards(estimator: SubgraphInfoMax, store: GraphStore) -> list[dict[str, str]]:
    """A few graphs, spread over the classes and the sizes."""
    nodes = store.num_nodes
    candidates = np.flatnonzero((nodes > 0) & (nodes <= MOST_NODES))
    if store.has_labels and len(candidates):
        groups = [candidates[store.labels[candidates] == c] for c in np.unique(store.labels[candidates])]
    else:
        groups = [candidates]
    cards = []
    for group in groups:
        by_size = group[np.argsort(nodes[group], kind="stable")]
        places = np.linspace(0, len(by_size) - 1, DRAWINGS // len(groups) + 2)[1:-1]
        for i in by_size[places.astype(int)] if len(by_size) else []:
            graph = store[i]
            membership = estimator.subgraphs(graph)
            sizes = ", ".join(f"{size:.4g}" for size in membership.sum(axis=1))
            label = f", class {store.labels[i]}" if store.has_labels else ""
            text = f"graph {graph.id}{label}: {graph.num_nodes} nodes; nodes per subgraph {sizes}"
            cards.append({"svg": draw_subgraphs(graph, membership), "text": text})
    return cards
