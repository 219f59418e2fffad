"""Predictions for labelled graphs that a model did not learn from: what is told of a fit with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from partwhole.errors import PartwholeError
from partwhole.estimators.semi_supervised.measures import Measures, class_measures, number_measures
from partwhole.files.whole import atomic_file

COLUMNS, SURE = ("graph", "id", "target", "known", "predicted"), "probability"


@dataclass(frozen=True)
class Guess:
    """One target of the graphs that are held out."""

    target: str
    rows: np.ndarray  # [n] those that have it, among the graphs of the fit
    ids: np.ndarray  # [n]
    known: np.ndarray  # [n] as given
    predicted: np.ndarray  # [n]
    probability: np.ndarray | None  # [n] of the predicted class
    measures: Measures


@dataclass(frozen=True)
class HeldOut:
    """All targets, and in words which graphs are held out."""

    how: str
    guesses: list[Guess]

    def write(self, path: Path) -> None:
        """A row for each graph and target: graph, id, target, known, predicted, probability (of classes)."""
        rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        for guess in self.guesses:
            rows["graph"] += guess.rows.tolist()
            rows["id"] += [str(name) for name in guess.ids.tolist()]
            rows["target"] += [guess.target] * len(guess.rows)
            rows["known"] += [str(value) for value in guess.known.tolist()]
            rows["predicted"] += [str(value) for value in guess.predicted.tolist()]
        if any(guess.probability is not None for guess in self.guesses):
            rows[SURE] = [p for g in self.guesses if g.probability is not None for p in g.probability]
        with atomic_file(path) as temporary:
            csv.write_csv(pa.table(rows), temporary)


def read_held_out(path: Path, numbers: bool) -> list[Guess]:
    """What `write` wrote, target by target; nothing where the run was made before such a file was kept."""
    if not path.exists():
        return []
    texts = csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=False)
    try:
        table = csv.read_csv(path, convert_options=texts)
        rows = {name: np.array(table.column(name).to_pylist(), dtype=object) for name in COLUMNS}
        sure = table.column(SURE).to_numpy() if SURE in table.column_names else None
        places = rows["graph"].astype(np.int64)
        kind = float if numbers else str
        found = []
        for target in dict.fromkeys(rows["target"].tolist()):
            own = rows["target"] == target
            known, predicted = rows["known"][own].astype(kind), rows["predicted"][own].astype(kind)
            probability = None if sure is None else sure[own]
            measures = (
                number_measures(known, predicted) if numbers else _of_names(known, predicted, probability)
            )
            ids = rows["id"][own]
            found.append(Guess(target, places[own], ids, known, predicted, probability, measures))
    except (pa.ArrowException, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise PartwholeError(f"{path} is damaged ({reason}); restore it, or fit again.") from None
    return found


def _of_names(known: np.ndarray, predicted: np.ndarray, probability: np.ndarray | None) -> Measures:
    """Measures of classes by name. Of two, the probability of one tells that of the other, and the order."""
    classes = np.unique(np.concatenate([known, predicted]))
    codes, chosen = (np.searchsorted(classes, names) for names in (known, predicted))
    scores = None
    if probability is not None and len(classes) == 2:
        second = np.where(chosen == 1, probability, 1 - probability)
        scores = np.stack([1 - second, second], axis=1)
    return class_measures(codes, chosen, scores)


def number_guesses(
    names: Sequence[str], rows: np.ndarray, ids: np.ndarray, known: np.ndarray, predicted: np.ndarray
) -> list[Guess]:
    """`known` [n, T] with NaN where it is missing, `predicted` [n, T]."""
    guesses = []
    for name, y, p in zip(names, known.T, predicted.T):
        k = ~np.isnan(y)
        if k.any():
            measures = number_measures(y[k], p[k])
            guesses.append(Guess(name, rows[k], ids[k], y[k], p[k], None, measures))
    return guesses


def class_guesses(
    names: Sequence[str],
    rows: np.ndarray,
    ids: np.ndarray,
    codes: np.ndarray,
    probabilities: list[np.ndarray],
    labels: list[np.ndarray],
) -> list[Guess]:
    """`codes` [n, T] with NaN where they are missing; for each target `probabilities` [n, classes]."""
    guesses = []
    for name, y, p, called in zip(names, codes.T, probabilities, labels):
        k = ~np.isnan(y)
        if not k.any():
            continue
        wanted, chosen = y[k].astype(int), p[k].argmax(axis=1)
        measures = class_measures(wanted, chosen, p[k])
        sure = p[k].max(axis=1)
        guesses.append(Guess(name, rows[k], ids[k], called[wanted], called[chosen], sure, measures))
    return guesses
