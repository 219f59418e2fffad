"""`partwhole evaluate`: how well a classifier does on the vectors of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwhole.cli.output import Json, print_json, print_table
from partwhole.config import FOLDS


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    data: Annotated[str, typer.Argument(help="A labelled data set: a name or a path.")],
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="label-free, untrained, paper or authors; may be repeated. [default: label-free, and "
            "untrained beside it]",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of the outer cross-validation.")] = FOLDS,
    runs: Annotated[int, typer.Option(help="Repeats with other folds.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    json: Json = False,
) -> None:
    """Accuracy of a classifier on frozen vectors, by nested cross-validation.

    Example: partwhole evaluate runs/mutag MUTAG --protocol label-free --protocol paper
    """
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from partwhole.evaluation.protocols import PROTOCOLS
    from partwhole.evaluation.protocols import evaluate as score
    from partwhole.pretrained import run_folder
    from partwhole.sources.loading import load_graphs
    from partwhole.training.checkpoint import RunFolder

    run = run_folder(run)
    kept = RunFolder(run).snapshot_epochs()
    asked = protocol or (["label-free", "untrained"] if 0 in kept else ["label-free"])
    order = ["label-free", *PROTOCOLS]  # the one that chooses nothing by the test labels stands first
    asked = sorted(dict.fromkeys(asked), key=lambda p: order.index(p) if p in order else -1)
    RunFolder(run).read_config()  # before a long load
    store = load_graphs(data)
    results = []
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for name in asked:
            task = bar.add_task(name, total=None)

            def advance(done: int, total: int, task: TaskID = task) -> None:
                bar.update(task, completed=done, total=total)

            results.append(score(run, store, name, folds=folds, runs=runs, seed=seed, progress=advance))
    if json:
        first, rest = results[0], results[1:]
        print_json(first | {"also": rest} if rest else first)
        return
    print_table(
        f"{store.name}: accuracy in percent, {folds} folds, {runs} run{'s' * (runs > 1)}",
        ["protocol", "accuracy", "epoch", "classifier", "chosen how"],
        [
            [
                r["protocol"],
                f"{r['accuracy']['mean']:.2f} ± {r['accuracy']['std']:.2f}",
                str(r["epoch"]),
                r["classifier"],
                r["chosen"],
            ]
            for r in results
        ],
        numbers=["accuracy", "epoch"],
        note="± is the standard deviation over test folds.",
    )
