"""`partwhole`: gathers the commands and turns bad input into one sentence and exit code 2."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer
from typer.exceptions import Exit, TyperException

import partwhole
from partwhole.cli.datasets import datasets
from partwhole.cli.embed import embed
from partwhole.cli.evaluate import evaluate
from partwhole.cli.fit import fit
from partwhole.cli.methods import methods
from partwhole.cli.neighbors import neighbors
from partwhole.cli.optional_values import with_values
from partwhole.cli.options import FitCommand
from partwhole.cli.parts import parts
from partwhole.cli.predict import predict
from partwhole.cli.report import report
from partwhole.cli.reproduce import reproduce
from partwhole.cli.serve import serve
from partwhole.errors import PartwholeError

app = typer.Typer(
    name="partwhole",
    help="Vectors for whole graphs, learned without labels or from a few.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(cls=FitCommand)(fit)
for command in (embed, neighbors, evaluate, predict, parts, report, serve, reproduce, datasets, methods):
    app.command()(command)


def show_version(asked: bool) -> None:
    """Print the version and end, where `--version` is given."""
    if asked:
        print(f"partwhole {partwhole.__version__}")
        raise Exit()


@app.callback()
def without_command(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Answer what can be asked without a command."""


LISTS = ("--datasets", "--methods", "--targets")  # of reproduce, whose one argument comes before them


def spread_lists(arguments: Sequence[str]) -> list[str]:
    """Write `reproduce TABLE --datasets A B` as `reproduce TABLE --datasets A --datasets B`."""
    if list(arguments[:1]) != ["reproduce"] or any(a.startswith("-") for a in arguments[1:2]):
        return list(arguments)
    out: list[str] = []
    flag, values = "", 0
    for argument in arguments:
        if argument.startswith("-"):
            flag, values = argument, 0
        else:
            if flag in LISTS and values:
                out.append(flag)
            values += 1
        out.append(argument)
    return out


def main() -> None:
    """Run the command of `sys.argv`, and end the process with its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _note
        _run(sys.argv[1:] or ["--help"])


def _run(arguments: Sequence[str]) -> None:
    try:
        code = app(with_values(spread_lists(arguments)), standalone_mode=False)
    except PartwholeError as error:
        _fail(str(error))
    except TyperException as error:  # unknown option, missing argument, a value of the wrong type
        _fail(error.format_message())
    except Exit as error:
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(sentence: str) -> None:
    print(f"partwhole: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(2)


def _note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as a person reads it: what, not the line of code that said so."""
    print(f"note: {' '.join(str(message).split())}", file=sys.stderr)
