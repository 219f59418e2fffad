"""`partwhole neighbors`: the graphs that are most like one, by their vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partwhole.cli.output import Json, print_json, print_table
from partwhole.cli.reading import Fallback
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

SHOWN = 4  # columns beside the id


def neighbors(
    run: Annotated[Path, typer.Argument(help="Folder of the run that made the vectors.")],
    embeddings: Annotated[Path, typer.Argument(help="Parquet file of `partwhole embed`.")],
    query: Annotated[
        str, typer.Argument(help="An id in that file, a SMILES string, a file of graphs or a data set.")
    ],
    k: Annotated[int, typer.Option("-k", help="How many neighbours.")] = 10,
    metric: Annotated[str, typer.Option(help="cosine or euclidean.")] = "cosine",
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate",
            help="Search an index, which is kept beside the vectors: for millions of them, not exact.",
        ),
    ] = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Find the graphs whose vectors are closest to that of a graph.

    An id of the file is not its own neighbour; a molecule that is given as SMILES may find itself.

    Example: partwhole neighbors runs/drugs drugs.parquet "CC(=O)Oc1ccccc1C(=O)O" -k 5
    """
    from partwhole.neighbors import Neighbors
    from partwhole.vectors import ID, read_vectors

    beside, vectors = read_vectors(embeddings)
    names, queries, own = _queries(run, query, beside, vectors, fallback)
    index = embeddings.with_name(f"{embeddings.name}.{metric}.index") if approximate else None
    if index is not None and index.exists() and index.stat().st_mtime < embeddings.stat().st_mtime:
        index.unlink()  # of vectors that were there before
    found, places = Neighbors(vectors, metric, index).search(queries, k + (own is not None))
    answers: list[dict[str, Any]] = []
    for name, values, rows in zip(names, found.tolist(), places.tolist()):
        pairs = [(value, row) for value, row in zip(values, rows) if row >= 0 and row != own][:k]
        answers.append({"query": name, "neighbors": [_row(beside, row, metric, v) for v, row in pairs]})
    if json:
        print_json({"metric": metric, "answers": answers})
        return
    columns = [ID, *[name for name in beside.column_names if name != ID][:SHOWN]]
    for answer in answers:
        rows = [[str(n[c]) for c in (metric, *columns)] for n in answer["neighbors"]]
        print_table(f"Closest to {answer['query']}", [metric, *columns], rows, numbers=[metric])


def _row(beside: pa.Table, row: int, metric: str, value: float) -> dict[str, Any]:
    return {metric: round(value, 4)} | {
        name: beside.column(name)[row].as_py() for name in beside.column_names
    }


def _queries(
    run: Path, query: str, beside: pa.Table, vectors: np.ndarray, fallback: bool
) -> tuple[list[str], np.ndarray, int | None]:
    """Names and vectors of what is asked for, and its row where it is in the file itself."""
    from partwhole.method import load_run
    from partwhole.sources.loading import exists, load_graphs
    from partwhole.vectors import ID

    ids = [str(value) for value in beside.column(ID).to_pylist()]
    if query in ids:
        row = ids.index(query)
        return [query], vectors[row : row + 1], row
    estimator = load_run(run)
    data = query if exists(Path(query)) or not estimator.schema_.chemistry else [query]
    try:
        store = load_graphs(data, schema=estimator.schema_, fallback=fallback)
    except PartwholeError as reason:
        raise PartwholeError(f"{query!r} is not an id of the file; read as graphs: {reason}") from None
    return [str(name) for name in store.ids], estimator.transform(store), None
