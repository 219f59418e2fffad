"""What the report says of predictions: for graphs that were held out or, in older runs, for all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partwhole.estimators.labelled import AnyLabelled, predicts_classes
from partwhole.estimators.semi_supervised.held_out import Guess, read_held_out
from partwhole.estimators.semi_supervised.labels import as_columns, as_numbers
from partwhole.estimators.semi_supervised.measures import ALL_MEASURES
from partwhole.export.predictions import ACCURACY, Predictions, compare
from partwhole.graphs.store import GraphStore
from partwhole.runs.folder import RunFolder
from partwhole.views.plots import CaptionedPlot, known_against_predicted

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


@dataclass(frozen=True)
class ConfusionTable:
    """Graphs by their known (rows) and predicted class (columns), for one target."""

    target: str
    classes: list[str]
    rows: list[list[int]]


@dataclass(frozen=True)
class PredictionsSection:
    """A table of measures with a row for each target, and plots."""

    names: list[str]  # of all targets, also of those without a row
    text: str
    columns: list[str]
    rows: list[list[str | int]]
    summary: str  # in place of the table, where it is folded
    plots: list[CaptionedPlot]
    confusions: list[ConfusionTable]
    of_classes: bool

    @property
    def many(self) -> bool:
        """Whether there are so many targets that they are folded."""
        return len(self.names) > MANY

    @property
    def title(self) -> str:
        """The names of the targets, or their number."""
        return f"{len(self.names)} targets" if self.many else ", ".join(self.names)


def predictions_section(
    estimator: AnyLabelled, store: GraphStore, found: Predictions, folder: Path
) -> PredictionsSection:
    """The section of a run: by its graphs that were held out or, where it kept none, by all of `store`."""
    numbers = not predicts_classes(estimator)
    held = read_held_out(RunFolder(folder).held_out_file, numbers)
    if not held:
        return _by_known(estimator, store, found)
    chosen = any("validation" in row for row in estimator.history_)
    return _by_held_out(list(estimator.target_names_), held, CHOOSING if chosen else FOLDED, numbers)


def _by_held_out(names: list[str], held: list[Guess], text: str, numbers: bool) -> PredictionsSection:
    measures = [name for name in ALL_MEASURES if any(name in one.measures for one in held)]
    plots = [
        CaptionedPlot(
            known_against_predicted(one.known, one.predicted, one.ids, one.target, "held out"),
            f"{one.target}: " + ", ".join(f"{ALL_MEASURES[n]} {_shown(v)}" for n, v in one.measures.items()),
        )
        for one in (held if numbers else [])
    ]
    telling = "r2" if numbers else "balanced_accuracy"
    return PredictionsSection(
        names,
        text=text if numbers else f"{text} {BALANCED}",
        columns=["target", "graphs held out", *(ALL_MEASURES[name] for name in measures)],
        rows=[
            [one.target, len(one.known), *(_shown(one.measures.get(name)) for name in measures)]
            for one in held
        ],
        summary=_span(ALL_MEASURES[telling], [one.measures.get(telling) for one in held]),
        plots=plots,
        confusions=[] if numbers else [table for one in held if (table := confusion(one))],
        of_classes=not numbers,
    )


def confusion(guess: Guess) -> ConfusionTable | None:
    """The table of one target; None for too many classes."""
    classes = sorted({*guess.known.tolist(), *guess.predicted.tolist()})
    if len(classes) > MOST_CLASSES:
        return None
    pairs = list(zip(guess.known.tolist(), guess.predicted.tolist()))
    rows = [[pairs.count((known, predicted)) for predicted in classes] for known in classes]
    return ConfusionTable(guess.target, classes, rows)


def _by_known(estimator: AnyLabelled, store: GraphStore, found: Predictions) -> PredictionsSection:
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
        plots.append(CaptionedPlot(known_against_predicted(*dots, name, "known"), text))
    measure = measured[0]["measure"] if measured else ""
    return PredictionsSection(
        list(estimator.target_names_),
        text=ALL,
        columns=["target", "graphs where it is known", measure],
        rows=[[row["target"], row["graphs"], _shown(row["value"])] for row in measured],
        summary=_span(measure, [row["value"] for row in measured]),
        plots=plots,
        confusions=[],
        of_classes=predicts_classes(estimator),
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def _span(name: str, values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "All targets"
    low, middle, high = (_shown(float(f(known))) for f in (np.min, np.median, np.max))
    return f"{len(values)} targets: {name} {low} to {high}, median {middle}"
