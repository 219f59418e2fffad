"""`partwhole evaluate`: how well targets are told from the vectors of a run, or by a run with labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partwhole.cli.output import Json, print_json, print_table
from partwhole.cli.reading import Fallback, Run, SmilesColumn, Strict, read_for
from partwhole.cli.targets import named_targets
from partwhole.config import FOLDS
from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from partwhole.estimators.labelled import AnyLabelled
    from partwhole.evaluation.results import EvaluationResult, Spread
    from partwhole.graphs.store import GraphStore

REFITS = 5  # folds where the method is fitted anew for each

LabelledData = Annotated[str, typer.Argument(help="A labelled data set: a name or a path.")]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        help="The target to tell, or all; may be repeated. [default: the first]", show_default=False
    ),
]
Protocols = Annotated[
    list[str] | None,
    typer.Option(
        help="label-free, untrained, paper or authors; may be repeated. [default: label-free, and "
        "untrained beside it]",
        show_default=False,
    ),
]
NumberOfFolds = Annotated[
    int | None,
    typer.Option(
        help=f"Folds of the outer cross-validation. [default: {FOLDS}; {REFITS} of a run with labels]",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class EvaluationRequest:
    """What a user wants to know of a run."""

    targets: list[str]  # none: the first, or all that a run with labels learned
    protocols: list[str]  # none: the usual ones
    folds: int
    runs: int
    seed: int


def evaluate(
    run: Run,
    data: LabelledData,
    target: Targets = None,
    protocol: Protocols = None,
    folds: NumberOfFolds = None,
    runs: Annotated[int, typer.Option(help="Repeats with other folds.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    smiles_column: SmilesColumn = None,
    strict: Strict = False,
    fallback: Fallback = False,
    json: Json = False,
) -> None:
    """How well a target is told from frozen vectors, by nested cross-validation: of classes the accuracy,
    balanced accuracy and ROC AUC, of numbers the RMSE, MAE and R², beside what a simple guess reaches.

    A run that learned from labels is fitted anew without each fold, and asked for it.

    Example: partwhole evaluate runs/mutag MUTAG --protocol label-free --protocol paper
    Example: partwhole evaluate molecules assays.csv --target toxic
    """
    from partwhole.estimators.labelled import LabelledEstimator
    from partwhole.estimators.loading import load_run
    from partwhole.runs.pretrained import run_folder

    estimator = load_run(run)
    store, _ = read_for(estimator, data, strict, fallback, smiles_column)
    learned = isinstance(estimator, LabelledEstimator)
    targets = list(dict.fromkeys(named_targets(store, target)))
    asked = EvaluationRequest(targets, protocol or [], folds or (REFITS if learned else FOLDS), runs, seed)
    if isinstance(estimator, LabelledEstimator):
        results = _refitted(estimator, store, asked)
    else:
        results = _scored(run_folder(run), store, asked)
    if json:
        first, rest = results[0], results[1:]
        print_json({**first, "also": rest} if rest else first)
    else:
        _show(store, results)


def _scored(folder: Path, store: GraphStore, asked: EvaluationRequest) -> list[EvaluationResult]:
    """The vectors of a run that knows no labels, by each protocol."""
    from partwhole.evaluation.chosen_target import with_target
    from partwhole.evaluation.protocols import PROTOCOLS
    from partwhole.evaluation.scoring import evaluate as score
    from partwhole.runs.folder import RunFolder

    kept = RunFolder(folder).snapshot_epochs()
    protocols = asked.protocols or (["label-free", "untrained"] if 0 in kept else ["label-free"])
    order = ["label-free", *PROTOCOLS]  # the one that chooses nothing by the test labels stands first
    protocols = sorted(dict.fromkeys(protocols), key=lambda p: order.index(p) if p in order else -1)
    how = {"folds": asked.folds, "runs": asked.runs, "seed": asked.seed}
    found = []
    for name in asked.targets or [with_target(store).target]:
        for protocol in protocols:
            with _bar(f"{name}, {protocol}") as advance:
                found.append(score(folder, store, protocol, target=name, progress=advance, **how))
    return found


def _refitted(estimator: AnyLabelled, store: GraphStore, asked: EvaluationRequest) -> list[EvaluationResult]:
    """A run with labels: the method, fitted anew without each fold."""
    from partwhole.evaluation.refits import refit_result, refitted

    if asked.protocols:
        raise PartwholeError(
            "Protocols are for runs without labels; this run learned from labels and is fitted anew without "
            "each fold; leave --protocol out."
        )
    for name in asked.targets:
        if name not in estimator.target_names_:
            learned = ", ".join(estimator.target_names_[:5])
            raise PartwholeError(f"The run did not learn the target {name!r}; it learned {learned}.")
    folds, seeds = asked.folds, range(asked.seed, asked.seed + asked.runs)
    found = []
    for k, seed in enumerate(seeds):
        with _bar(f"fits, run {k + 1} of {asked.runs}" if asked.runs > 1 else "fits") as advance:
            found.append(refitted(estimator, store, folds=folds, seed=seed, progress=advance))
    return [
        refit_result(estimator, store, name, [run[name] for run in found], folds=folds, seed=asked.seed)
        for name in asked.targets or estimator.target_names_
    ]


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, advanced by (done, total)."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _show(store: GraphStore, results: list[EvaluationResult]) -> None:
    """A table for classes and one for numbers; the simple guess stands in its own column."""
    from partwhole.estimators.semi_supervised.measures import CLASS_MEASURES, NUMBER_MEASURES

    several = len(store.schema.targets)
    for called in (CLASS_MEASURES, NUMBER_MEASURES):
        rows = [r for r in results if set(r["measures"]) & set(called)]
        if not rows:
            continue
        names = [name for name in called if any(name in r["measures"] for r in rows)]
        body = [
            [r["target"], r["protocol"], *(_pair(r["measures"].get(name)) for name in names), r["chosen"]]
            for r in rows
        ]
        first = rows[0]
        repeats = f", {first['runs']} runs" if first["runs"] > 1 else ""
        note = "± is the standard deviation over test folds."
        if several > 1 and len({r["target"] for r in results}) == 1:
            note += f" The data set has {several} targets; --target names another, or all."
        print_table(
            f"{store.name}: {first['folds']} folds{repeats}",
            ["target", "protocol", *(called[name] for name in names), "how"],
            body,
            numbers=[called[name] for name in names],
            note=note,
        )


def _pair(measure: Spread | None) -> str:
    return "–" if measure is None else f"{measure['mean']:.4g} ± {measure['std']:.2g}"
