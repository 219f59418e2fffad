"""`partwhole predict`: the targets of graphs, by a run that was fitted with labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, Overwrite, print_json, print_table, require_other_file
from partwhole.cli.reading import Data, Fallback, SmilesColumn, Strict, read_for
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    import pyarrow as pa

    from partwhole.export.predictions import Agreement, Predictions
    from partwhole.graphs.store import GraphStore

MOST_TOLD = 5  # targets; the file has all of them


def predict(
    run: Annotated[Path, typer.Argument(help="Folder of a run that was fitted with --target.")],
    data: Data,
    out: Annotated[Path, typer.Option(help="CSV or Parquet file to write.")],
    fill: Annotated[
        bool,
        typer.Option(
            "--fill",
            help="Write the table of molecules itself with the gaps of its targets filled; TARGET_filled "
            "tells which were gaps.",
        ),
    ] = False,
    smiles_column: SmilesColumn = None,
    strict: Strict = False,
    fallback: Fallback = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a row for each graph: its id, the columns of the input, and every target; of classes also their
    probabilities. Where the input has a column of that name itself, the prediction is TARGET_predicted.

    Where the data set has the targets itself, the error on the known ones is told.

    Example: partwhole predict runs/solubility new.csv --out predictions.csv
    """
    from partwhole.estimators.labelled import LabelledEstimator
    from partwhole.estimators.loading import load_run
    from partwhole.export.predictions import as_table, check_suffix, compare, predicted, write_table

    check_suffix(out)
    require_other_file([out], data, overwrite)
    estimator = load_run(run)
    if not isinstance(estimator, LabelledEstimator):
        raise PartwholeError(
            f"The run in {run} was fitted without labels and predicts nothing; fit with --target, or use "
            "`partwhole embed`."
        )
    listed = out.with_suffix(".left_out.csv")
    store, reading = read_for(estimator, data, strict, fallback, smiles_column, listed)
    found = predicted(estimator, store)
    known = compare(estimator, store, found)
    write_table(filled_table(data, found, store) if fill else as_table(found, store, data), out)
    if json:
        names = {"targets": estimator.target_names_, "known": known, "left_out": len(reading.left_out)}
        print_json({"out": str(out), "data": store.name, "graphs": len(store), **names})
    else:
        _print_summary(estimator.target_names_, known, f"{len(store)} graphs to {out}")


def _print_summary(names: list[str], known: list[Agreement], where: str) -> None:
    shown = ", ".join(names[:MOST_TOLD])
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    print(f"Wrote {shown}{more} of {where}.")
    if known:
        rows = [[e["target"], str(e["graphs"]), e["measure"], f"{e['value']:.4g}"] for e in known]
        header = ["target", "graphs", "measure", "value"]
        note = "Graphs that the model learned from count here too, if they are among these."
        print_table("Where the target is known", header, rows, numbers=["graphs", "value"], note=note)


def filled_table(data: str, found: Predictions, store: GraphStore) -> pa.Table:
    """Fill the gaps of the table `data` with predictions; raise where it is no table."""
    from partwhole.export.predictions import filled, table_of

    table = table_of(data)
    if table is None:
        raise PartwholeError(f"--fill writes a table of molecules again, and {data} is none; leave it out.")
    return filled(table, found, store.rows.tolist())
