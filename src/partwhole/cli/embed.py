"""`partwhole embed`: graphs to a Parquet file of vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwhole.cli.output import Json, print_json


def embed(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    data: Annotated[str, typer.Argument(help="A data set name or a path.")],
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
    json: Json = False,
) -> None:
    """Write one vector per graph: columns id, label (when known), embedding.

    Example: partwhole embed runs/mutag MUTAG --out mutag.parquet
    """
    from partwhole.methods.base import load_run
    from partwhole.sources.loading import load_graphs
    from partwhole.vectors import write_vectors

    estimator = load_run(run)
    store = load_graphs(data, schema=estimator.schema_)
    width = write_vectors(estimator, store, out)
    if json:
        print_json({"out": str(out), "data": store.name, "graphs": len(store), "width": width})
    else:
        print(f"Wrote {len(store)} vectors of width {width} to {out}.")
