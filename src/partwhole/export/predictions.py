"""Predictions of many graphs to a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from partwhole.errors import PartwholeError
from partwhole.estimators.labelled import AnyLabelled, predicts_classes
from partwhole.estimators.property.estimator import PropertyRegressor
from partwhole.estimators.semi_supervised.labels import as_codes, as_columns, as_numbers
from partwhole.export.vector_tables import ID
from partwhole.files.whole import atomic_file
from partwhole.graphs.store import GraphStore
from partwhole.sources.readers.molecule_table import IDS, MoleculeTable
from partwhole.sources.tables import column_names, named, read_table
from partwhole.sources.tables import values as cell_values

ACCURACY = "accuracy"
Value = str | int | float | bool | None  # a cell of a table
WRITERS = {".csv": csv.write_csv, ".parquet": parquet.write_table}


def check_suffix(out: Path) -> None:
    """Raise unless the name of the file ends in a format that is written."""
    if out.suffix.lower() not in WRITERS:
        raise PartwholeError(f"{out} is neither .csv nor .parquet; give a name that ends in one of these.")


@dataclass(frozen=True)
class Predictions:
    """What a model with labels says of G graphs."""

    targets: dict[str, np.ndarray]  # name -> [G] predicted values
    beside: dict[str, np.ndarray]  # of classes: `TARGET=CLASS` -> [G] its probability; of numbers: ends of an
    # interval that holds nine in ten, `TARGET_low` and `TARGET_high`, where the model tells


def predicted(estimator: AnyLabelled, store: GraphStore) -> Predictions:
    """Predict every target, and of classes their probabilities, in one pass over the graphs."""
    names = estimator.target_names_
    if isinstance(estimator, PropertyRegressor):
        middle, ends = estimator.predict_with_interval(store)
        known = [k for k in range(len(names)) if not np.isnan(ends[:, k]).all()]
        sides = {f"{names[k]}_{side}": ends[:, k, s] for k in known for s, side in enumerate(("low", "high"))}
        return Predictions(dict(zip(names, middle.T)), sides)
    if not predicts_classes(estimator):
        return Predictions(dict(zip(names, estimator.predict(store).reshape(len(store), -1).T)), {})
    labels_of, shares = estimator.labels(), estimator.probabilities(store)
    targets = {name: labels[p.argmax(axis=1)] for name, labels, p in zip(names, labels_of, shares)}
    chances: dict[str, np.ndarray] = {}
    for name, labels, p in zip(names, labels_of, shares):
        chances |= {f"{name}={label}": p[:, k] for k, label in enumerate(labels)}
    return Predictions(targets, chances)


def table_of(data: str) -> pa.Table | None:
    """Read the table of molecules that the graphs come from, if any; names of its rows to the letter."""
    path = Path(data)
    if not MoleculeTable.accepts(path):
        return None
    return read_table(path, [named(column_names(path), IDS)])


def as_table(found: Predictions, store: GraphStore, data: str = "") -> pa.Table:
    """Give columns id, those of the input, every target and, of classes, their probabilities.

    A target whose name the input has itself is called NAME_predicted.
    """
    columns = {ID: pa.array(store.ids.tolist())}
    table = table_of(data)
    if table is not None:
        rows = table.take(store.rows)
        columns |= {name: rows.column(name) for name in rows.column_names if name.lower() != ID}
    else:
        columns |= {c.name: pa.array(store.target(c.name).tolist()) for c in store.schema.targets}
    for name, values in (found.targets | found.beside).items():
        own = f"{name}_predicted" if name in columns else name
        if own in columns:
            raise PartwholeError(
                f"The input has a column {own!r}, which is to be written; name it otherwise."
            )
        columns[own] = pa.array(values.tolist())
    return pa.table(columns)


def filled(table: pa.Table, found: Predictions, rows: list[int]) -> pa.Table:
    """Put predictions into the gaps of a table's targets, and add a column that tells which are such.

    Graph k is the row `rows[k]` of the table; other rows keep their gaps.
    """
    for name, values in found.targets.items():
        if name not in table.column_names:
            raise PartwholeError(f"The table has no column {name!r} to fill; leave --fill out.")
        if (mark := f"{name}_filled") in table.column_names:
            raise PartwholeError(
                f"The table has a column {mark!r} already; fill the table that it came from."
            )
        cells = cell_values(table.column(name))
        as_cell = _like(cells)
        predicted = {row: as_cell(value) for row, value in zip(rows, values.tolist())}
        gaps = {row for row in rows if cells[row] is None}
        full = [predicted[row] if row in gaps else cell for row, cell in enumerate(cells)]
        table = table.set_column(table.column_names.index(name), name, pa.array(full))
        table = table.append_column(mark, pa.array([row in gaps for row in range(len(cells))]))
    return table


def _like(cells: list[Value]) -> Callable[[str | float], Value]:
    """What turns a prediction into a cell of the same column."""
    types = {type(cell) for cell in cells if cell is not None}
    if types == {bool}:
        return lambda value: bool(int(value))
    return str if str in types else lambda value: value


def write_table(table: pa.Table, out: Path) -> None:
    """Write CSV or Parquet, by the name of the file, which appears whole or not at all."""
    with atomic_file(out) as temporary:
        WRITERS[out.suffix.lower()](table, temporary)


class Agreement(TypedDict):
    """How well the predictions of one target agree with what is known."""

    target: str
    graphs: int  # where it is known
    measure: str
    value: float


def compare(estimator: AnyLabelled, store: GraphStore, found: Predictions) -> list[Agreement]:
    """Tell how far predictions are from the targets that the data set has itself."""
    told: list[Agreement] = []
    has = {column.name for column in store.schema.targets}
    for place, (name, values) in enumerate(found.targets.items()):
        if name not in has:
            continue
        columns = as_columns(store.target(name), len(store))
        if predicts_classes(estimator):
            classes = estimator.labels()[place]
            wanted = as_codes(columns, [classes], [name])[:, 0]
            measure, errors = ACCURACY, classes[np.nan_to_num(wanted).astype(int)] == values
        else:
            wanted = as_numbers(columns, [name])[:, 0]
            measure, errors = "mean absolute error", np.abs(values - wanted)
        known = ~np.isnan(wanted)
        if known.any():
            value = float(np.mean(errors[known]))
            told.append({"target": name, "graphs": int(known.sum()), "measure": measure, "value": value})
    return told
