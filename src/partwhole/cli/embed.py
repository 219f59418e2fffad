"""`partwhole embed`: graphs to a Parquet file of vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwhole.cli.cluster import Ray
from partwhole.cli.output import Json, print_json
from partwhole.cli.reading import Fallback, Strict, tell
from partwhole.errors import PartwholeError


def embed(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    data: Annotated[str, typer.Argument(help="A data set name or a path.")],
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
    ray: Ray = None,
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Write one vector per graph: columns id, label (when known), embedding.

    Of a table, all its columns stay. Memory holds a few thousand molecules at a time.

    Example: partwhole embed runs/mutag MUTAG --out mutag.parquet
    """
    from partwhole.methods.base import load_run
    from partwhole.remote import embedded_by
    from partwhole.sources.base import Piece
    from partwhole.sources.loading import read_graphs, read_pieces, shards_of
    from partwhole.sources.reading import Reading
    from partwhole.vectors import vector_tables, write_vectors
    from partwhole.workers.cluster import RayCluster

    if out.suffix.lower() in (".csv", ".tsv", ".json", ".npy"):  # which it would not be
        raise PartwholeError(f"Vectors are written as Parquet; give {out.name} a name that ends in .parquet.")
    estimator = load_run(run)
    reading = Reading(estimator.schema_, strict, fallback)
    if ray is not None and estimator.embeds_new_graphs:
        shards, total = shards_of(data, reading)
        with RayCluster(ray) as cluster:
            graphs, width = write_vectors(embedded_by(cluster, run, shards, reading), total, out)
    else:
        if estimator.embeds_new_graphs:
            pieces, total = read_pieces(data, reading)
        else:  # all at once, and there is nothing to compute
            pieces, total = iter([Piece(read_graphs(data, reading))]), None
        tables = (table for piece in pieces for table in vector_tables(estimator, piece))
        graphs, width = write_vectors(tables, total, out)
    tell(reading, out.with_suffix(".left_out.csv"))
    left_out = len(reading.left_out)
    if json:
        print_json({"out": str(out), "data": data, "graphs": graphs, "width": width, "left_out": left_out})
    else:
        print(f"Wrote {graphs} vectors of width {width} to {out}.")
