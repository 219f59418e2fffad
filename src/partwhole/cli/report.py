"""`partwhole report`: one HTML page about a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from partwhole.cli.output import Json, print_json
from partwhole.cli.reading import graphs_of_fit, tell
from partwhole.config import FOLDS


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    data: Annotated[
        str | None, typer.Argument(help="Graphs to show. [default: those of the fit]", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Write report.html into the run folder: training curve, map, learned subgraphs, protocols.

    Example: partwhole report runs/mutag
    """
    import numpy as np

    from partwhole.evaluation.protocols import evaluate
    from partwhole.method import load_run
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading
    from partwhole.training.checkpoint import RunFolder
    from partwhole.views.report import write_report

    folder = RunFolder(run)
    folder.read_config()  # a pretrained encoder has no folder to write to
    estimator = load_run(run)
    reading = Reading(estimator.schema_, strict=False)
    store = read_graphs(data or graphs_of_fit(estimator), reading)
    tell(reading, run / "left_out.csv")
    labelled = store.has_labels and store.schema.targets[0].is_categorical
    labelled = labelled and estimator.learns_from != "labels"  # these have seen the labels of every fold
    if labelled and np.unique(store.labels, return_counts=True)[1].min() < FOLDS:
        print(f"A class has fewer than {FOLDS} graphs; the report has no accuracies.", file=sys.stderr)
        labelled = False
    names = ["label-free", *(["untrained"] if 0 in folder.snapshot_epochs() else [])] if labelled else []
    results = [evaluate(run, store, name) for name in names]
    page = write_report(folder, estimator, store, results)
    if json:
        print_json({"report": str(page), "results": results})
        return
    for r in results:
        print(f"{r['protocol']:>10}: {r['accuracy']['mean']:.2f} ± {r['accuracy']['std']:.2f} %")
    print(f"Report: {page}")
