"""`partwhole embed`: graphs to a file of vectors."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.cluster import Ray
from partwhole.cli.optional_values import CLUSTERS, FOUND
from partwhole.cli.output import Json, Overwrite, print_cut_table, print_json, require_other_file
from partwhole.cli.reading import Fallback, SmilesColumn, Strict, tell
from partwhole.cli.stopping import interrupted_by
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.export.joining import ClusterSummary, GraphId, GroupColumns, VectorFileSummary

Out = Annotated[Path, typer.Option(help="File to write: .parquet, .csv, .csv.gz or .npy.")]
RunOrData = Annotated[str, typer.Argument(help="Folder of a run; left out with --pretrained.")]
DataOfRun = Annotated[str, typer.Argument(help="A data set name or a path.", show_default=False)]
Pretrained = Annotated[
    str | None,
    typer.Option(help="An encoder that comes with the package: molecules.", show_default=False),
]
NumberOfClusters = Annotated[
    str | None,
    typer.Option(
        CLUSTERS,
        metavar="[N]",
        help="Add the column cluster: N groups of graphs that are alike, 0 the largest. Without N their "
        "number is found.",
        show_default=False,
    ),
]
WithOutliers = Annotated[
    bool,
    typer.Option(
        "--outliers",
        help="Add the columns outlier_score and outlier_rank; rank 1 is the most unusual graph.",
    ),
]


def embed(
    out: Out,
    run: RunOrData,
    data: DataOfRun = "",
    pretrained: Pretrained = None,
    clusters: NumberOfClusters = None,
    outliers: WithOutliers = False,
    ray: Ray = None,
    smiles_column: SmilesColumn = None,
    strict: Strict = False,
    fallback: Fallback = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write one vector per graph: columns id, label (when known), embedding.

    In CSV the vector is the columns e0, e1, …; .npy holds vectors alone, and NAME.ids.csv the other columns.
    Where the run can tell, the column far marks graphs unlike those that it learned from. Of a table, all its
    columns stay. Memory holds a few thousand molecules at a time, and a command that was stopped goes on
    after those that it had.

    Example: partwhole embed runs/mutag MUTAG --out mutag.parquet
    Example: partwhole embed --pretrained molecules input.csv --out vectors.csv --clusters --outliers
    """
    from partwhole.export.embedding import embed_file
    from partwhole.export.vector_files import files_of

    folder, data = _run_and_data(run, data, pretrained, out)
    left_out = out.with_suffix(".left_out.csv")
    require_other_file([*files_of(out), left_out], data, overwrite)
    wanted = _wanted(clusters, outliers)
    with interrupted_by(signal.SIGINT, signal.SIGTERM), _told_what_is_kept(out):
        written = embed_file(
            folder,
            data,
            out,
            strict=strict,
            fallback=fallback,
            smiles_column=smiles_column,
            ray=ray,
            wanted=wanted,
        )
    tell(written.reading, left_out)
    if json:
        print_json({**_as_json(written, wanted), "out": str(out), "data": data})
    else:
        _print_summary(written, out)


def _run_and_data(run: str, data: str, pretrained: str | None, out: Path) -> tuple[Path, str]:
    """Which is which: with --pretrained, the first argument is the data."""
    from partwhole.runs.pretrained import pretrained_folder

    if pretrained is not None and data:
        raise PartwholeError("Both a run and --pretrained are given; give one of them, and the data.")
    if pretrained is None and not data:
        raise PartwholeError(f"Is {run} a run or data? Give both: partwhole embed RUN DATA --out {out}.")
    return (Path(run), data) if pretrained is None else (pretrained_folder(pretrained), run)


def _wanted(clusters: str | None, outliers: bool) -> GroupColumns:
    from partwhole.export.joining import GroupColumns

    if clusters is None or clusters == FOUND:
        return GroupColumns(clusters is not None, None, outliers)
    if not clusters.isdecimal() or int(clusters) < 1:
        raise PartwholeError(f"{clusters!r} is no number of clusters; give 1 or more, or leave it out.")
    return GroupColumns(True, int(clusters), outliers)


@contextmanager
def _told_what_is_kept(out: Path) -> Iterator[None]:
    """When a command ends before its time, by Ctrl-C, SIGTERM or an error, say what is left of it."""
    from partwhole.export.shard_files import unfinished_folder

    try:
        yield
    except (KeyboardInterrupt, PartwholeError) as ended:
        folder = unfinished_folder(out)
        kept = f"; the finished part is in {folder}, and the same command goes on from there."
        if isinstance(ended, KeyboardInterrupt):
            print(f"Stopped{kept if folder.exists() else '; nothing was finished.'}", file=sys.stderr)
            raise typer.Exit(130) from None
        if folder.exists():
            print(f"Not ended{kept}", file=sys.stderr)
        raise


def _as_json(written: VectorFileSummary, wanted: GroupColumns) -> dict[str, object]:
    content: dict[str, object] = {
        "graphs": written.graphs,
        "width": written.width,
        "left_out": len(written.reading.left_out),
    }
    groups = written.groups
    if written.far is not None:
        content["far"] = written.far
    if wanted.clusters:
        told = [{"graphs": c.graphs, "closest": c.closest} for c in groups.clusters]
        content["clusters"] = {"silhouette": groups.silhouette, "verdict": groups.verdict, "groups": told}
    if wanted.outliers:
        content["outliers"] = [{"id": name, "score": score} for name, score in groups.outliers]
    return content


def _print_summary(written: VectorFileSummary, out: Path) -> None:
    print(f"Wrote {written.graphs} vectors of width {written.width} to {out}.")
    if written.far:
        print(
            f"{written.far:,} of {written.graphs:,} graphs are far from what the encoder was trained on "
            "(column far); their vectors may mean little."
        )
    if written.groups.clusters:
        _print_clusters(written.groups.clusters, written.groups.verdict)
    if written.groups.outliers:
        _print_outliers(written.groups.outliers)


def _print_clusters(clusters: list[ClusterSummary], verdict: str) -> None:
    title = f"Clusters (column cluster): {len(clusters)}, {verdict}"
    rows = [[str(k), str(c.graphs), ", ".join(map(str, c.closest))] for k, c in enumerate(clusters)]
    numbers = ["cluster", "graphs"]
    print_cut_table(title, [*numbers, "closest to the centre"], rows, numbers=numbers)


def _print_outliers(outliers: list[tuple[GraphId, float]]) -> None:
    title = "The most unusual graphs, by outlier_score (1: as usual in this set)"
    rows = [[str(k), f"{score:.2f}", str(name)] for k, (name, score) in enumerate(outliers, 1)]
    numbers = ["rank", "score"]
    print_cut_table(title, [*numbers, "id"], rows, numbers=numbers)
