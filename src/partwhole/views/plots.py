"""Interactive plots for the report."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

from partwhole.views.halos import COLORS

LAYOUT = {
    "template": "plotly_white",
    "paper_bgcolor": "rgba(0,0,0,0)",  # the page may be light or dark
    "plot_bgcolor": "rgba(0,0,0,0)",
    "margin": {"l": 50, "r": 20, "t": 20, "b": 45},
    "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#9aa5b1", "activecolor": "#0072B2"},
    "height": 380,
    "font": {"family": "system-ui, sans-serif", "size": 13, "color": "#7b8794"},
}


def training_curves(history: list[dict[str, Any]]) -> Any:
    """Left the loss by epoch, with the error on graphs held out where there are such; right how the nodes
    of a graph are shared among its subgraphs."""
    from plotly.subplots import make_subplots

    held_out = ", and the error on graphs held out" if "validation" in history[-1] else ""
    subgraphs = "largest" in history[-1]
    titles = (f"loss{held_out}", "nodes in the largest and the smallest subgraph")
    figure = make_subplots(1, 1 + subgraphs, subplot_titles=titles[: 1 + subgraphs])
    curves = (
        ("loss", "loss", 0, 1),
        ("validation", "held out", 3, 1),
        ("largest", "largest", 2, 2),
        ("smallest", "smallest", 1, 2),
    )
    for name, title, color, column in curves:
        rows = [row for row in history if name in row]
        if not rows:
            continue
        figure.add_scatter(
            x=[row["epoch"] for row in rows],
            y=[row[name] for row in rows],
            name=title,
            mode="lines",
            line={"color": COLORS[color], "width": 2},
            row=1,
            col=column,
        )
    figure.update_layout(**LAYOUT | {"margin": {"l": 50, "r": 20, "t": 64, "b": 45}}, showlegend=False)
    _quiet(figure)
    figure.update_xaxes(title="epoch")
    if all(row["loss"] > 0 for row in history):  # spans orders of magnitude with the dot score
        figure.update_yaxes(type="log", dtick=1, row=1, col=1)
    if subgraphs:
        figure.update_yaxes(range=[0, 1.02], tickformat=".0%", row=1, col=2)
    return figure


def sizes_and_overlaps(memberships: list[np.ndarray]) -> Any:
    """Left the share of nodes that each subgraph holds, over the graphs; right the share of the nodes of one
    subgraph (row) that another (column) holds as well."""
    from plotly.subplots import make_subplots

    shares = np.array([m.mean(axis=1) for m in memberships if m.shape[1]])  # [graphs, S]
    both = sum(m @ m.T for m in memberships)  # [S, S]
    overlap = both / np.maximum(np.sum([m.sum(axis=1) for m in memberships], axis=0)[:, None], 1e-12)
    names = [str(k + 1) for k in range(shares.shape[1])]
    figure = make_subplots(1, 2, subplot_titles=("share of the nodes", "overlap"), column_widths=[0.6, 0.4])
    for k, name in enumerate(names):
        look = {"marker_color": COLORS[k % len(COLORS)], "boxpoints": False}
        figure.add_box(y=np.round(shares[:, k], 4), name=name, **look, row=1, col=1)
    shown = {"text": np.round(overlap, 2), "texttemplate": "%{text:.2f}", "showscale": False}
    figure.add_heatmap(z=overlap, x=names, y=names, zmin=0, zmax=1, colorscale="Blues", **shown, row=1, col=2)
    figure.update_layout(**LAYOUT | {"margin": {"l": 50, "r": 20, "t": 64, "b": 45}}, showlegend=False)
    _quiet(figure)
    figure.update_xaxes(title="subgraph", type="category")
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", row=1, col=1)
    figure.update_yaxes(autorange="reversed", type="category", row=1, col=2)
    return figure


def known_against_predicted(known: np.ndarray, predicted: np.ndarray, ids: np.ndarray, name: str) -> Any:
    """One dot a graph; on the line, the prediction is right."""
    from plotly import graph_objects as go

    figure = go.Figure(layout=LAYOUT | {"height": 460})
    ends = [float(np.min([known, predicted])), float(np.max([known, predicted]))]
    figure.add_scatter(x=ends, y=ends, mode="lines", line={"color": "#9aa5b1"}, hoverinfo="skip")
    figure.add_scattergl(
        x=known,
        y=predicted,
        mode="markers",
        text=[f"graph {i}" for i in ids],
        marker={"size": 6, "opacity": 0.6, "color": COLORS[0]},
    )
    figure.update_layout(showlegend=False)
    _quiet(figure)
    figure.update_xaxes(title=f"{name}, known")
    figure.update_yaxes(title=f"{name}, predicted")
    return figure


def _quiet(figure: Any) -> None:
    """Lines that are seen on a light page and on a dark one."""
    lines = {"gridcolor": "rgba(128,128,128,0.2)", "zerolinecolor": "rgba(128,128,128,0.3)"}
    figure.update_xaxes(**lines)
    figure.update_yaxes(**lines)


def plane(vectors: np.ndarray) -> np.ndarray:
    """[n, d] -> [n, 2]: t-SNE of the standardised vectors; principal axes for a handful."""
    spread = vectors.std(axis=0)
    scaled = (vectors - vectors.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0)
    if len(scaled) < 10:
        padded = np.pad(scaled, ((0, 0), (0, max(0, 2 - scaled.shape[1]))))
        return PCA(2).fit_transform(padded) if len(scaled) > 1 else np.zeros((len(scaled), 2))
    perplexity = min(30.0, (len(scaled) - 1) / 3)
    points: np.ndarray = TSNE(perplexity=perplexity, init="pca", random_state=0).fit_transform(scaled)
    return points
