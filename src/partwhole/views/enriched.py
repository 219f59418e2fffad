"""Which types of parts go with a target, as plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from partwhole.errors import PartwholeError
from partwhole.evaluation.chosen_target import with_target
from partwhole.graphs.store import GraphStore
from partwhole.parts.going_with import GoesWith, goes_with
from partwhole.views.halos import COLORS, color_of
from partwhole.views.plots import CaptionedPlot, empty_figure
from partwhole.views.shown_types import ShownTypes

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_TARGETS = 3
MOST_TYPES = 10
MOST_CLASSES = 6
CERTAIN = 0.05  # corrected p below which a type is said to go with the target


@dataclass(frozen=True)
class EnrichedSection:
    """One target, and the types that go with it."""

    target: str
    text: str
    plots: list[CaptionedPlot]


def enriched_sections(
    types: ShownTypes, store: GraphStore, first: str | None = None
) -> tuple[list[EnrichedSection], int]:
    """Sections for the first few targets of the graphs, and how many targets there are beyond these."""
    names = [column.name for column in store.schema.targets]
    names.sort(key=lambda name: name != first)  # the one asked for before the others
    sections = [section for name in names[:MOST_TARGETS] if (section := _section(types, store, name))]
    return sections, len(names[MOST_TARGETS:])


def _section(types: ShownTypes, store: GraphStore, target: str) -> EnrichedSection | None:
    """None where no graph has the target, or all have the same value."""
    try:
        known = with_target(store, target)
        counts = types.vocabulary.counts(known.store)
        found = goes_with(counts, known.values, is_number=known.is_number)
    except PartwholeError:
        return None
    shown = [row for row in found if counts[:, row.type].any()][:MOST_TYPES]
    certain = sum(row.corrected < CERTAIN for row in found)
    gaps = f" {known.unlabelled} graphs without it are left out." if known.unlabelled else ""
    text = f"{certain} of {len(found)} types go with {target} (corrected p below {CERTAIN:g}).{gaps}"
    effect = (
        "Spearman's rho between the number of such parts in a graph and the target."
        if known.is_number
        else "Effect: the share of the ranks' variance that classes explain, 0 to 1."
    )
    by = "p is corrected for the number of types (Benjamini-Hochberg). The most certain types come first."
    plots = [CaptionedPlot(_effects(shown, types.names, known.is_number), f"{effect} {by}")]
    if not known.is_number and len(shown[0].means) <= MOST_CLASSES:
        caption = "Mean number of such parts in a graph of each class."
        plots.append(CaptionedPlot(_means(shown, types.names), caption))
    return EnrichedSection(target, text, plots)


def _effects(rows: list[GoesWith], names: list[str], signed: bool) -> Figure:
    figure = _by_type(rows)
    figure.add_bar(
        x=[round(row.effect, 4) for row in rows],
        y=[names[row.type] for row in rows],
        orientation="h",
        name="Spearman's rho" if signed else "effect",
        marker_color=[color_of(row.type) for row in rows],
        text=[f"p {row.corrected:.1g}" for row in rows],
        textposition="auto",
        textangle=0,
        cliponaxis=False,
    )
    figure.update_xaxes(rangemode="tozero")
    return figure


def _means(rows: list[GoesWith], names: list[str]) -> Figure:
    figure = _by_type(rows)
    for k, label in enumerate(rows[0].means):
        figure.add_scatter(
            x=[round(row.means[label], 3) for row in rows],
            y=[names[row.type] for row in rows],
            name=label,
            mode="markers",
            marker={"size": 11, "color": COLORS[k]},
        )
    figure.update_xaxes(title="parts in a graph", rangemode="tozero")
    return figure


def _by_type(rows: list[GoesWith]) -> Figure:
    """A line for each type, the first on top."""
    figure = empty_figure(height=110 + 30 * len(rows))
    figure.update_yaxes(autorange="reversed", automargin=True, type="category", dtick=1)
    return figure
