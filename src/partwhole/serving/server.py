"""The app on a socket."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI

from partwhole.errors import PartwholeError
from partwhole.serving.limits import Limits, patient_for


def run_server(app: FastAPI, host: str, port: int, limits: Limits) -> None:
    """Answer until Ctrl-C or SIGTERM; requests that are being answered are finished first."""
    config = uvicorn.Config(
        app,
        http=patient_for(limits.seconds),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=int(limits.seconds),
    )
    with _listening(host, port) as listener:
        shown, number = listener.getsockname()[:2]
        print(f"Serving at http://{shown}:{number} (Ctrl-C ends it).", flush=True)
        uvicorn.Server(config).run([listener])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise PartwholeError(
            f"Cannot listen at {host}, port {port} ({error}); choose another with --host and --port."
        ) from None
