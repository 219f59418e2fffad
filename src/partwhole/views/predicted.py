"""What the report says of predictions: for graphs that were held out or, in older runs, for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from partwhole.estimators.labelled import AnyLabelled, predicts_classes
from partwhole.estimators.semi_supervised.held_out import Guess, read_held_out
from partwhole.estimators.semi_supervised.labels import as_columns, as_numbers
from partwhole.estimators.semi_supervised.measures import ALL_MEASURES
from partwhole.export.predictions import ACCURACY, Predictions, compare
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder
from partwhole.views.plots import known_against_predicted

MANY = 6  # targets, from which on they are folded
FOLDED = "Held out: each of these graphs was predicted by a model that did not learn from it (folds)."
CHOOSING = (
    "Held out: the model did not learn from these graphs. Its epoch was chosen by their error, so that new "
    "graphs may do a little worse."
)
BALANCED = (
    "Balanced accuracy is the mean over classes; the largest class is what naming it always would give."
)
MOST_CLASSES = 12  # of a table that can be read
ALL = "Graphs that the model learned from count here too, if they are among these."


def predictions_section(
    estimator: AnyLabelled, store: GraphStore, found: Predictions, folder: Path
) -> dict[str, Any]:
    """Tables, and figures with their texts."""
    names = list(estimator.target_names_)
    numbers = not predicts_classes(estimator)
    held = read_held_out(RunFolder(folder).held_out_file, numbers)
    many = len(names) > MANY
    title = f"{len(names)} targets" if many else ", ".join(names)
    section = {"title": title, "many": many, "names": names}
    if not held:
        return section | _of_known(estimator, store, found)
    chosen = any("validation" in row for row in estimator.history_)
    return section | _of_held_out(held, CHOOSING if chosen else FOLDED, numbers)


def _of_held_out(held: list[Guess], text: str, numbers: bool) -> dict[str, Any]:
    names = [name for name in ALL_MEASURES if any(name in one.measures for one in held)]
    rows = [[one.target, len(one.known), *(_shown(one.measures.get(name)) for name in names)] for one in held]
    plots = [
        (
            known_against_predicted(one.known, one.predicted, one.ids, one.target, "held out"),
            f"{one.target}: " + ", ".join(f"{ALL_MEASURES[n]} {_shown(v)}" for n, v in one.measures.items()),
        )
        for one in (held if numbers else [])
    ]
    tables = [] if numbers else [{"target": one.target, **t} for one in held if (t := confusion(one))]
    telling = "r2" if numbers else "balanced_accuracy"
    return {
        "text": text if numbers else f"{text} {BALANCED}",
        "columns": ["target", "graphs held out", *(ALL_MEASURES[name] for name in names)],
        "rows": rows,
        "summary": _span(ALL_MEASURES[telling], [one.measures.get(telling) for one in held]),
        "plots": plots,
        "confusions": tables,
    }


def confusion(guess: Guess) -> dict[str, Any] | None:
    """Graphs by their known (rows) and predicted class (columns); None for too many classes."""
    classes = sorted({*guess.known.tolist(), *guess.predicted.tolist()})
    if len(classes) > MOST_CLASSES:
        return None
    pairs = list(zip(guess.known.tolist(), guess.predicted.tolist()))
    return {"classes": classes, "rows": [[pairs.count((k, p)) for p in classes] for k in classes]}


def _of_known(estimator: AnyLabelled, store: GraphStore, found: Predictions) -> dict[str, Any]:
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
