"""`partwhole fit`: graphs to a run folder."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from partwhole.cli.options import named_options, require_options, with_fit_options
from partwhole.cli.output import Json, print_json, print_table
from partwhole.cli.reading import MOST_TOLD, SmilesColumn, Strict, tell
from partwhole.cli.targets import labels_of, require_labels
from partwhole.config import FOLDS, Options, PredictorConfig
from partwhole.errors import PartwholeError
from partwhole.files.toml import read_toml
from partwhole.registry import METHODS


@with_fit_options
def fit(
    data: Annotated[str, typer.Argument(help="A data set name or a path.")],
    out: Annotated[Path, typer.Option(help="Folder of the run.")],
    options: dict[str, Any],
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="Learn to predict this target from the graphs that have it, or all; may be repeated."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="See `partwhole methods`. [default: subgraph-infomax; with --target, regressor or "
            "classifier]",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of options, as in a run's config.toml.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in the folder.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run in the folder.")] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the method; see `partwhole methods NAME`."),
    ] = None,
    devices: Annotated[
        int | None,
        typer.Option(help="Processes on this machine that train together, each with its GPU or its cores."),
    ] = None,
    machines: Annotated[
        int | None,
        typer.Option(help="Machines that run this command together; each has MASTER_ADDR and NODE_RANK set."),
    ] = None,
    smiles_column: SmilesColumn = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="An attribute of nodes or edges whose whole numbers name kinds; may be repeated."),
    ] = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Learn from graphs, without labels or, with --target, from the few that there are.

    Ctrl-C leaves a state that --resume continues.

    Example: partwhole fit MUTAG --out runs/mutag --epochs 100
    """
    from rich.console import Console

    from partwhole.parallel import ranks
    from partwhole.parallel.launch import launch
    from partwhole.runs.folder import RunFolder
    from partwhole.runs.landmarks import landmarks_of
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading
    from partwhole.training.trainer import Interrupted

    run = RunFolder(out)
    _check_folder(run, resume, overwrite)
    base: dict[str, Any] = {}
    if resume:
        kept = run.read_config()
        base, method = dict(kept["options"]), method or kept["method"]
        target = target or kept.get("task", {}).get("targets")
    if config is not None:
        content = read_toml(config)
        named = content.pop("method", "")
        found = content.get("options", content)
        if not isinstance(found, dict) or not isinstance(named, str):
            raise PartwholeError(
                f"{config} must have `options` as a table and `method` as text, as the config.toml of a run."
            )
        base |= found
        method = method or named or None
    if not target:
        method = method or "subgraph-infomax"
    config_class: type[Options] = PredictorConfig
    if method:
        entry = METHODS.get(method)
        require_labels(entry, target, options)
        config_class = entry.config_class
    if resume:
        base = config_class.completed(base)
    given = {**options, **named_options(option or [], config_class, method)}
    require_options(given, config_class, method)
    chosen = config_class.from_options({**base, **given, "verbose": True})
    launch(devices, machines, getattr(chosen, "device", "cpu"))
    reading = Reading(strict=strict, smiles_column=smiles_column, categorical=tuple(categorical or ()))
    store = read_graphs(data, reading)
    if ranks.is_first():
        tell(reading, out / "left_out.csv")
    labels, kind = labels_of(store, target or [], method)
    estimator = METHODS.get(kind)(**chosen.options())
    started = time.perf_counter()
    gently = estimator.resumable
    stop = _StopOnSignal(gently)
    listed = [run.left_out_file.name] if reading.left_out else []  # just written
    folder: dict[str, Any] = {"resume": resume, "overwrite": overwrite, "keep": listed}
    try:
        with nullcontext() if gently else Console(stderr=True).status(f"fitting {kind}"):
            estimator.fit_run(store, out, stop_requested=stop.requested, **folder, **labels)
    except Interrupted as stopped:
        if ranks.is_first():
            again = f"partwhole fit {data} --out {out} --resume"
            print(f"Stopped in epoch {stopped.progress.epoch + 1}; continue with: {again}", file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        stop.restore()
    if not ranks.is_first():
        return
    if estimator.embeds_new_graphs:
        landmarks = landmarks_of(estimator.transform, store, estimator.width)
        if landmarks is not None:
            landmarks.write(out)
    last = estimator.history_[-1] if estimator.history_ else {}
    result = {
        "run": str(out),
        "method": estimator.method,
        "data": store.name,
        "graphs": len(store),
        "left_out": len(reading.left_out),
        "epochs": len(estimator.history_),
        "seed": getattr(chosen, "random_state", None),
        "seconds": round(time.perf_counter() - started, 3),
        "last": last,
        **({"targets": estimator.target_names_, **_labels_told(estimator)} if target else {}),
    }
    if json:
        print_json(result)
        return
    learned_from = f"{len(store)} graphs of {store.name}"
    if target:
        labelled = estimator.about_["task"]["labelled"]
        learned_from = f"{labelled} labelled of {len(store)} graphs of {store.name}"
    print(f"Fitted {estimator.method} to {learned_from}; the run is in {out}.")
    if target:
        _show_labels(estimator)
    print(f"Next: partwhole {_next_step(store, data, out, bool(target))}")


def _labels_told(estimator: Any) -> dict[str, Any]:
    """What came of the labels, for machines."""
    held = estimator.held_out_
    return {
        "labelled": estimator.about_["task"]["labelled"],
        "choice": estimator.choice_,
        "held_out": held and {"how": held.how, "measures": {g.target: g.measures for g in held.guesses}},
    }


def _show_labels(estimator: Any) -> None:
    """What was chosen, and how good predictions are for graphs that were held out."""
    from partwhole.estimators.semi_supervised.measures import ALL_MEASURES

    for choice in estimator.choice_[:MOST_TOLD]:
        print(f"Chosen, {choice}.")
    if len(estimator.choice_) > MOST_TOLD:
        print(f"… and {len(estimator.choice_) - MOST_TOLD} more.")
    held = estimator.held_out_
    if held is None:
        print("No labelled graph was held out, so that nothing is known of how good the predictions are.")
        return
    names = [name for name in ALL_MEASURES if any(name in g.measures for g in held.guesses)]
    rows = [
        [g.target, str(len(g.rows)), *(f"{g.measures[n]:.4g}" if n in g.measures else "–" for n in names)]
        for g in held.guesses
    ]
    header = ["target", "graphs", *(ALL_MEASURES[name] for name in names)]
    print_table(
        "On labelled graphs that were held out", header, rows, numbers=header[1:], note=f"{held.how}."
    )


def _next_step(store: Any, data: str, out: Path, labels_learned: bool) -> str:
    if labels_learned:
        return f"predict {out} {data} --out predictions.csv"
    if store.has_labels and store.schema.targets[0].is_categorical:
        smallest = min(Counter(store.labels.tolist()).values())
        if smallest >= 3:
            return f"evaluate {out} {data}" + ("" if smallest >= FOLDS else f" --folds {smallest}")
    return f"embed {out} {data} --out vectors.parquet"


def _check_folder(run: Any, resume: bool, overwrite: bool) -> None:
    if resume and overwrite:
        raise PartwholeError("Choose one of --resume and --overwrite.")
    if run.path.exists() and not run.path.is_dir():
        raise PartwholeError(f"{run.path} is a file; give a folder to --out.")
    if run.exists() and not (resume or overwrite):
        raise PartwholeError(
            f"{run.path} already holds a run; continue it with --resume, replace it with --overwrite, or "
            "choose another folder."
        )


class _StopOnSignal:
    """The first Ctrl-C (or SIGTERM) asks training to stop after its step; the second ends at once, as
    the first does where there is nothing to go on from."""

    def __init__(self, gently: bool) -> None:
        self.asked = not gently
        self.before = {s: signal.signal(s, self._handle) for s in (signal.SIGINT, signal.SIGTERM)}

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def requested(self) -> bool:
        """Asked only of a fit that can stop gently."""
        return self.asked

    def restore(self) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
