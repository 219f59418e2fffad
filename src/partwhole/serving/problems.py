"""What went wrong with a request, as a status and one sentence, which the description of the API names."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic_core import ErrorDetails

from partwhole.errors import PartwholeError, TooLarge
from partwhole.serving.answers import Problem
from partwhole.serving.limits import LimitExceeded

MEANINGS = {
    400: "The request cannot be read, or asks for a host that is not the service.",
    408: "The request did not arrive in time.",
    413: "The request, or a graph of it, is too large.",
    422: "The request is not as described.",
    500: "The service failed.",
    503: "Too many requests at once, or no answer in time.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": meaning} for status, meaning in MEANINGS.items()
}


def add_handlers(app: FastAPI) -> None:
    """Have every error answered with a sentence, our own included."""
    app.add_exception_handler(PartwholeError, _wrong)
    app.add_exception_handler(LimitExceeded, _limit_exceeded)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(Exception, _failed)


def problem(status: int, reason: str) -> JSONResponse:
    """An answer of the type `Problem`."""
    return JSONResponse({"detail": reason}, status)


async def _wrong(request: Request, reason: Exception) -> JSONResponse:
    return problem(413 if isinstance(reason, TooLarge) else 422, str(reason))


async def _limit_exceeded(request: Request, reason: Exception) -> JSONResponse:
    return problem(getattr(reason, "status", 503), str(reason))


async def _failed(request: Request, reason: Exception) -> JSONResponse:
    return problem(500, f"The service failed at this request ({type(reason).__name__}).")


async def _malformed(request: Request, reason: Exception) -> JSONResponse:
    assert isinstance(reason, RequestValidationError)
    return problem(422, _sentence(reason.errors()[0]))


def _sentence(error: ErrorDetails) -> str:
    """The first thing that is not as the types have it, and where."""
    if error["type"] == "json_invalid":
        return "The request is not JSON; check its brackets and quotes."
    *path, last = [str(step) for step in error["loc"] if step not in ("body", "query")] or [""]
    if error["type"] == "missing":
        return f"{'.'.join(path) or 'The request'} has no {last!r}; see /openapi.json for what it must have."
    where = ".".join([*path, last])
    return f"{where}: {error['msg']}." if where else f"{error['msg']}."
