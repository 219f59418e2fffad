"""The HTTP service: a page to look at, and an API with the same answers."""

# No `from __future__ import annotations`: FastAPI looks at the types of the endpoints below.

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.middleware.trustedhost import TrustedHostMiddleware

from partwhole.errors import PartwholeError, TooLarge
from partwhole.serving.batching import BatchQueue
from partwhole.serving.limits import BodyLimits, Limits, TooMuch
from partwhole.serving.service import Embedded, Service
from partwhole.serving.uploads import read_upload
from partwhole.store import GraphStore

T = TypeVar("T")

# Nothing from elsewhere and no script in what is shown; Plotly makes its shaders and styles as it goes.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:"
)
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": POLICY,
}


class Graphs(BaseModel):
    """Molecules as SMILES, or graphs as node-link JSON: nodes with an id, links with source and target."""

    model_config = ConfigDict(extra="forbid")

    smiles: list[str] | None = Field(None, examples=[["CCO", "c1ccccc1"]])
    graphs: list[dict[str, Any]] | None = Field(
        None, examples=[[{"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}]]
    )


class Query(Graphs):
    k: int = Field(10, description="How many neighbours.")


class Vectors(BaseModel):
    ids: list[str]
    vectors: list[list[float]]


class Neighbor(BaseModel):
    index: int
    id: str | int
    cosine: float
    targets: dict[str, Any] = Field(description="Those that are known of it.")


class NeighborLists(BaseModel):
    ids: list[str]
    neighbors: list[list[Neighbor]]


class PredictedTargets(BaseModel):
    ids: list[str]
    targets: dict[str, list[Any]]


class Seen(BaseModel):
    """All there is to show of a graph."""

    id: str
    drawing: str | None = Field(description="SVG, its nodes coloured by their subgraphs; none if too large.")
    place: tuple[float, float] = Field(description="On the map, between its closest neighbours.")
    predicted: dict[str, Any]
    neighbors: list[dict[str, Any]]


def make_app(service: Service, limits: Limits, hosts: Sequence[str] = ()) -> FastAPI:
    """`hosts` are the names that it answers to; none: all."""
    queue: BatchQueue[GraphStore, Embedded] = BatchQueue(service.embed, most=64)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        queue.start()
        yield
        queue.stop()

    app = FastAPI(
        title="partwhole", version=version("partwhole"), lifespan=life, docs_url=None, redoc_url=None
    )
    app.add_middleware(BodyLimits, limits=limits)
    if hosts:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts)  # a page elsewhere cannot pose as us
    places = asyncio.Semaphore(limits.waiting)

    async def within_limits(answer: Awaitable[T]) -> T:
        """So many requests at a time, and each within its time."""
        if places.locked():
            raise TooMuch(503, f"{limits.waiting} requests are waiting already; try again soon.")
        async with places:
            try:
                return await asyncio.wait_for(answer, limits.seconds)
            except TimeoutError:
                late = f"No answer within {limits.seconds:.0f} s; send fewer graphs at a time."
                raise TooMuch(503, late) from None

    def read(given: Graphs) -> GraphStore:
        if (given.smiles is None) == (given.graphs is None):
            raise PartwholeError("Give either `smiles` or `graphs`.")
        _require_text(given)
        return (
            service.read_smiles(given.smiles)
            if given.smiles is not None
            else service.read_node_link(given.graphs or [])
        )

    async def embedded(given: Graphs) -> tuple[GraphStore, Embedded]:
        store = await run_in_threadpool(read, given)
        return store, await queue.ask(store)

    @app.post("/embed")
    async def embed(given: Graphs) -> Vectors:
        """One vector for each graph."""
        store, found = await within_limits(embedded(given))
        return Vectors(ids=_ids(store), vectors=found.vectors.tolist())

    @app.post("/neighbors")
    async def neighbors(given: Query) -> NeighborLists:
        """The graphs of the service that are closest to each graph."""
        service.require_neighbors(given.k)

        async def answer() -> NeighborLists:
            store, found = await embedded(given)
            lists = await run_in_threadpool(service.closest, found.vectors, given.k)
            return NeighborLists(ids=_ids(store), neighbors=[[Neighbor(**n) for n in one] for one in lists])

        return await within_limits(answer())

    @app.post("/predict")
    async def predict(given: Graphs) -> PredictedTargets:
        """The targets of each graph, where the run has learned any."""
        store, found = await within_limits(embedded(given))
        if not found.targets:
            raise PartwholeError("The run was fitted without labels and predicts nothing; fit with --target.")
        return PredictedTargets(ids=_ids(store), targets=found.targets)

    @app.post("/look")
    async def look(given: Query) -> list[Seen]:
        """What the page shows of each graph."""
        count = len(given.smiles or given.graphs or [])
        if count > limits.shown:
            raise TooMuch(413, f"{count} graphs to look at, at most {limits.shown} are drawn at once.")

        async def answer() -> list[Seen]:
            return await seen(await run_in_threadpool(read, given), given.k)

        return await within_limits(answer())

    @app.post("/upload")
    async def upload(request: Request, name: str, k: int = 10) -> list[Seen]:
        """`look` for the first graphs of a file, given as the body; its name tells the kind."""
        body = await request.body()

        async def answer() -> list[Seen]:
            return await seen(await run_in_threadpool(read_upload, body, name, service), k)

        return await within_limits(answer())

    async def seen(store: GraphStore, k: int) -> list[Seen]:
        service.require_neighbors(k)
        found = await queue.ask(store)
        return await run_in_threadpool(_seen, service, store, found, k)

    @app.get("/map")
    async def map_() -> dict[str, Any]:
        """Every graph of the service on the map, with its drawing."""
        return await run_in_threadpool(lambda: service.map)

    @app.get("/healthz")
    async def healthz() -> dict[str, Any]:
        """That the service is there, and what it serves."""
        return {
            "status": "ok",
            "method": service.estimator.method,
            "data": service.store.name,
            "graphs": len(service.store),
            "width": service.vectors.shape[1],
            "targets": list(getattr(service.estimator, "target_names_", [])),
            "smiles": service.molecules,
            "example": {"graphs": [service.example]},
            "limits": vars(limits),
        }

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(_file("serving", "page.html"), headers=SAFE)

    assets = {
        "style.css": ("text/css", lambda: _file("views", "style.css") + _file("serving", "page.css")),
        "map.js": ("text/javascript", lambda: _file("views", "map.js")),
        "page.js": ("text/javascript", lambda: _file("serving", "page.js")),
        "plotly.js": ("text/javascript", _plotly),
    }

    @app.get("/assets/{name}", include_in_schema=False)
    async def asset(name: str) -> Response:
        if name not in assets:
            return JSONResponse({"detail": "There is no such file."}, 404)
        kind, content = assets[name]
        return Response(content(), media_type=kind, headers=SAFE | {"Cache-Control": "max-age=3600"})

    @app.exception_handler(PartwholeError)
    async def wrong(request: Request, reason: PartwholeError) -> JSONResponse:
        return JSONResponse({"detail": str(reason)}, 413 if isinstance(reason, TooLarge) else 422)

    @app.exception_handler(Exception)
    async def failed(request: Request, reason: Exception) -> JSONResponse:
        return JSONResponse({"detail": f"The service failed at this request ({type(reason).__name__})."}, 500)

    @app.exception_handler(TooMuch)
    async def too_much(request: Request, reason: TooMuch) -> JSONResponse:
        return JSONResponse({"detail": str(reason)}, reason.status)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, reason: RequestValidationError) -> JSONResponse:
        first = reason.errors()[0]
        if first["type"] == "json_invalid":
            return JSONResponse({"detail": "The request is not JSON; check its brackets and quotes."}, 422)
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return JSONResponse({"detail": f"{where or 'The request'}: {first['msg']}."}, 422)

    return app


def _seen(service: Service, store: GraphStore, found: Embedded, k: int) -> list[Seen]:
    lists, places = service.closest(found.vectors, k), service.place(found.vectors)
    return [
        Seen(
            id=name,
            drawing=service.drawing(store[i]),
            place=(float(places[i][0]), float(places[i][1])),
            predicted={target: values[i] for target, values in found.targets.items()},
            neighbors=[n | {"drawing": service.drawn(n["index"])} for n in lists[i]],
        )
        for i, name in enumerate(_ids(store))
    ]


def _require_text(given: Graphs) -> None:
    """JSON can spell halves of characters, which no answer could repeat."""
    try:
        json.dumps(given.model_dump(), ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise PartwholeError("The request has text that is not Unicode, or is nested too deep.") from None


def _ids(store: GraphStore) -> list[str]:
    return [str(name) for name in store.ids]


def _file(package: str, name: str) -> str:
    return files(f"partwhole.{package}").joinpath(name).read_text()


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
