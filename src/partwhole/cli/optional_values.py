"""Options whose value may be left out: `--ray` alone is `--ray local`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from partwhole.cli.cluster import ADDRESS, RAY
from partwhole.parallel.workers import LOCAL

CLUSTERS, FOUND = "--clusters", "found"
OPTIONAL = {
    RAY: (ADDRESS, LOCAL),
    CLUSTERS: (re.compile(rf"\d+|{FOUND}"), FOUND),
}  # what a value is, and without


def with_values(arguments: Sequence[str]) -> list[str]:
    """Put in the values that were left out."""
    out = list(arguments)
    for flag, (value, default) in OPTIONAL.items():
        if flag in out:
            after = out.index(flag) + 1
            if after == len(out) or not value.fullmatch(out[after]):
                out.insert(after, default)
    return out
