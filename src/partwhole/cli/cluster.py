"""`--ray [ADDRESS]`, of the commands whose work splits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from partwhole.workers import LOCAL

FLAG = "--ray"
ADDRESS = re.compile(rf"auto|{LOCAL}|[^/]*:\d+")

Ray = Annotated[
    str | None,
    typer.Option(
        FLAG,
        metavar="[ADDRESS]",
        help="On a Ray cluster: that of the address, or one of this machine's cores.",
        show_default=False,
    ),
]


def with_address(arguments: Sequence[str]) -> list[str]:
    """`--ray` alone as `--ray local`."""
    out = list(arguments)
    if FLAG in out:
        after = out.index(FLAG) + 1
        if after == len(out) or not ADDRESS.fullmatch(out[after]):
            out.insert(after, LOCAL)
    return out
