"""`partwhole neighbors`: the graphs that are most like one, by their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, print_cut_table, print_json
from partwhole.cli.reading import Fallback, Strict, tell
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


VectorFile = Annotated[Path, typer.Argument(help="File of `partwhole embed`.")]
Question = Annotated[
    str, typer.Argument(help="An id in that file, a SMILES string, a file of graphs or a data set.")
]
Approximate = Annotated[
    bool,
    typer.Option(
        "--approximate",
        help="Search an index, which is kept beside the vectors: for millions of them, not exact.",
    ),
]


@dataclass(frozen=True)
class Query:
    """Graphs whose neighbours are asked for."""

    names: list[str]
    asked: np.ndarray | list[int]  # vectors [graphs, width], or rows of the file itself
    far: list[bool | None]  # from what the encoder was trained on; None where that cannot be told


@dataclass(frozen=True)
class Answer:
    """The neighbours of one graph, the closest first."""

    query: str
    far: bool | None
    neighbors: list[dict[str, object]]  # its score, under the name of the metric, and its columns in the file

    def as_json(self) -> dict[str, object]:
        """The answer for machines; without `far` where that cannot be told."""
        far = {} if self.far is None else {"far": self.far}
        return {"query": self.query, **far, "neighbors": self.neighbors}


def neighbors(
    run: Annotated[Path, typer.Argument(help="Folder of the run that made the vectors.")],
    embeddings: VectorFile,
    query: Question,
    k: Annotated[int, typer.Option("-k", help="How many neighbours.")] = 10,
    metric: Annotated[str, typer.Option(help="cosine or euclidean.")] = "cosine",
    approximate: Approximate = False,
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Find the graphs whose vectors are closest to that of a graph.

    An id of the file is not its own neighbour; a molecule that is given as SMILES may find itself.

    Example: partwhole neighbors runs/drugs drugs.parquet "CC(=O)Oc1ccccc1C(=O)O" -k 5
    """
    from partwhole.export.neighbors import nearest_graphs
    from partwhole.export.vector_files import read_vectors

    beside, vectors = read_vectors(embeddings)
    graphs = _row_of_file(query, beside) or _embedded(run, query, strict, fallback)
    index = _fresh_index(embeddings, metric) if approximate else None
    found = nearest_graphs(vectors, graphs.asked, k, metric=metric, index=index)
    answers = []
    for name, far, scores, rows in zip(graphs.names, graphs.far, found.scores.tolist(), found.rows.tolist()):
        close = [_neighbor(beside, row, metric, score) for score, row in zip(scores, rows) if row >= 0]
        answers.append(Answer(name, far, close))
    if json:
        print_json({"metric": metric, "answers": [answer.as_json() for answer in answers]})
    else:
        _print_answers(answers, metric, beside.column_names)


def _fresh_index(embeddings: Path, metric: str) -> Path:
    """Where the index of these vectors is kept; that of vectors that were there before is removed."""
    index = embeddings.with_name(f"{embeddings.name}.{metric}.index")
    if index.exists() and index.stat().st_mtime < embeddings.stat().st_mtime:
        index.unlink()
    return index


def _print_answers(answers: list[Answer], metric: str, names: list[str]) -> None:
    from partwhole.export.vector_tables import ID

    columns = [ID, *[name for name in names if name != ID]]
    for answer in answers:
        if answer.far:
            print(
                f"{answer.query} is far from what the encoder was trained on; its neighbours may mean little."
            )
        lines = [[f"{n[metric]:.4f}", *(_text(n[c]) for c in columns)] for n in answer.neighbors]
        print_cut_table(f"Closest to {answer.query}", [metric, *columns], lines, numbers=[metric])


def _row_of_file(query: str, beside: pa.Table) -> Query | None:
    """A graph of the file, by its id."""
    from partwhole.export.vector_tables import FAR, ID

    ids = [str(value) for value in beside.column(ID).to_pylist()]
    if query not in ids:
        return None
    row = ids.index(query)
    far = beside.column(FAR)[row].as_py() if FAR in beside.column_names else None
    return Query([query], [row], [far])


def _embedded(run: Path, query: str, strict: bool, fallback: bool) -> Query:
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
    return Query([str(name) for name in store.ids], vectors, far)


def _neighbor(beside: pa.Table, row: int, metric: str, score: float) -> dict[str, object]:
    columns = {name: beside.column(name)[row].as_py() for name in beside.column_names}
    return {metric: round(score, 4), **columns}


def _text(cell: object) -> str:
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)
