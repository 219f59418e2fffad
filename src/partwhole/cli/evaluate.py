"""`partwhole evaluate`: how well targets are told from the vectors of a run, or by a run with labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partwhole.cli.output import Json, print_json, print_table
from partwhole.cli.reading import Fallback, SmilesColumn, Strict, tell
from partwhole.config import FOLDS

if TYPE_CHECKING:
    from partwhole.estimators.labelled import AnyLabelled
    from partwhole.graphs.store import GraphStore

REFITS = 5  # folds where the method is fitted anew for each
ALL = "all"


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a pretrained encoder (molecules).")],
    data: Annotated[str, typer.Argument(help="A labelled data set: a name or a path.")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="The target to tell, or all; may be repeated. [default: the first]", show_default=False
        ),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="label-free, untrained, paper or authors; may be repeated. [default: label-free, and "
            "untrained beside it]",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            help=f"Folds of the outer cross-validation. [default: {FOLDS}; {REFITS} of a run with labels]",
            show_default=False,
        ),
    ] = None,
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
    from partwhole.runs.folder import RunFolder
    from partwhole.runs.pretrained import run_folder
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading

    folder = run_folder(run)
    RunFolder(folder).read_config()  # before a long load
    estimator = load_run(folder)
    reading = Reading(estimator.schema_, strict, fallback, smiles_column=smiles_column)
    store = read_graphs(data, reading)
    tell(reading)
    if isinstance(estimator, LabelledEstimator):
        results = _refitted(estimator, store, target, protocol, folds or REFITS, runs, seed)
    else:
        results = _scored(folder, store, target, protocol, folds or FOLDS, runs, seed)
    if json:
        first, rest = results[0], results[1:]
        print_json(first | {"also": rest} if rest else first)
        return
    _show(store, results)


def _scored(
    folder: Path,
    store: GraphStore,
    targets: Sequence[str] | None,
    protocols: Sequence[str] | None,
    folds: int,
    runs: int,
    seed: int,
) -> list[dict[str, Any]]:
    """The vectors of a run that knows no labels, by each protocol."""
    from partwhole.evaluation.chosen_target import with_target
    from partwhole.evaluation.protocols import PROTOCOLS
    from partwhole.evaluation.protocols import evaluate as score
    from partwhole.runs.folder import RunFolder

    kept = RunFolder(folder).snapshot_epochs()
    asked = protocols or (["label-free", "untrained"] if 0 in kept else ["label-free"])
    order = ["label-free", *PROTOCOLS]  # the one that chooses nothing by the test labels stands first
    asked = sorted(dict.fromkeys(asked), key=lambda p: order.index(p) if p in order else -1)
    names = _targets(store, targets) or [with_target(store).target]
    how = {"folds": folds, "runs": runs, "seed": seed}
    found = []
    for name in names:
        for rules in asked:
            with _bar(f"{name}, {rules}") as advance:
                found.append(score(folder, store, rules, target=name, progress=advance, **how))
    return found


def _refitted(
    estimator: AnyLabelled,
    store: GraphStore,
    targets: Sequence[str] | None,
    protocols: Sequence[str] | None,
    folds: int,
    runs: int,
    seed: int,
) -> list[dict[str, Any]]:
    """A run with labels: the method, fitted anew without each fold."""
    from partwhole.errors import PartwholeError
    from partwhole.evaluation.protocols import means_of
    from partwhole.evaluation.refits import refitted

    if protocols:
        raise PartwholeError(
            "Protocols are for runs without labels; this run learned from labels and is fitted anew without "
            "each fold; leave --protocol out."
        )
    for name in _targets(store, targets) or []:
        if name not in estimator.target_names_:
            learned = ", ".join(estimator.target_names_[:5])
            raise PartwholeError(f"The run did not learn the target {name!r}; it learned {learned}.")
    found = []
    for k in range(runs):
        with _bar(f"fits, run {k + 1} of {runs}" if runs > 1 else "fits") as advance:
            found.append(refitted(estimator, store, folds=folds, seed=seed + k, progress=advance))
    shown = _targets(store, targets) or estimator.target_names_
    about = {"protocol": "fitted anew", "data": store.name, "folds": folds, "runs": runs, "seed": seed}
    return [
        {
            **about,
            "target": name,
            "method": estimator.method,
            "measures": means_of([fold for by_target in found for fold in by_target[name]]),
            "std_over": "test folds",
            "chosen": "everything inside the training part; test graphs unseen",
        }
        for name in shown
    ]


def _targets(store: GraphStore, asked: Sequence[str] | None) -> list[str] | None:
    known = [column.name for column in store.schema.targets]
    if asked and list(asked) == [ALL] and ALL not in known:
        return known
    for name in asked or []:
        store.target(name)  # a misspelt one is told
    return list(dict.fromkeys(asked)) if asked else None


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, advanced by (done, total)."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _show(store: GraphStore, results: list[dict[str, Any]]) -> None:
    """A table for each kind of target; the simple guess stands in its own column."""
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


def _pair(measure: dict[str, float] | None) -> str:
    return "–" if measure is None else f"{measure['mean']:.4g} ± {measure['std']:.2g}"
