"""What Ctrl-C and SIGTERM do to a command that runs for long."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def handled(numbers: tuple[signal.Signals, ...], handler: Handler) -> Iterator[None]:
    """Let `handler` answer these signals for a while."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, own in before.items():
            signal.signal(number, own)


@contextmanager
def interrupted_by(*numbers: signal.Signals) -> Iterator[None]:
    """Turn these signals into a KeyboardInterrupt, also where the shell had them ignored."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with handled(numbers, interrupt):
        yield


class StopRequest:
    """Whether a user asked a fit to stop.

    The first Ctrl-C (or SIGTERM) asks training to stop after its step; the second ends at once, as the first
    does where the fit cannot stop gently: there is nothing to go on from.
    """

    def __init__(self, gently: bool) -> None:
        self._asked = not gently

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Take signals as requests for a while."""
        with handled((signal.SIGINT, signal.SIGTERM), self._handle):
            yield

    def requested(self) -> bool:
        """Asked only by a fit that can stop gently."""
        return self._asked

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
