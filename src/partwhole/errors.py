"""The one exception a user can cause: a sentence with cause and cure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 5  # of many known names
FEW = 12  # of which all are shown, where they are choices and not columns of a table


class PartwholeError(ValueError):
    """Bad input: what is wrong and what to do, in one sentence.

    It is the only error that data or options of a user cause. It is a `ValueError`; the command line prints
    the sentence and exits with code 2.

    Examples
    --------
    >>> from partwhole import PartwholeError, load_graphs
    >>> try:
    ...     load_graphs("MUTAGG")
    ... except PartwholeError as error:
    ...     print(error)
    There is no data set 'MUTAGG' and no file or folder of that name. Did you mean 'MUTAG'?
    """


class DataUnavailable(PartwholeError):
    """A known data set that is neither on this machine nor to be downloaded now."""


class TooLarge(PartwholeError):
    """Graphs that a method cannot do within its limits; a table says so and goes on."""


def near_miss(name: str, known: Iterable[str], whole: int = SHOWN) -> str:
    """The end of an error about an unknown name: the closest known one, or which names are known.

    All known names are listed if there are at most `whole`, as of things that are few by nature, otherwise
    the first ones.

    >>> near_miss("tree_split", ["tree-split", "multi-head"])
    " Did you mean 'tree-split'?"
    >>> near_miss("x", ["tree-split", "multi-head"])
    ' Known: tree-split, multi-head.'
    """
    known = list(known)
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    if close:
        return f" Did you mean {lowered[close[0]]!r}?"
    if len(known) <= whole:
        return f" Known: {', '.join(known)}." if known else ""
    return f" Known: {', '.join(known[:SHOWN])} and {len(known) - SHOWN} more."
