"""What the service answers, as types that describe it."""

from typing import Any

from pydantic import BaseModel, Field

from partwhole.serving.limits import Limits


class Problem(BaseModel):
    """Why a request was not answered, in a sentence."""

    detail: str


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
    targets: dict[str, list[Any]] = Field(description="Of each target, the value of each graph.")
    probabilities: dict[str, dict[str, list[float]]] = Field(
        description="Of each target that has classes, for each class, the probability for each graph."
    )


class Prediction(BaseModel):
    """One target of one graph."""

    target: str
    value: Any
    probability: float | None = Field(description="That it is this class; none for a number.")
    probabilities: dict[str, float] = Field(description="Of each class; empty for a number.")


class Part(BaseModel):
    """A subgraph, as it is drawn."""

    color: str
    nodes: float = Field(description="That it holds; not a whole number where nodes are shared out.")


class DrawnNeighbor(Neighbor):
    drawing: str | None = Field(description="SVG; none if too large.")


class Seen(BaseModel):
    """All there is to show of a graph."""

    id: str
    drawing: str | None = Field(description="SVG, its nodes coloured by their subgraphs; none if too large.")
    parts: list[Part] = Field(description="Its subgraphs; empty where the run learned none.")
    far: bool | None = Field(description="Whether it is unlike the graphs of the fit; none: not known.")
    place: tuple[float, float] = Field(description="On the map, between its closest neighbours.")
    predicted: list[Prediction] = Field(description="The most notable first.")
    neighbors: list[DrawnNeighbor]


class MapColumn(BaseModel):
    name: str
    numeric: bool
    values: list[Any] = Field(description="Of each graph; none where it is not known.")


class Map(BaseModel):
    """Every graph of the service in the plane."""

    x: list[float]
    y: list[float]
    ids: list[str]
    columns: list[MapColumn] = Field(description="What graphs can be coloured by.")
    colors: list[str]
    parts: list[list[float]] | None = Field(description="Nodes in each subgraph of each graph.")
    drawings: str = Field(description="A list of SVG as JSON, gzip and base64; null where there is none.")


class Example(BaseModel):
    graphs: list[dict[str, Any]]


class Health(BaseModel):
    status: str
    method: str
    data: str = Field(description="The name of the data set.")
    graphs: int
    width: int = Field(description="Of a vector.")
    targets: list[str]
    smiles: bool = Field(description="Whether graphs can be given as SMILES.")
    example: Example = Field(description="A request.")
    limits: Limits
