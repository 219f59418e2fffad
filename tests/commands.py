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
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from subprocess import CompletedProcess

# What lets a started process count for the coverage. It costs some of them half of their time again, so only
# the server below and the web service have it; conftest takes it out of the environment.
MEASURED: dict[str, str] = {}

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["warm"])


def as_it_is() -> None:
    """Nothing to prepare."""


def exit_code(arguments: list[str]) -> int:
    """The command in this process, which is of no use afterwards."""
    from partwhole.cli.main import main

    sys.argv = ["partwhole", *arguments]
    try:
        main()
        code: object = 0
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 0 if code is None else 1


def start_unmeasured() -> None:
    """From here on, processes that this one starts do not count."""
    MEASURED.update({name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")})


def _command(
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
    os._exit(exit_code(arguments))  # idle helpers are not waited for


def forked(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """`target(*arguments)` in a process of its own, which has begun."""
    before = dict(os.environ)
    os.environ.update(MEASURED | {"PYTHONPATH": os.pathsep.join(sys.path)})  # for the server, where it starts
    forkserver.ensure_running()
    os.environ.clear()
    os.environ.update(before)
    process = SERVER.Process(target=target, args=arguments)
    process.start()
    return process


class Command:
    """`partwhole ARGUMENTS` in a process of its own, which has begun; `prepare` is called first, in it."""

    def __init__(
        self, *arguments: object, cwd: Path | None = None, prepare: Callable[[], None] = as_it_is
    ) -> None:
        self.words = [str(argument) for argument in arguments]
        self._folder = tempfile.TemporaryDirectory()
        self._files = [Path(self._folder.name, name) for name in ("out", "errors")]
        for file in self._files:
            file.touch()
        environment = os.environ | {"COLUMNS": "120"}
        files = map(str, self._files)
        self._process = forked(_command, self.words, environment, cwd and str(cwd), *files, prepare)
        self.pid = self._process.pid

    @property
    def runs(self) -> bool:
        return self._process.is_alive()

    def stop(self, number: int) -> CompletedProcess:
        """Send it a signal, and what came of it."""
        os.kill(self.pid, number)
        return self.end()

    def end(self) -> CompletedProcess:
        """What `subprocess.run` would give."""
        self._process.join()  # however long it takes on a busy machine; pytest ends a test that hangs
        said, told = (file.read_text() for file in self._files)
        self._folder.cleanup()
        return CompletedProcess(self.words, self._process.exitcode, said, told)


def partwhole(
    *arguments: object,
    cwd: Path | None = None,
    prepare: Callable[[], None] = as_it_is,
) -> CompletedProcess:
    """The same, when it has ended."""
    return Command(*arguments, cwd=cwd, prepare=prepare).end()


def python(script: str, *folders: Path) -> CompletedProcess:
    """A script in a new process of Python, which imports from these folders first."""
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
