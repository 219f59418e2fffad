"""The API: which path gives which answer."""

# No `from __future__ import annotations`: FastAPI looks at the types of the endpoints below.

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.serving.answers import (
    Example,
    Health,
    Map,
    NeighborLists,
    PartTypes,
    PredictedTargets,
    ShownGraph,
    UnansweredGraph,
    Vectors,
)
from partwhole.serving.asked_graphs import AskedGraphs, EmbeddedGraph
from partwhole.serving.batching import BatchQueue
from partwhole.serving.limits import Limits, RequestSlots
from partwhole.serving.problems import problem
from partwhole.serving.reading import GivenGraph
from partwhole.serving.requests import (
    NEIGHBORS,
    GraphRequest,
    MadeType,
    RequestTypes,
    neighbors,
    require_text,
)
from partwhole.serving.service import Service
from partwhole.serving.uploads import FileName, read_upload

A = TypeVar("A")
Read = Callable[[], list[GivenGraph]]
AT_ONCE = 256  # graphs in one pass through the model
FILE = {"type": "string", "format": "binary", "minLength": 1}
WHOLE_FILE = {"content": {"application/octet-stream": {"schema": FILE}}, "required": True}


class Answerer:
    """Reads graphs, has them embedded with those of other requests, and makes the answer, within limits."""

    def __init__(self, service: Service, limits: Limits):
        self.service, self.slots = service, RequestSlots(limits)
        self.queue: BatchQueue[GraphStore, EmbeddedGraph] = BatchQueue(service.embed, most=AT_ONCE)

    async def answer(self, read: Read, make: Callable[[AskedGraphs], A]) -> A:
        """What `make` makes of the graphs that `read` gives; both run in a thread of their own."""
        return await self.slots.within(self._answer(read, make))

    async def _answer(self, read: Read, make: Callable[[AskedGraphs], A]) -> A:
        given = await run_in_threadpool(read)
        asked = AskedGraphs(await asyncio.gather(*map(self._embedded, given)))
        return await run_in_threadpool(make, asked)

    async def _embedded(self, graph: GivenGraph) -> EmbeddedGraph | UnansweredGraph:
        if isinstance(graph, UnansweredGraph):
            return graph
        try:
            return await self.queue.ask(graph)
        except PartwholeError as reason:
            return UnansweredGraph(id=graph.ids[0], reason=str(reason))

    def reader(self, request: GraphRequest) -> Read:
        """Reads the graphs of a request, in whatever form it gives them."""

        def read() -> list[GivenGraph]:
            require_text(request)
            if "smiles" in request:
                return self.service.reader.read_smiles(request["smiles"])
            return self.service.reader.read_networks(request["graphs"])

        return read


def vector_routes(answerer: Answerer, types: RequestTypes) -> APIRouter:
    """`/embed` and `/neighbors`."""
    router, service = APIRouter(), answerer.service

    @router.post("/embed")
    async def embed(request: GraphRequest = _body(types.embed)) -> Vectors:
        """One vector for each graph."""

        def vectors(asked: AskedGraphs) -> Vectors:
            rows = asked.in_place(graph.vector.tolist() for graph in asked.embedded)
            return Vectors(ids=asked.ids, vectors=rows, problems=asked.problems)

        return await answerer.answer(answerer.reader(request), vectors)

    @router.post("/neighbors")
    async def neighbors(request: GraphRequest = _body(types.neighbors)) -> NeighborLists:
        """The graphs of the service that are closest to each graph."""

        def closest(asked: AskedGraphs) -> NeighborLists:
            lists = asked.in_place(service.closest(asked.embedded, request.get("k", NEIGHBORS)))
            return NeighborLists(ids=asked.ids, neighbors=lists, problems=asked.problems)

        return await answerer.answer(answerer.reader(request), closest)

    return router


def prediction_routes(answerer: Answerer, types: RequestTypes) -> APIRouter:
    """`/predict`, which is described only where the run predicts something."""
    router, service = APIRouter(), answerer.service
    if not service.predicts:
        router.add_api_route("/predict", _predicts_nothing, methods=["POST"], include_in_schema=False)
        return router

    @router.post("/predict")
    async def predict(request: GraphRequest = _body(types.embed)) -> PredictedTargets:
        """The targets of each graph, as the run has learned them."""

        def predicted(asked: AskedGraphs) -> PredictedTargets:
            found = asked.embedded
            return PredictedTargets(
                ids=asked.ids,
                targets={
                    name: asked.in_place(graph.targets[name] for graph in found)
                    for name in service.target_names
                },
                probabilities={
                    name: {c: asked.in_place(graph.chances[name][c] for graph in found) for c in classes}
                    for name, classes in service.classes.items()
                },
                problems=asked.problems,
            )

        return await answerer.answer(answerer.reader(request), predicted)

    return router


async def _predicts_nothing() -> JSONResponse:
    reason = "The run was fitted without labels and predicts nothing; fit with --target."
    return problem(404, reason)


def page_routes(answerer: Answerer, types: RequestTypes, limits: Limits) -> APIRouter:
    """What the page asks for: `/look`, `/upload`, `/map`, `/types` and `/healthz`."""
    router, service = APIRouter(), answerer.service

    def looked(read: Read, k: int) -> Awaitable[list[ShownGraph | UnansweredGraph]]:
        def shown(asked: AskedGraphs) -> list[ShownGraph | UnansweredGraph]:
            seen = iter(service.look(asked.embedded, k))
            return [graph if isinstance(graph, UnansweredGraph) else next(seen) for graph in asked.graphs]

        return answerer.answer(read, shown)

    @router.post("/look")
    async def look(request: GraphRequest = _body(types.look)) -> list[ShownGraph | UnansweredGraph]:
        """What the page shows of each graph; in the place of one that cannot be read, the reason."""
        return await looked(answerer.reader(request), request.get("k", NEIGHBORS))

    @router.post("/upload", openapi_extra={"requestBody": WHOLE_FILE})
    async def upload(
        request: Request,
        name: Annotated[FileName, Query(examples=["molecules.smi"])],
        k: neighbors(limits) = NEIGHBORS,  # type: ignore[valid-type]
    ) -> list[ShownGraph | UnansweredGraph]:
        """`look` for the first graphs of a file, given as the body; its name tells the kind. What cannot be
        read comes last."""
        body = await request.body()
        if not body:
            raise PartwholeError("The request has no file; send one, which is not empty, as its body.")
        return await looked(lambda: read_upload(body, name, service.reader), k)

    @router.get("/map")
    async def map_() -> Map:
        """Every graph of the service on the map, with its drawing."""
        return Map.model_validate(await run_in_threadpool(lambda: service.map))

    @router.get("/types")
    async def types_() -> PartTypes:
        """The types of parts in whose colours graphs are drawn."""
        return service.part_types

    @router.get("/healthz")
    async def healthz() -> Health:
        """That the service is there, and what it serves."""
        return Health(
            status="ok",
            method=service.estimator.method,
            data=service.store.name,
            graphs=len(service.store),
            width=service.vectors.shape[1],
            targets=service.target_names,
            smiles=service.molecules,
            example=Example(graphs=[service.example]),
            limits=limits,
        )

    return router


def _body(form: MadeType) -> Any:
    """The body of a request as this type, which is known when the service starts, not before."""

    def given(content: GraphRequest) -> GraphRequest:
        return content

    given.__annotations__["content"] = Annotated[form, Body()]
    return Depends(given)
