"""`partwhole fit`: graphs to a run folder."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partwhole.cli.fit_settings import settle
from partwhole.cli.fit_summary import FittedRun, as_json, print_summary
from partwhole.cli.options import with_fit_options
from partwhole.cli.output import Json, print_json
from partwhole.cli.reading import Data, SmilesColumn, Strict, tell
from partwhole.cli.stopping import StopRequest
from partwhole.cli.targets import labels_of
from partwhole.errors import PartwholeError
from partwhole.registry import METHODS

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator
    from partwhole.graphs.store import GraphStore
    from partwhole.runs.folder import RunFolder

Out = Annotated[Path, typer.Option(help="Folder of the run.")]
Targets = Annotated[
    list[str] | None,
    typer.Option(help="Learn to predict this target from the graphs that have it, or all; may be repeated."),
]
Method = Annotated[
    str | None,
    typer.Option(
        help="See `partwhole methods`. [default: subgraph-infomax; with --target, auto-regressor or "
        "auto-classifier; with --target and an option of a network, regressor or classifier]",
        show_default=False,
    ),
]
ConfigFile = Annotated[Path | None, typer.Option(help="TOML file of options, as in a run's config.toml.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the run in the folder.")]
Replace = Annotated[bool, typer.Option("--overwrite", help="Replace the run in the folder.")]
NamedOptions = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="An option of the method; see `partwhole methods NAME`."),
]
Devices = Annotated[
    int | None,
    typer.Option(help="Processes on this machine that train together, each with its GPU or its cores."),
]
Machines = Annotated[
    int | None,
    typer.Option(help="Machines that run this command together; each has MASTER_ADDR and NODE_RANK set."),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="An attribute of nodes or edges whose whole numbers name kinds; may be repeated."),
]


@with_fit_options
def fit(
    data: Data,
    out: Out,
    options: dict[str, object],
    target: Targets = None,
    method: Method = None,
    config: ConfigFile = None,
    resume: Resume = False,
    overwrite: Replace = False,
    option: NamedOptions = None,
    devices: Devices = None,
    machines: Machines = None,
    smiles_column: SmilesColumn = None,
    categorical: Categorical = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Learn from graphs, without labels or, with --target, from the few that there are.

    Ctrl-C leaves a state that --resume continues.

    Example: partwhole fit MUTAG --out runs/mutag --epochs 100
    """
    from partwhole.parallel import ranks
    from partwhole.parallel.launch import launch
    from partwhole.runs.folder import RunFolder
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading

    folder = RunFolder(out)
    _require_place(folder, resume, overwrite)
    settings = settle(
        options,
        option or [],
        method=method,
        targets=target,
        config=config,
        resumed=folder if resume else None,
    )
    launch(devices, machines, getattr(settings.options, "device", "cpu"))
    reading = Reading(strict=strict, smiles_column=smiles_column, categorical=tuple(categorical or ()))
    store = read_graphs(data, reading)
    if ranks.is_first():
        tell(reading, folder.left_out_file)
    labels, name = labels_of(store, settings.targets, settings.method, settings.family)
    estimator = METHODS.get(name)(**settings.options.options())
    started = time.perf_counter()
    listed = [folder.left_out_file.name] if reading.left_out else []  # just written
    how = {"resume": resume, "overwrite": overwrite, "keep": listed, **labels}
    _fit_until_stopped(estimator, store, out, how, again=f"partwhole fit {data} --out {out} --resume")
    if not ranks.is_first():
        return
    _keep_landmarks(estimator, store, out)
    seed, seconds = getattr(settings.options, "random_state", None), time.perf_counter() - started
    fitted = FittedRun(estimator, store, data, out, len(reading.left_out), seed, seconds)
    print_json(as_json(fitted)) if json else print_summary(fitted)


def _require_place(run: RunFolder, resume: bool, overwrite: bool) -> None:
    """Raise where the run cannot be written, before any work is done."""
    if resume and overwrite:
        raise PartwholeError("Choose one of --resume and --overwrite.")
    if run.path.exists() and not run.path.is_dir():
        raise PartwholeError(f"{run.path} is a file; give a folder to --out.")
    if run.exists() and not (resume or overwrite):
        raise PartwholeError(
            f"{run.path} already holds a run; continue it with --resume, replace it with --overwrite, or "
            "choose another folder."
        )


def _fit_until_stopped(
    estimator: AnyEstimator, store: GraphStore, out: Path, how: dict[str, Any], again: str
) -> None:
    """Fit in the folder `out`; a user who stops it is told the command that goes on, `again`."""
    from rich.console import Console

    from partwhole.parallel import ranks
    from partwhole.training.trainer import Interrupted

    gently = estimator.resumable
    stop = StopRequest(gently)
    shown = nullcontext() if gently else Console(stderr=True).status(f"fitting {estimator.method}")
    try:
        with stop.watched(), shown:
            estimator.fit_run(store, out, stop_requested=stop.requested, **how)
    except Interrupted as stopped:
        if ranks.is_first():
            print(f"Stopped in epoch {stopped.progress.epoch + 1}; continue with: {again}", file=sys.stderr)
        raise typer.Exit(130) from None


def _keep_landmarks(estimator: AnyEstimator, store: GraphStore, out: Path) -> None:
    """Write what tells later which graphs are far from those of the fit, where that can be told."""
    from partwhole.runs.landmarks import landmarks_of

    if not estimator.embeds_new_graphs:
        return
    landmarks = landmarks_of(estimator.transform, store, estimator.width)
    if landmarks is not None:
        landmarks.write(out)
