"""The HTTP service: a page to look at, and an API with the same answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from partwhole.serving import page
from partwhole.serving.limits import BodyLimits, KnownHosts, Limits
from partwhole.serving.problems import PROBLEMS, add_handlers
from partwhole.serving.requests import request_types
from partwhole.serving.routes import Answerer, page_routes, prediction_routes, vector_routes
from partwhole.serving.service import Service


def make_app(service: Service, limits: Limits, hosts: Sequence[str] = ()) -> FastAPI:
    """The service as an ASGI app, which answers to the names `hosts` only; none: to all."""
    answerer = Answerer(service, limits)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        answerer.queue.start()
        yield
        answerer.queue.stop()

    app = FastAPI(
        title="partwhole",
        version=version("partwhole"),
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        responses=PROBLEMS,
    )
    app.add_middleware(BodyLimits, limits=limits)
    if hosts:
        app.add_middleware(KnownHosts, hosts=hosts)
    add_handlers(app)
    types = request_types(service.estimator.schema_, service.example, service.molecules, limits)
    for router in (
        vector_routes(answerer, types),
        prediction_routes(answerer, types),
        page_routes(answerer, types, limits),
        page.router,
    ):
        app.include_router(router)
    return app
