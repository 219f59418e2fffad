"""What a request may cost; what asks for more is answered with a sentence or cut off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

T = TypeVar("T")

THROWN_AWAY = 64  # times the size of a body that are read, and not kept, to answer that it is too large


@dataclass(frozen=True)
class Limits:
    """The most that a request may have; `/healthz` tells them."""

    body_bytes: int = 2 * 2**20
    graphs: int = 256  # of one request
    shown: int = 20  # graphs that are drawn for one request
    nodes: int = 2000  # of one graph
    edges: int = 20_000
    neighbors: int = 100
    seconds: float = 20.0  # for a request to arrive, and again to be answered
    waiting: int = 256  # requests at a time; more are turned away


class LimitExceeded(Exception):
    """A request beyond a limit, with its HTTP status."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


class RequestSlots:
    """So many requests at a time, and each within its time."""

    def __init__(self, limits: Limits):
        self.limits, self.free = limits, asyncio.Semaphore(limits.waiting)

    async def within(self, answer: Awaitable[T]) -> T:
        """The answer, or `LimitExceeded` where no slot is free or the time is over."""
        if self.free.locked():
            raise LimitExceeded(503, f"{self.limits.waiting} requests are waiting already; try again soon.")
        async with self.free:
            try:
                return await asyncio.wait_for(answer, self.limits.seconds)
            except TimeoutError:
                late = f"No answer within {self.limits.seconds:.0f} s; send fewer graphs at a time."
                raise LimitExceeded(503, late) from None


class KnownHosts:
    """Answers to these names only: a page elsewhere cannot pose as us under a name of its own."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]):
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _host(scope) not in self.hosts:
            await _refuse(send, 400, f"Ask for {' or '.join(self.hosts)}, where this service is.")
            return
        await self.app(scope, receive, send)


class BodyLimits:
    """Keeps bodies that are too large, or that come too slowly, away from the app."""

    def __init__(self, app: ASGIApp, limits: Limits):
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await asyncio.wait_for(self._body(scope, receive), self.limits.seconds)
        except TimeoutError:
            await _refuse(send, 408, f"The request did not arrive within {self.limits.seconds:.0f} s.")
            return
        except LimitExceeded as reason:
            await self._throw_away(receive)
            await _refuse(send, reason.status, str(reason))
            return
        rest = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def given() -> Message:
            return next(rest, None) or await receive()  # after the body: the client has gone

        await self.app(scope, given, send)

    async def _throw_away(self, receive: Receive) -> None:
        """What is still to come, within bounds: a client that is cut off while it sends may not see the
        answer."""
        left = THROWN_AWAY * self.limits.body_bytes
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.seconds):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body"):
                        return

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        most = self.limits.body_bytes
        size = f"{most / 2**20:.0f} MB"
        too_large = LimitExceeded(413, f"The request is larger than {size}; send fewer graphs at a time.")
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > most:
            raise too_large
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body)
            body += message.get("body", b"")
            if len(body) > most:
                raise too_large
            if not message.get("more_body"):
                return bytes(body)


def _host(scope: Scope) -> str | None:
    """Without its port."""
    given = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    try:
        return urlsplit(f"//{given}").hostname
    except ValueError:  # half of an address
        return None


async def _refuse(send: Send, status: int, reason: str) -> None:
    """Answer and close: what is still to come of the request is not wanted."""
    body = json.dumps({"detail": reason}).encode()
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def patient_for(seconds: float) -> type[H11Protocol]:
    """The HTTP protocol, which closes connections on which no request begins in time."""

    class PatientProtocol(H11Protocol):
        """Looks after so many seconds whether there is a request."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.loop.call_later(seconds, self._close_if_silent, None)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self.loop.call_later(seconds, self._close_if_silent, self.cycle)

        def _close_if_silent(self, last: RequestResponseCycle | None) -> None:
            """Unless another request has begun since the last."""
            if getattr(self, "cycle", None) is last and not self.transport.is_closing():
                self.transport.close()

    return PatientProtocol
