"""The one exception a user can cause: a sentence with cause and cure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 5  # of many known names
FEW = 12  # of which all are shown, where they are choices and not columns of a table


class PartwholeError(ValueError):
    """Bad input. The command line prints it as one sentence and exits with code 2."""


class DataUnavailable(PartwholeError):
    """A known data set that is neither on this machine nor to be downloaded now."""


class TooLarge(PartwholeError):
    """Graphs that a method cannot do within its limits; a table says so and goes on."""


def near_miss(name: str, known: Iterable[str], whole: int = SHOWN) -> str:
    """`" Did you mean 'x'?"` for the closest known name, else the known names: all if there are at most
    `whole`, as of things that are few by nature, otherwise the first ones."""
    known = list(known)
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    if close:
        return f" Did you mean {lowered[close[0]]!r}?"
    if len(known) <= whole:
        return f" Known: {', '.join(known)}." if known else ""
    return f" Known: {', '.join(known[:SHOWN])} and {len(known) - SHOWN} more."
