"""The HTTP service: a page to look at, and an API with the same answers."""

# No `from __future__ import annotations`: FastAPI looks at the types of the endpoints below.

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from partwhole.errors import PartwholeError
from partwhole.serving.batching import BatchQueue
from partwhole.serving.limits import BodyLimits, Limits, TooMuch
from partwhole.serving.service import Embedded, Service
from partwhole.serving.uploads import read_upload
from partwhole.store import GraphStore

NO_REFERRER = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


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


def make_app(service: Service, limits: Limits) -> FastAPI:
    queue: BatchQueue[GraphStore, Embedded] = BatchQueue(
        service.embed, most=64, seconds=limits.seconds, waiting=limits.waiting
    )

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        queue.start()
        yield
        queue.stop()

    app = FastAPI(
        title="partwhole", version=version("partwhole"), lifespan=life, docs_url=None, redoc_url=None
    )
    app.add_middleware(BodyLimits, limits=limits)

    def read(given: Graphs) -> GraphStore:
        if (given.smiles is None) == (given.graphs is None):
            raise PartwholeError("Give either `smiles` or `graphs`.")
        return (
            service.read_smiles(given.smiles)
            if given.smiles is not None
            else service.read_node_link(given.graphs or [])
        )

    @app.post("/embed")
    async def embed(given: Graphs) -> Vectors:
        """One vector for each graph."""
        store = await _in_thread(read, given)
        found = await queue.ask(store)
        return Vectors(ids=_ids(store), vectors=found.vectors.tolist())

    @app.post("/neighbors")
    async def neighbors(given: Query) -> NeighborLists:
        """The graphs of the service that are closest to each graph."""
        store = await _in_thread(read, given)
        found = await queue.ask(store)
        lists = service.closest(found.vectors, given.k)
        return NeighborLists(ids=_ids(store), neighbors=[[Neighbor(**n) for n in of_one] for of_one in lists])

    @app.post("/predict")
    async def predict(given: Graphs) -> PredictedTargets:
        """The targets of each graph, where the run has learned any."""
        store = await _in_thread(read, given)
        found = await queue.ask(store)
        if not found.targets:
            raise PartwholeError("The run was fitted without labels and predicts nothing; fit with --target.")
        return PredictedTargets(ids=_ids(store), targets=found.targets)

    @app.post("/look")
    async def look(given: Query) -> list[Seen]:
        """What the page shows of each graph."""
        store = await _in_thread(read, given)
        return await seen(store, given.k)

    @app.post("/upload")
    async def upload(request: Request, name: str, k: int = 10) -> list[Seen]:
        """`look` for the graphs of a file, given as the body; its name tells the kind."""
        body = await request.body()
        store = await _in_thread(read_upload, body, name, service)
        return await seen(store, k)

    async def seen(store: GraphStore, k: int) -> list[Seen]:
        found = await queue.ask(store)
        lists = service.closest(found.vectors, k)
        places = service.place(found.vectors)
        return await _in_thread(_seen, service, store, found, lists, places)

    @app.get("/map")
    async def map_() -> dict[str, Any]:
        """Every graph of the service on the map, with its drawing."""
        return await _in_thread(lambda: service.map)

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
        return HTMLResponse(_file("serving", "page.html"), headers=NO_REFERRER)

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
        return Response(content(), media_type=kind, headers=NO_REFERRER | {"Cache-Control": "max-age=3600"})

    @app.exception_handler(PartwholeError)
    async def wrong(request: Request, reason: PartwholeError) -> JSONResponse:
        return JSONResponse({"detail": str(reason)}, 422)

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


def _seen(
    service: Service, store: GraphStore, found: Embedded, lists: list[list[dict[str, Any]]], places: Any
) -> list[Seen]:
    return [
        Seen(
            id=name,
            drawing=service.drawing(store[i]),
            place=(float(places[i][0]), float(places[i][1])),
            predicted={target: values[i] for target, values in found.targets.items()},
            neighbors=[n | {"drawing": service.drawing(service.store[n["index"]])} for n in lists[i]],
        )
        for i, name in enumerate(_ids(store))
    ]


async def _in_thread(function: Any, *arguments: Any) -> Any:
    from starlette.concurrency import run_in_threadpool

    return await run_in_threadpool(function, *arguments)


def _ids(store: GraphStore) -> list[str]:
    return [str(name) for name in store.ids]


def _file(package: str, name: str) -> str:
    return files(f"partwhole.{package}").joinpath(name).read_text()


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
