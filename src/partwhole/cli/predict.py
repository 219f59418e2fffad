"""`partwhole predict`: the targets of graphs, by a run that was fitted with labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, print_json, print_table
from partwhole.cli.reading import Fallback, Strict, tell
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    import pyarrow as pa

    from partwhole.predictions import Predictions
    from partwhole.sources.reading import Reading


def predict(
    run: Annotated[Path, typer.Argument(help="Folder of a run that was fitted with --target.")],
    data: Annotated[str, typer.Argument(help="A data set name or a path.")],
    out: Annotated[Path, typer.Option(help="CSV or Parquet file to write.")],
    fill: Annotated[
        bool,
        typer.Option(
            "--fill",
            help="Write the table of molecules itself with the gaps of its targets filled; TARGET_filled "
            "tells which were gaps.",
        ),
    ] = False,
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Write a row for each graph: its id and every target; of classes also their probabilities.

    Where the data set has the targets itself, the error on the known ones is told.

    Example: partwhole predict runs/solubility new.csv --out predictions.csv
    """
    from partwhole.labelled import LabelledMethod
    from partwhole.method import load_run
    from partwhole.predictions import as_table, check_suffix, compare, predicted, write_table
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading

    check_suffix(out)
    estimator = load_run(run)
    if not isinstance(estimator, LabelledMethod):
        raise PartwholeError(
            f"The run in {run} was fitted without labels and predicts nothing; fit with --target, or use "
            "`partwhole embed`."
        )
    reading = Reading(estimator.schema_, strict, fallback)
    store = read_graphs(data, reading)
    tell(reading, out.with_suffix(".left_out.csv"))
    found = predicted(estimator, store)
    known = compare(estimator, store, found)
    write_table(filled_table(data, found, reading) if fill else as_table(found, store), out)
    if json:
        names = {"targets": estimator.target_names_, "known": known}
        names |= {"left_out": len(reading.left_out)}
        print_json({"out": str(out), "data": store.name, "graphs": len(store), **names})
        return
    print(f"Wrote {', '.join(estimator.target_names_)} of {len(store)} graphs to {out}.")
    if known:
        rows = [[e["target"], str(e["graphs"]), e["measure"], f"{e['value']:.4g}"] for e in known]
        header = ["target", "graphs", "measure", "value"]
        note = "Graphs that the model learned from count here too, if they are among these."
        print_table("Where the target is known", header, rows, numbers=["graphs", "value"], note=note)


def filled_table(data: str, found: Predictions, reading: Reading) -> pa.Table:
    """The table `data` with its gaps filled."""
    from partwhole.predictions import filled
    from partwhole.sources.molecule_table import MoleculeTable
    from partwhole.sources.tables import read_table

    if not MoleculeTable.accepts(Path(data)):
        raise PartwholeError(f"--fill writes a table of molecules again, and {data} is none; leave it out.")
    table, failed = read_table(Path(data)), {item for item, _ in reading.left_out}
    return filled(table, found, [row for row in range(table.num_rows) if row not in failed])
