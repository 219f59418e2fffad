"""`--ray [ADDRESS]`, of the commands whose work splits."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from partwhole.parallel.workers import LOCAL

RAY = "--ray"
ADDRESS = re.compile(rf"auto|{LOCAL}|[^/]*:\d+")

Ray = Annotated[
    str | None,
    typer.Option(
        RAY,
        metavar="[ADDRESS]",
        help="On a Ray cluster: that of the address, or one of this machine's cores.",
        show_default=False,
    ),
]
