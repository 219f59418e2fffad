"""The report of a run: one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import numpy as np

from partwhole.errors import PartwholeError
from partwhole.estimators.base import AnyEstimator
from partwhole.estimators.labelled import LabelledEstimator
from partwhole.estimators.semi_supervised.measures import ALL_MEASURES, SIMPLE_GUESSES
from partwhole.export.predictions import Predictions, predicted
from partwhole.files.whole import atomic_file
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder
from partwhole.views.halos import color_of
from partwhole.views.learned import maker_of_vectors
from partwhole.views.map import (
    MOST_POINTS,
    draw,
    map_data,
    memberships_of,
    part_sizes,
    script_json,
)
from partwhole.views.parts_section import parts_section, title_of, typical_graphs
from partwhole.views.plots import CaptionedPlot, overlaps, plane, sizes
from partwhole.views.predicted import predictions_section
from partwhole.views.shown_types import ShownTypes
from partwhole.views.training import training_plots

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SHOWN_TYPES = 6  # the others are folded


@dataclass(frozen=True)
class Card:
    """A graph with the halos of its subgraphs, and what is written below."""

    svg: str
    text: str
    sizes: list[str]  # nodes in each subgraph


def write_report(
    run: RunFolder,
    estimator: AnyEstimator,
    store: GraphStore,
    results: Sequence[Mapping[str, object]],
    out: Path,
    called: str,
) -> Path:
    """Write training curves, map of the embeddings, learned subgraphs, protocol table and configuration as a
    page to `out`. `called` is what the run is called in its first line."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise PartwholeError(
            "The report needs plotly; install it with `pip install 'partwhole[report]'`."
        ) from None
    shown = np.linspace(0, len(store) - 1, min(len(store), MOST_POINTS)).astype(int)
    on_map = store[shown]
    many = "all" if len(shown) == len(store) else f"{len(shown)} of"
    section, found = None, Predictions({}, {})
    if isinstance(estimator, LabelledEstimator):
        found = predicted(estimator, on_map)
        section = predictions_section(estimator, on_map, found, run.path)
    memberships, vectors = memberships_of(estimator, on_map), estimator.transform(on_map)
    types = ShownTypes.of(estimator, on_map)
    target = estimator.target_names_[0] if isinstance(estimator, LabelledEstimator) else _target(results)
    page = _template().render(
        title=f"partwhole: {store.name}",
        lead=f"{len(store)} graphs, {called}",
        style=_file("style.css"),
        plotly=get_plotlyjs(),
        script=_file("map.js"),
        results=results,
        measures=ALL_MEASURES,
        simple=SIMPLE_GUESSES,
        targets=len(store.schema.targets),
        curves=training_plots(estimator),
        map=script_json(map_data(plane(vectors), on_map, types, found.targets, vectors)),
        map_text=f"The vectors of {many} {len(store)} graphs in the plane (t-SNE, or principal axes where "
        "there are fewer than ten); graphs that lie close are alike "
        f"to {maker_of_vectors(estimator)}. Point at a dot to see its graph; a click holds it.",
        predictions=section,
        parts=None if types is None else parts_section(estimator, types, on_map, target),
        shown_types=SHOWN_TYPES,
        cards=_cards(on_map, memberships),
        totals=_totals(memberships or []),
        part_plots=_part_plots(memberships) if memberships else [],
        config=run.config_file.read_text(),
    )
    with atomic_file(out) as temporary:
        temporary.write_text(page)
    return out


def _target(results: Sequence[Mapping[str, object]]) -> str | None:
    """The target that is told from the vectors, if any."""
    return str(results[0]["target"]) if results else None


def _part_plots(memberships: list[np.ndarray]) -> list[CaptionedPlot]:
    shares = "Share of the nodes of a graph that each part holds; a box spans the middle half of the graphs."
    both = "Share of the nodes of this part that the other part holds as well."
    return [CaptionedPlot(sizes(memberships), shares), CaptionedPlot(overlaps(memberships), both)]


def _totals(memberships: list[np.ndarray]) -> list[str]:
    """Nodes in each part, over all graphs."""
    return (
        [f"{size:,.0f}" for size in np.sum([m.sum(axis=1) for m in memberships], axis=0)]
        if memberships
        else []
    )


def _html(figure: Figure) -> str:
    config = {"displaylogo": False, "responsive": True}
    return str(figure.to_html(config=config, full_html=False, include_plotlyjs=False))


def _cards(store: GraphStore, memberships: list[np.ndarray] | None) -> list[Card]:
    """A few graphs with the halos of their subgraphs."""
    if memberships is None:
        return []
    return [
        Card(
            draw(store[i], memberships[i]),
            title_of(store, i),
            [f"{size:g}" for size in part_sizes(memberships[i])],
        )
        for i in typical_graphs(store)
    ]


def _file(name: str) -> str:
    return files("partwhole.views").joinpath(name).read_text()


def _template() -> jinja2.Template:
    pages = jinja2.Environment(autoescape=True, trim_blocks=True)
    pages.filters["color"] = color_of
    pages.filters["html"] = _html
    return pages.from_string(_file("report.html"))
