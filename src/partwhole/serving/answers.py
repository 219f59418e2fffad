"""What the service answers, as types that describe it."""

from pydantic import BaseModel, Field, JsonValue

from partwhole.serving.limits import Limits
from partwhole.views.map import Value


class Problem(BaseModel):
    """Why a request was not answered, in a sentence."""

    detail: str


class GraphProblem(BaseModel):
    """Why a graph of a request has no answer, while others may have one."""

    graph: int = Field(description="Its place in the request, counted from 0.")
    reason: str


class UnansweredGraph(BaseModel):
    """A graph that could not be read or embedded, and why."""

    id: str = Field(description="Of the graph, or its place in the file, or the name of a file.")
    reason: str


class Vectors(BaseModel):
    """One vector for each graph of a request."""

    ids: list[str]
    vectors: list[list[float] | None] = Field(description="Null for a graph with a problem.")
    problems: list[GraphProblem]


class Neighbor(BaseModel):
    """A graph of the service that is close to one of a request."""

    index: int
    id: str | int
    cosine: float
    targets: dict[str, Value] = Field(description="Those that are known of it.")


class NeighborLists(BaseModel):
    """The closest graphs for each graph of a request, the closest first."""

    ids: list[str]
    neighbors: list[list[Neighbor] | None] = Field(description="Null for a graph with a problem.")
    problems: list[GraphProblem]


class PredictedTargets(BaseModel):
    """What the run predicts for each graph of a request, target by target."""

    ids: list[str]
    targets: dict[str, list[Value]] = Field(
        description="Of each target, the value of each graph; null for a graph with a problem."
    )
    probabilities: dict[str, dict[str, list[float | None]]] = Field(
        description="Of each target that has classes, for each class, the probability for each graph."
    )
    problems: list[GraphProblem]


class Prediction(BaseModel):
    """One target of one graph."""

    target: str
    value: Value
    probability: float | None = Field(description="That it is this class; none for a number.")
    probabilities: dict[str, float] = Field(description="Of each class; empty for a number.")


class Part(BaseModel):
    """A subgraph, as it is drawn."""

    color: str
    nodes: float = Field(description="That it holds; not a whole number where nodes are shared out.")


class DrawnNeighbor(Neighbor):
    """A neighbour with its drawing."""

    drawing: str | None = Field(description="SVG; none if too large.")


class ShownGraph(BaseModel):
    """All there is to show of a graph."""

    id: str
    drawing: str | None = Field(description="SVG, its nodes coloured by their subgraphs; none if too large.")
    parts: list[Part] = Field(description="Its subgraphs; empty where the run learned none.")
    far: bool | None = Field(description="Whether it is unlike the graphs of the fit; none: not known.")
    place: tuple[float, float] = Field(description="On the map, between its closest neighbours.")
    predicted: list[Prediction] = Field(description="The most notable first.")
    neighbors: list[DrawnNeighbor]


class MapColumn(BaseModel):
    """What the graphs of the map can be coloured by."""

    name: str
    numeric: bool
    values: list[Value] = Field(description="Of each graph; none where it is not known.")


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
    """A request that the run can answer."""

    graphs: list[dict[str, JsonValue]]


class Health(BaseModel):
    """What is served, and within which limits."""

    status: str
    method: str
    data: str = Field(description="The name of the data set.")
    graphs: int
    width: int = Field(description="Of a vector.")
    targets: list[str]
    smiles: bool = Field(description="Whether graphs can be given as SMILES.")
    example: Example = Field(description="A request.")
    limits: Limits
