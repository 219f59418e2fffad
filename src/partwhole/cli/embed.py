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
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
    run: Annotated[str, typer.Argument(help="Folder of a run; left out with --pretrained.")],
    data: Annotated[str, typer.Argument(help="A data set name or a path.", show_default=False)] = "",
    pretrained: Annotated[
        str | None,
        typer.Option(help="An encoder that comes with the package: molecules.", show_default=False),
    ] = None,
    ray: Ray = None,
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Write one vector per graph: columns id, label (when known), embedding.

    Of a table, all its columns stay. Memory holds a few thousand molecules at a time, and a command that was
    stopped goes on after those that it had.

    Example: partwhole embed runs/mutag MUTAG --out mutag.parquet
    Example: partwhole embed --pretrained molecules input.csv --out vectors.parquet
    """
    from partwhole.embedding import embed_file
    from partwhole.pretrained import pretrained_folder

    if pretrained is not None and data:
        raise PartwholeError("Both a run and --pretrained are given; give one of them, and the data.")
    if pretrained is None and not data:
        raise PartwholeError(f"Is {run} a run or data? Give both: partwhole embed RUN DATA --out {out}.")
    folder, data = (Path(run), data) if pretrained is None else (pretrained_folder(pretrained), run)
    if out.suffix.lower() in (".csv", ".tsv", ".json", ".npy"):  # which it would not be
        raise PartwholeError(f"Vectors are written as Parquet; give {out.name} a name that ends in .parquet.")
    written = embed_file(folder, data, out, strict=strict, fallback=fallback, ray=ray)
    tell(written.reading, out.with_suffix(".left_out.csv"))
    graphs, width, left_out = written.graphs, written.width, len(written.reading.left_out)
    if json:
        print_json({"out": str(out), "data": data, "graphs": graphs, "width": width, "left_out": left_out})
    else:
        print(f"Wrote {graphs} vectors of width {width} to {out}.")
