"""The command line in real processes that need no start: they are forked from a server that has everything
imported, so that a call takes as long as its work."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path
from subprocess import CompletedProcess

# What lets a started process count for the coverage. It costs some of them half of their time again, so only
# the server below and the web service have it; conftest takes it out of the environment.
MEASURED: dict[str, str] = {}

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["torch", "sklearn.svm", "numba", "pyarrow.parquet", "partwhole.cli.main"])


def as_it_is() -> None:
    """Nothing to prepare."""


def run_here(arguments: list[str]) -> None:
    """The command in this process, which ends with it."""
    from partwhole.cli.main import main

    sys.argv = ["partwhole", *arguments]
    try:
        main()
        code: object = 0
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)  # idle helpers are not waited for


def start_unmeasured() -> None:
    """From here on, processes that this one starts do not count."""
    MEASURED.update({name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")})


def _forked(
    arguments: list[str],
    environment: dict[str, str],
    cwd: str | None,
    out: str,
    errors: str,
    prepare: Callable[[], None],
) -> None:
    for path, number in ((out, 1), (errors, 2)):
        os.dup2(os.open(path, os.O_WRONLY), number)
    os.environ.clear()
    os.environ.update(environment)
    if cwd is not None:
        os.chdir(cwd)
    prepare()
    run_here(arguments)


def start_server() -> None:
    """Once for each process of tests."""
    os.environ.update(MEASURED)
    forkserver.ensure_running()
    start_unmeasured()


def partwhole(
    *arguments: object,
    cwd: Path | None = None,
    prepare: Callable[[], None] = as_it_is,
) -> CompletedProcess:
    """`partwhole ARGUMENTS` as `subprocess.run` would give it; `prepare` is called first, in its process."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("out", "errors")]
        for file in files:
            file.touch()
        words = [str(argument) for argument in arguments]
        given = (words, os.environ | {"COLUMNS": "120"}, cwd and str(cwd), *map(str, files), prepare)
        start_server()
        process = SERVER.Process(target=_forked, args=given)
        process.start()
        process.join()  # however long it takes on a busy machine; pytest ends a test that hangs
        return CompletedProcess(words, process.exitcode, *(file.read_text() for file in files))


def python(script: str, *folders: Path) -> CompletedProcess:
    """A script in a new process of Python, which imports from these folders first."""
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
