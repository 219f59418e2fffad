"""Interactive plots for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

from partwhole.views.halos import COLORS, color_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

History = Sequence[Mapping[str, float]]  # what was logged, a row for each epoch

LAYOUT = {
    "template": "plotly_white",
    "paper_bgcolor": "rgba(0,0,0,0)",  # the page may be light or dark
    "plot_bgcolor": "rgba(0,0,0,0)",
    "margin": {"l": 56, "r": 12, "t": 34, "b": 45},
    "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#9aa5b1", "activecolor": "#0072B2"},
    "font": {"family": "system-ui, sans-serif", "size": 13, "color": "#7b8794"},
    "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    "showlegend": True,
}
LINES = {"gridcolor": "rgba(128,128,128,0.2)", "zerolinecolor": "rgba(128,128,128,0.3)"}
HEIGHT = 320  # pixels
HINT = {"color": "#9aa5b1", "dash": "dash", "width": 2}  # a line to compare with

SPREAD = 100  # from the least to the largest, from which on a scale is logarithmic
FEW_EPOCHS = 10  # each of which has its tick
LONGEST_NAME = 30  # of a target beside an axis


class CaptionedPlot(NamedTuple):
    """A plot, and the sentence under it."""

    figure: Figure
    text: str


def curves(history: History, names: Mapping[str, str]) -> Figure:
    """What was logged under `names`, each with its title, by epoch; what spans orders of magnitude on a scale
    of these."""
    figure = empty_figure()
    for color, (name, title) in enumerate(names.items()):
        rows = [row for row in history if name in row]
        figure.add_scatter(
            x=[row["epoch"] for row in rows],
            y=[row[name] for row in rows],
            name=title,
            mode=_mode(rows),
            line={"color": COLORS[color], "width": 2},
        )
    figure.update_xaxes(title="epoch", dtick=1 if len(history) <= FEW_EPOCHS else None)
    values = [row[name] for row in history for name in names if name in row]
    if 0 < SPREAD * min(values) < max(values):
        figure.update_yaxes(type="log", dtick=1)
    return figure


def information_curve(history: History, nothing: float) -> Figure:
    """The estimate of mutual information by epoch, and that of one who knows nothing. The paper's begins
    thousands below, so that such an estimate is shown by its order of magnitude."""
    figure = empty_figure()
    epochs = [row["epoch"] for row in history]
    found = [row["mutual_information"] for row in history]
    below = nothing < 0 and max(found) < 0 and min(found) < SPREAD * nothing
    sign = -1 if below else 1  # a logarithm needs numbers above 0; the axis is turned around
    line = {"color": COLORS[0], "width": 2}
    shown = {
        "text": [f"{value:.4g}" for value in found],
        "hovertemplate": "epoch %{x}: %{text}<extra></extra>",
    }
    values = [sign * value for value in found]
    figure.add_scatter(x=epochs, y=values, name="estimate", mode=_mode(history), line=line, **shown)
    level = [sign * nothing] * 2
    ends = [epochs[0], epochs[-1]]
    title = f"knowing nothing ({nothing:.2f})".replace("-", "\N{MINUS SIGN}")
    figure.add_scatter(x=ends, y=level, name=title, mode="lines", line=HINT, hoverinfo="skip")
    figure.update_xaxes(title="epoch", dtick=1 if len(history) <= FEW_EPOCHS else None)
    if below:
        powers = range(-4, 12)
        texts = [f"\N{MINUS SIGN}{10.0**p:,.10g}" for p in powers]
        ticks = {"tickvals": [10.0**p for p in powers], "ticktext": texts}
        figure.update_yaxes(type="log", autorange="reversed", **ticks)
    return figure


def sizes(memberships: list[np.ndarray]) -> Figure:
    """The share of the nodes that each part holds, over the graphs."""
    shares = np.array([m.mean(axis=1) for m in memberships if m.shape[1]])  # [graphs, S]
    figure = empty_figure()
    for k in range(shares.shape[1]):
        look = {"marker_color": color_of(k), "boxpoints": False}
        figure.add_box(y=np.round(shares[:, k], 4), x0=str(k + 1), name=f"part {k + 1}", **look)
    figure.update_xaxes(title="part", type="category")
    figure.update_yaxes(title="share of the nodes", range=[0, 1.02], tickformat=".0%")
    return figure


def overlaps(memberships: list[np.ndarray]) -> Figure:
    """The share of the nodes of one part (row) that another (column) holds as well."""
    both = sum(m @ m.T for m in memberships)  # [S, S]
    overlap = both / np.maximum(np.sum([m.sum(axis=1) for m in memberships], axis=0)[:, None], 1e-12)
    names = [str(k + 1) for k in range(len(overlap))]
    shown = {"text": np.round(overlap, 2), "texttemplate": "%{text:.2f}"}
    bar = {"title": "share", "thickness": 12, "tickformat": ".0%"}
    figure = empty_figure()
    figure.add_heatmap(z=overlap, x=names, y=names, zmin=0, zmax=1, colorscale="Blues", colorbar=bar, **shown)
    figure.update_xaxes(title="that part", type="category")
    figure.update_yaxes(title="this part", autorange="reversed", type="category")
    return figure


def known_against_predicted(
    known: np.ndarray, predicted: np.ndarray, ids: np.ndarray, name: str, graphs: str
) -> Figure:
    """One dot a graph; on the line, the prediction is right. `graphs` says which these are."""
    figure = empty_figure(height=440)
    ends = [float(np.min([known, predicted])), float(np.max([known, predicted]))]
    figure.add_scatter(x=ends, y=ends, name="right", mode="lines", line=HINT, hoverinfo="skip")
    figure.add_scattergl(
        x=known,
        y=predicted,
        name=graphs,
        mode="markers",
        text=[f"graph {i}" for i in ids],
        marker={"size": 6, "opacity": 0.6, "color": COLORS[0]},
    )
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    figure.update_xaxes(title=f"{short}, known")
    figure.update_yaxes(title=f"{short}, predicted")
    return figure


def empty_figure(height: int = HEIGHT) -> Figure:
    """With lines that are seen on a light page and on a dark one."""
    from plotly import graph_objects as go

    figure = go.Figure(layout=LAYOUT | {"height": height})
    figure.update_xaxes(**LINES)
    figure.update_yaxes(**LINES)
    return figure


def _mode(rows: History) -> str:
    """A line through one or two points would not show where they are."""
    return "lines" if len(rows) > 2 else "lines+markers"


def plane(vectors: np.ndarray) -> np.ndarray:
    """Places [n, 2] of vectors [n, d]: t-SNE of the standardised vectors; principal axes for a handful."""
    spread = vectors.std(axis=0)
    scaled = (vectors - vectors.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0)
    if len(scaled) < 10:
        padded = np.pad(scaled, ((0, 0), (0, max(0, 2 - scaled.shape[1]))))
        return PCA(2).fit_transform(padded) if len(scaled) > 1 else np.zeros((len(scaled), 2))
    perplexity = min(30.0, (len(scaled) - 1) / 3)
    points: np.ndarray = TSNE(perplexity=perplexity, init="pca", random_state=0).fit_transform(scaled)
    return points
