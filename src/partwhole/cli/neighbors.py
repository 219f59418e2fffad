"""`partwhole neighbors`: the graphs that are most like one, by their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partwhole.cli.output import Json, print_cut_table, print_json
from partwhole.cli.reading import Fallback, Strict, tell
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


def neighbors(
    run: Annotated[Path, typer.Argument(help="Folder of the run that made the vectors.")],
    embeddings: Annotated[Path, typer.Argument(help="File of `partwhole embed`.")],
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
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Find the graphs whose vectors are closest to that of a graph.

    An id of the file is not its own neighbour; a molecule that is given as SMILES may find itself.

    Example: partwhole neighbors runs/drugs drugs.parquet "CC(=O)Oc1ccccc1C(=O)O" -k 5
    """
    from partwhole.export.neighbors import Neighbors
    from partwhole.export.vector_files import read_vectors
    from partwhole.export.vector_tables import ID

    beside, vectors = read_vectors(embeddings)
    asked = _asked_of_file(query, beside, vectors) or _asked_of_run(run, query, strict, fallback)
    index = embeddings.with_name(f"{embeddings.name}.{metric}.index") if approximate else None
    if index is not None and index.exists() and index.stat().st_mtime < embeddings.stat().st_mtime:
        index.unlink()  # of vectors that were there before
    found, places = Neighbors(vectors, metric, index).search(asked.vectors, k + (asked.row is not None))
    answers: list[dict[str, Any]] = []
    for name, far, values, rows in zip(asked.names, asked.far, found.tolist(), places.tolist()):
        pairs = [(value, row) for value, row in zip(values, rows) if row >= 0 and row != asked.row][:k]
        about = {"query": name} | ({} if far is None else {"far": far})
        answers.append(about | {"neighbors": [_row(beside, row, metric, v) for v, row in pairs]})
    if json:
        print_json({"metric": metric, "answers": answers})
        return
    columns = [ID, *[name for name in beside.column_names if name != ID]]
    for answer in answers:
        if answer.get("far"):
            print(
                f"{answer['query']} is far from what the encoder was trained on; its neighbours may mean "
                "little."
            )
        lines = [[f"{n[metric]:.4f}", *(_text(n[c]) for c in columns)] for n in answer["neighbors"]]
        print_cut_table(f"Closest to {answer['query']}", [metric, *columns], lines, numbers=[metric])


@dataclass(frozen=True)
class Asked:
    """What neighbours are asked for."""

    names: list[str]
    vectors: np.ndarray
    far: list[bool | None]  # from what the encoder was trained on; None where that cannot be told
    row: int | None = None  # where it is in the file itself


def _asked_of_file(query: str, beside: pa.Table, vectors: np.ndarray) -> Asked | None:
    """A graph of the file, by its id."""
    from partwhole.export.vector_tables import FAR, ID

    ids = [str(value) for value in beside.column(ID).to_pylist()]
    if query not in ids:
        return None
    row = ids.index(query)
    far = beside.column(FAR)[row].as_py() if FAR in beside.column_names else None
    return Asked([query], vectors[row : row + 1], [far], row)


def _asked_of_run(run: Path, query: str, strict: bool, fallback: bool) -> Asked:
    """Graphs that the run embeds first."""
    from partwhole.estimators.loading import load_run
    from partwhole.runs.landmarks import read_landmarks
    from partwhole.runs.pretrained import run_folder
    from partwhole.sources.loading import exists, read_graphs
    from partwhole.sources.reading import Reading

    run = run_folder(run)
    estimator, landmarks = load_run(run), read_landmarks(run)
    data = query if exists(Path(query)) or not estimator.schema_.chemistry else [query]
    reading = Reading(estimator.schema_, strict or data != query, fallback)  # one molecule cannot be left out
    try:
        store = read_graphs(data, reading)
    except PartwholeError as reason:
        raise PartwholeError(f"{query!r} is not an id of the file; read as graphs: {reason}") from None
    tell(reading)
    vectors = estimator.transform(store)
    far = [None] * len(store) if landmarks is None else landmarks.far(vectors, store.num_nodes).tolist()
    return Asked([str(name) for name in store.ids], vectors, far)


def _row(beside: pa.Table, row: int, metric: str, value: float) -> dict[str, Any]:
    return {metric: round(value, 4)} | {
        name: beside.column(name)[row].as_py() for name in beside.column_names
    }


def _text(cell: Any) -> str:
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)
