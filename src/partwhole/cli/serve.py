"""`partwhole serve`: a run as a local web page and an HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwhole.cli.reading import Run, graphs_of_fit, tell
from partwhole.errors import PartwholeError


def serve(
    run: Run,
    data: Annotated[
        str | None,
        typer.Argument(help="Graphs to show and to search. [default: those of the fit]", show_default=False),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at; 0 takes a free one.")] = 8000,
    megabytes: Annotated[int, typer.Option(help="Of the largest request.")] = 2,
    graphs: Annotated[int, typer.Option(help="At most so many in one request.")] = 256,
    seconds: Annotated[float, typer.Option(help="For a request to arrive, and again to be answered.")] = 20,
) -> None:
    """Serve a page that shows a graph, its place and its neighbours, and the same as an API.

    Example: partwhole serve runs/mutag
    """
    from rich.console import Console

    from partwhole.estimators.loading import load_run
    from partwhole.runs.landmarks import read_landmarks
    from partwhole.runs.pretrained import run_folder
    from partwhole.sources.loading import read_graphs
    from partwhole.sources.reading import Reading

    try:
        from partwhole.serving.app import make_app
        from partwhole.serving.limits import Limits
        from partwhole.serving.server import run_server
        from partwhole.serving.service import Service
    except ImportError as error:
        raise PartwholeError(
            f"The service needs {error.name}; install it with `pip install 'partwhole[serve]'`."
        ) from None
    estimator = load_run(run)
    if not estimator.embeds_new_graphs:
        raise PartwholeError(f"{estimator.method} cannot embed new graphs, and a service would have to.")
    reading = Reading(estimator.schema_, strict=False)
    console = Console(stderr=True)
    with console.status("reading and embedding the graphs"):
        store = read_graphs(data or graphs_of_fit(estimator), reading)
        limits = Limits(body_bytes=megabytes * 2**20, graphs=graphs, seconds=seconds)
        service = Service(estimator, store, limits, read_landmarks(run_folder(run)))
    with console.status("drawing the map"):
        _ = service.map
    tell(reading, (run if run.is_dir() else Path()) / "left_out.csv")
    loopback = ["127.0.0.1", "localhost", "::1"]
    app = make_app(service, limits, loopback if host in loopback else [])
    run_server(app, host, port, limits)
