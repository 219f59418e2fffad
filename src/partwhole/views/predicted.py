"""What the report says of predictions: for graphs that were held out or, in older runs, for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from partwhole.labelled import LabelledMethod, Numbers
from partwhole.predictions import ACCURACY, Predictions, compare
from partwhole.semisupervised.targets import as_columns, as_numbers
from partwhole.store import GraphStore
from partwhole.views.held_out import HeldOut, read_held_out
from partwhole.views.plots import known_against_predicted

MANY = 6  # targets, from which on they are folded
HELD_OUT = "Held out: the model did not learn from these graphs."
CHOSEN_BY = " Its epoch was chosen by their error, so that new graphs may do a little worse."
BALANCED = "Balanced accuracy is the mean over classes; the majority share is what naming one class gives."
ALL = "Graphs that the model learned from count here too, if they are among these."


def predictions_section(
    estimator: LabelledMethod, store: GraphStore, found: Predictions, folder: Path
) -> dict[str, Any]:
    """Tables, and figures with their texts."""
    names = list(estimator.target_names_)
    held = read_held_out(folder, isinstance(estimator, Numbers))
    many = len(names) > MANY
    title = f"{len(names)} targets" if many else ", ".join(names)
    section = {"title": title, "many": many, "names": names}
    if not held:
        return section | _of_known(estimator, store, found)
    chosen = any("validation" in row for row in estimator.history_)
    return section | _of_held_out(held, HELD_OUT + CHOSEN_BY * chosen)


def _of_held_out(held: list[HeldOut], text: str) -> dict[str, Any]:
    measured = [(one, one.measures()) for one in held]
    measures = list(measured[0][1])
    rows = [
        [one.target, len(one.known), *(_shown(values[name]) for name in measures)] for one, values in measured
    ]
    plots = [
        (
            known_against_predicted(one.known, one.predicted, one.ids, one.target, "held out"),
            f"{one.target}: " + ", ".join(f"{name} {_shown(value)}" for name, value in values.items()),
        )
        for one, values in measured
        if one.is_number
    ]
    tables = [{"target": one.target, **table} for one in held if (table := one.confusion())]
    telling = "R²" if held[0].is_number else "balanced accuracy"
    if not held[0].is_number:
        text += f" {BALANCED}"
    return {
        "text": text,
        "columns": ["target", "graphs held out", *measures],
        "rows": rows,
        "summary": _span(telling, [values[telling] for _, values in measured]),
        "plots": plots,
        "confusions": tables,
    }


def _of_known(estimator: LabelledMethod, store: GraphStore, found: Predictions) -> dict[str, Any]:
    measured = compare(estimator, store, found)
    plots = []
    for row in measured:
        name = row["target"]
        if row["measure"] == ACCURACY:
            continue
        wanted = as_numbers(as_columns(store.target(name), len(store)), [name])[:, 0]
        known = ~np.isnan(wanted)
        dots = wanted[known], found.targets[name][known], store.ids[known]
        text = f"{name}: {row['measure']} {_shown(row['value'])}"
        plots.append((known_against_predicted(*dots, name, "known"), text))
    measure = measured[0]["measure"] if measured else ""
    return {
        "text": ALL,
        "columns": ["target", "graphs where it is known", measure],
        "rows": [[row["target"], row["graphs"], _shown(row["value"])] for row in measured],
        "summary": _span(measure, [row["value"] for row in measured]),
        "plots": plots,
    }


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def _span(name: str, values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "All targets"
    low, middle, high = (_shown(float(f(known))) for f in (np.min, np.median, np.max))
    return f"{len(values)} targets: {name} {low} to {high}, median {middle}"
