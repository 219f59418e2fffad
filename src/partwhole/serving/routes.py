"""The API: which path gives which answer."""

# No `from __future__ import annotations`: FastAPI looks at the types of the endpoints below.

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from partwhole.graphs.store import GraphStore
from partwhole.serving.answers import (
    DrawnNeighbor,
    Example,
    Health,
    Map,
    Neighbor,
    NeighborLists,
    Part,
    PredictedTargets,
    Prediction,
    Seen,
    Vectors,
)
from partwhole.serving.batching import BatchQueue
from partwhole.serving.limits import Limits, Places
from partwhole.serving.problems import problem
from partwhole.serving.requests import NEIGHBORS, Given, RequestTypes, neighbors, require_text
from partwhole.serving.service import Embedded, Service
from partwhole.serving.uploads import FileName, read_upload

A = TypeVar("A")
Read = Callable[[], GraphStore]
WHOLE_FILE = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


class Answering:
    """Reads graphs, has them embedded with those of other requests, and makes the answer, within limits."""

    def __init__(self, service: Service, limits: Limits):
        self.service, self.places = service, Places(limits)
        self.queue: BatchQueue[GraphStore, Embedded] = BatchQueue(service.embed, most=64)

    async def answer(self, read: Read, make: Callable[[GraphStore, Embedded], A]) -> A:
        return await self.places.within(self._answer(read, make))

    async def _answer(self, read: Read, make: Callable[[GraphStore, Embedded], A]) -> A:
        store = await run_in_threadpool(read)
        found = await self.queue.ask(store)
        return await run_in_threadpool(make, store, found)

    def reader(self, given: Given) -> Read:
        def read() -> GraphStore:
            require_text(given)
            if "smiles" in given:
                return self.service.read_smiles(given["smiles"])
            return self.service.read_node_link(given["graphs"])

        return read


def vector_routes(answering: Answering, types: RequestTypes) -> APIRouter:
    router, service = APIRouter(), answering.service

    @router.post("/embed")
    async def embed(given: Given = _body(types.embed)) -> Vectors:
        """One vector for each graph."""
        return await answering.answer(
            answering.reader(given),
            lambda store, found: Vectors(ids=_ids(store), vectors=found.vectors.tolist()),
        )

    @router.post("/neighbors")
    async def neighbors(given: Given = _body(types.neighbors)) -> NeighborLists:
        """The graphs of the service that are closest to each graph."""

        def closest(store: GraphStore, found: Embedded) -> NeighborLists:
            lists = service.closest(found.vectors, given.get("k", NEIGHBORS))
            return NeighborLists(ids=_ids(store), neighbors=[[Neighbor(**n) for n in one] for one in lists])

        return await answering.answer(answering.reader(given), closest)

    return router


def prediction_routes(answering: Answering, types: RequestTypes) -> APIRouter:
    router = APIRouter()
    if not answering.service.predicts:
        router.add_api_route("/predict", _predicts_nothing, methods=["POST"], include_in_schema=False)
        return router

    @router.post("/predict")
    async def predict(given: Given = _body(types.embed)) -> PredictedTargets:
        """The targets of each graph, as the run has learned them."""

        def predicted(store: GraphStore, found: Embedded) -> PredictedTargets:
            return PredictedTargets(ids=_ids(store), targets=found.targets, probabilities=found.chances)

        return await answering.answer(answering.reader(given), predicted)

    return router


async def _predicts_nothing() -> JSONResponse:
    reason = "The run was fitted without labels and predicts nothing; fit with --target."
    return problem(404, reason)


def page_routes(answering: Answering, types: RequestTypes, limits: Limits) -> APIRouter:
    router, service = APIRouter(), answering.service

    def seen(read: Read, k: int) -> Awaitable[list[Seen]]:
        return answering.answer(read, lambda store, found: _seen(service, store, found, k))

    @router.post("/look")
    async def look(given: Given = _body(types.look)) -> list[Seen]:
        """What the page shows of each graph."""
        return await seen(answering.reader(given), given.get("k", NEIGHBORS))

    @router.post("/upload", openapi_extra={"requestBody": WHOLE_FILE | {"required": True}})
    async def upload(
        request: Request,
        name: Annotated[FileName, Query(examples=["molecules.smi"])],
        k: neighbors(limits) = NEIGHBORS,  # type: ignore[valid-type]
    ) -> list[Seen]:
        """`look` for the first graphs of a file, given as the body; its name tells the kind."""
        body = await request.body()
        return await seen(lambda: read_upload(body, name, service), k)

    @router.get("/map")
    async def map_() -> Map:
        """Every graph of the service on the map, with its drawing."""
        return Map(**await run_in_threadpool(lambda: service.map))

    @router.get("/healthz")
    async def healthz() -> Health:
        """That the service is there, and what it serves."""
        return Health(
            status="ok",
            method=service.estimator.method,
            data=service.store.name,
            graphs=len(service.store),
            width=service.vectors.shape[1],
            targets=list(getattr(service.estimator, "target_names_", [])),
            smiles=service.molecules,
            example=Example(graphs=[service.example]),
            limits=limits,
        )

    return router


def _body(kind: Any) -> Any:
    """The body of a request as this type, which is known when the service starts, not before."""

    def given(content: Any) -> Any:
        return content

    given.__annotations__["content"] = Annotated[kind, Body()]
    return Depends(given)


def _seen(service: Service, store: GraphStore, found: Embedded, k: int) -> list[Seen]:
    lists, places = service.closest(found.vectors, k), service.place(found.vectors)
    far = service.far(found.vectors, store)
    return [
        Seen(
            id=name,
            drawing=service.drawing(store[i]),
            parts=[Part(color=color, nodes=nodes) for color, nodes in service.parts(store[i])],
            far=None if far is None else far[i],
            place=(float(places[i][0]), float(places[i][1])),
            predicted=[Prediction(**about) for about in found.predictions(i)],
            neighbors=[DrawnNeighbor(**n, drawing=service.drawn(n["index"])) for n in lists[i]],
        )
        for i, name in enumerate(_ids(store))
    ]


def _ids(store: GraphStore) -> list[str]:
    return [str(name) for name in store.ids]
