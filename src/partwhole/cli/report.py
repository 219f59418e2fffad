"""`partwhole report`: one HTML page about a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, print_json
from partwhole.cli.reading import Fallback, Run, SmilesColumn, Strict, graphs_of_fit, read_for
from partwhole.config import FOLDS
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator
    from partwhole.evaluation.chosen_target import LabelledGraphs
    from partwhole.evaluation.results import EvaluationResult
    from partwhole.graphs.store import GraphStore
    from partwhole.runs.folder import RunFolder


def report(
    run: Run,
    data: Annotated[
        str | None, typer.Argument(help="Graphs to show. [default: those of the fit]", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The page. [default: report.html in the folder of the run]", show_default=False),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="The target to tell from the vectors. [default: the first]", show_default=False),
    ] = None,
    smiles_column: SmilesColumn = None,
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """Write one HTML page: a map of the graphs, and training, subgraphs, predictions where there are such.

    Example: partwhole report runs/mutag
    """
    from partwhole.estimators.loading import load_run
    from partwhole.estimators.semi_supervised.measures import ALL_MEASURES
    from partwhole.runs.folder import RunFolder
    from partwhole.runs.pretrained import run_folder
    from partwhole.views.report import write_report

    called, run = run, run_folder(run)
    page = _page(called, run, data, out)
    folder, estimator = RunFolder(run), load_run(run)
    listed = page.parent / "left_out.csv"
    store, _ = read_for(estimator, data or graphs_of_fit(estimator), strict, fallback, smiles_column, listed)
    results = _results(folder, estimator, store, target)
    write_report(folder, estimator, store, results, page, _heading(called, run, estimator))
    if json:
        print_json({"report": str(page), "results": results})
        return
    for r in results:
        told = ", ".join(
            f"{ALL_MEASURES[name]} {m['mean']:.4g} ± {m['std']:.2g}" for name, m in r["measures"].items()
        )
        print(f"{r['target']}, {r['protocol']}: {told}")
    print(f"Report: {page}")


def _results(
    folder: RunFolder, estimator: AnyEstimator, store: GraphStore, target: str | None
) -> list[EvaluationResult]:
    """How well the target is told from the vectors; empty where there is none, or too few graphs have it."""
    from partwhole.evaluation.chosen_target import with_target
    from partwhole.evaluation.scoring import evaluate

    if estimator.learns_from == "labels":  # these have seen the labels of every fold
        if target is not None:
            raise PartwholeError(
                "The run learned from labels; leave --target out, and see `partwhole evaluate`."
            )
        return []
    if not store.schema.targets and target is None:
        return []
    labelled = with_target(store, target)
    few = _too_few(labelled)
    if few:
        print(f"{few}; the report does not say how well {labelled.target!r} is told.", file=sys.stderr)
        return []
    names = ["label-free", *(["untrained"] if 0 in folder.snapshot_epochs() else [])]
    return [evaluate(folder.path, store, name, target=labelled.target) for name in names]


def _too_few(labelled: LabelledGraphs) -> str:
    """Why ten folds are not possible; empty where they are."""
    import numpy as np

    if labelled.is_number:
        return "" if len(labelled.values) >= 2 * FOLDS else f"Fewer than {2 * FOLDS} graphs have the target"
    classes, counts = np.unique(labelled.values, return_counts=True)
    if len(classes) < 2:
        return "All graphs are of one class"
    return "" if counts.min() >= FOLDS else f"A class has fewer than {FOLDS} graphs"


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


def _heading(called: Path, run: Path, estimator: AnyEstimator) -> str:
    """What the run is called in the first line of the page."""
    epochs = f", {len(estimator.history_)} epochs" if estimator.history_ else ""
    if called == run:
        return f"method {estimator.method}{epochs}, run folder {run}"
    data = estimator.about_["data"]
    learned = f"{estimator.method}{epochs}, fitted to {data['graphs']} molecules: {data['name']}"
    return f"pretrained encoder {called} ({learned})"
