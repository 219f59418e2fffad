"""Arguments of commands that read graphs, and what these say of the graphs they have read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.errors import PartwholeError
from partwhole.sources.reading import Reading

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator
    from partwhole.graphs.store import GraphStore

MOST_TOLD = 5  # graphs that were left out; a file lists all of them

Run = Annotated[Path, typer.Argument(help="Folder of a run, or a pretrained encoder (molecules).")]
Data = Annotated[str, typer.Argument(help="A data set name or a path.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Stop at the first graph that cannot be read; otherwise such graphs are told and left out.",
    ),
]
Fallback = Annotated[
    bool,
    typer.Option(
        "--fallback",
        help="What the model never saw (a category, an attribute that is not there) counts as missing; "
        "otherwise it is an error.",
    ),
]
SmilesColumn = Annotated[
    str | None,
    typer.Option(
        "--smiles-column",
        help="The column of a table that holds SMILES. [default: found by its name, or by what stands in it]",
        show_default=False,
    ),
]


def read_for(
    estimator: AnyEstimator,
    data: str,
    strict: bool,
    fallback: bool,
    smiles_column: str | None,
    listed: Path | None = None,
) -> tuple[GraphStore, Reading]:
    """Read graphs as the fitted method learned them, and tell what there is to say about them."""
    from partwhole.sources.loading import read_graphs

    reading = Reading(estimator.schema_, strict, fallback, smiles_column=smiles_column)
    store = read_graphs(data, reading)
    tell(reading, listed)
    return store, reading


def tell(reading: Reading, listed: Path | None = None) -> None:
    """Say on standard error what there is to say about graphs that were read.

    `listed` is the file that lists what was left out, where one is written.
    """
    for note in reading.notes:
        print(note, file=sys.stderr)
    if not reading.left_out:
        return
    for place, reason in reading.left_out[:MOST_TOLD]:
        print(f"left out, {place}: {reason}", file=sys.stderr)
    listing = ""
    if listed is not None:
        _write_list(reading, listed)
        listing = f"; {listed} lists {'it' if len(reading.left_out) == 1 else 'them'}"
    print(f"{reading.told_left_out()}{listing}.", file=sys.stderr)


def _write_list(reading: Reading, out: Path) -> None:
    import pyarrow as pa
    from pyarrow import csv

    from partwhole.files.whole import atomic_file

    items = [place for place, _ in reading.left_out]
    table = pa.table({"item": items, "reason": [reason for _, reason in reading.left_out]})
    with atomic_file(out) as temporary:
        csv.write_csv(table, temporary)


def graphs_of_fit(estimator: AnyEstimator) -> str:
    """Find the graphs that a model was fitted to: a path, or the name of a data set."""
    from partwhole.sources.datasets.catalogue import knows

    data = estimator.about_["data"]
    if place := data.get("path"):
        return str(place)
    if not knows(data["name"]):
        raise PartwholeError(
            f"The graphs of the fit ({data['name']}) are not in a file; name graphs to show after the run."
        )
    return str(data["name"])
