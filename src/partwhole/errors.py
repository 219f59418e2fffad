"""The one exception a user can cause: a sentence with cause and cure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PartwholeError(ValueError):
    """Bad input. The command line prints it as one sentence and exits with code 2."""


class DataUnavailable(PartwholeError):
    """A known data set that is neither on this machine nor to be downloaded now."""


class TooLarge(PartwholeError):
    """Graphs that a method cannot do within its limits; a table says so and goes on."""


def near_miss(name: str, known: Iterable[str]) -> str:
    """`" Did you mean 'x'?"` for the closest known name, else the list of known names."""
    known = list(known)
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    if close:
        return f" Did you mean {lowered[close[0]]!r}?"
    return f" Known: {', '.join(known)}." if known else ""
