"""`partwhole report`: one HTML page about a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, print_json
from partwhole.cli.reading import graphs_of_fit, tell
from partwhole.config import FOLDS
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.method import GraphMethod


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a pretrained encoder (molecules).")],
    data: Annotated[
        str | None, typer.Argument(help="Graphs to show. [default: those of the fit]", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The page. [default: report.html in the folder of the run]", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Write one HTML page: a map of the graphs, and training, subgraphs, predictions where there are such.

    Example: partwhole report runs/mutag
    """
    import numpy as np

    from partwhole.evaluation.protocols import evaluate
    from partwhole.method import load_run
    from partwhole.pretrained import run_folder
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading
    from partwhole.training.checkpoint import RunFolder
    from partwhole.views.report import write_report

    called, run = run, run_folder(run)
    page = _page(called, run, data, out)
    folder = RunFolder(run)
    folder.read_config()  # before a long load
    estimator = load_run(run)
    reading = Reading(estimator.schema_, strict=False)
    store = read_graphs(data or graphs_of_fit(estimator), reading)
    tell(reading, page.parent / "left_out.csv")
    labelled = store.has_labels and store.schema.targets[0].is_categorical
    labelled = labelled and estimator.learns_from != "labels"  # these have seen the labels of every fold
    if labelled and np.unique(store.labels, return_counts=True)[1].min() < FOLDS:
        print(f"A class has fewer than {FOLDS} graphs; the report has no accuracies.", file=sys.stderr)
        labelled = False
    names = ["label-free", *(["untrained"] if 0 in folder.snapshot_epochs() else [])] if labelled else []
    results = [evaluate(run, store, name) for name in names]
    write_report(folder, estimator, store, results, page, _about(called, run, estimator))
    if json:
        print_json({"report": str(page), "results": results})
        return
    for r in results:
        print(f"{r['protocol']:>10}: {r['accuracy']['mean']:.2f} ± {r['accuracy']['std']:.2f} %")
    print(f"Report: {page}")


def _page(called: Path, run: Path, data: str | None, out: Path | None) -> Path:
    """Where the page goes."""
    if called != run and (data is None or out is None):
        raise PartwholeError(
            f"The pretrained encoder {called} has neither graphs nor a folder for the page; give both: "
            f"`partwhole report {called} DATA --out page.html`."
        )
    if out is not None and out.suffix.lower() not in (".html", ".htm"):
        raise PartwholeError(f"{out} does not end in .html; give the page a name that does.")
    return out or run / "report.html"


def _about(called: Path, run: Path, estimator: GraphMethod) -> str:
    """The run in the first line of the page."""
    epochs = f", {len(estimator.history_)} epochs" if estimator.history_ else ""
    if called == run:
        return f"method {estimator.method}{epochs}, run folder {run}"
    data = estimator.about_["data"]
    learned = f"{estimator.method}{epochs}, fitted to {data['graphs']} molecules: {data['name']}"
    return f"pretrained encoder {called} ({learned})"
