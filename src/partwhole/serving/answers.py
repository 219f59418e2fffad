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


class PartType(BaseModel):
    """A type of parts, which means the same in every graph."""

    type: int = Field(description="Its number, by which parts name it.")
    color: str = Field(description="In which it is drawn.")
    name: str = Field(description="Number and name of what most of its parts are.")
    parts: int = Field(description="Of this type, in the graphs of the service.")
    graphs: float = Field(description="Share of the graphs of the service that have it.")
    mean_size: float = Field(description="Nodes of a part.")
    forms: dict[str, float] = Field(
        description="The most frequent fragments (SMILES) or shapes of its parts, each with its share."
    )
    drawings: list[str] = Field(description="SVG of typical parts.")


class PartTypes(BaseModel):
    """The vocabulary that graphs are coloured by."""

    own: bool = Field(description="Whether the run learned it; otherwise it is that of the graphs served.")
    types: list[PartType] = Field(description="The most frequent first.")


class Part(BaseModel):
    """A connected piece of a graph whose nodes are of one type."""

    type: int
    color: str
    form: str = Field(description="SMILES of the fragment, or the shape of the piece.")
    name: str = Field(description="What the part is called.")
    nodes: list[int] = Field(description="Counted from 0.")


class ExplainedPart(Part):
    """A part, and what it does to a prediction."""

    effect: float = Field(description="The prediction minus that for the graph without these nodes.")


class PredictionParts(BaseModel):
    """Which parts of a graph drive the prediction of one target."""

    target: str
    label: str | None = Field(description="The class that is predicted; none for a number.")
    prediction: float = Field(description="The probability of that class, or the number.")
    parts: list[ExplainedPart] = Field(description="The strongest effect first.")


class DrawnNeighbor(Neighbor):
    """A neighbour with its drawing."""

    drawing: str | None = Field(description="SVG; none if too large.")


class ShownGraph(BaseModel):
    """All there is to show of a graph."""

    id: str
    drawing: str | None = Field(description="SVG, in the colours of the types; none if too large.")
    parts: list[Part]
    far: bool | None = Field(description="Whether it is unlike the graphs of the fit; none: not known.")
    place: tuple[float, float] = Field(description="On the map, between its closest neighbours.")
    predicted: list[Prediction] = Field(description="The most notable first.")
    explanation: PredictionParts | None = Field(
        description="Of the first of these; none for a graph that is too large, or one part."
    )
    neighbors: list[DrawnNeighbor]


class MapColumn(BaseModel):
    """What the graphs of the map can be coloured by."""

    name: str
    numeric: bool
    values: list[Value] = Field(description="Of each graph; none where it is not known.")


class MapParts(BaseModel):
    """The types that graphs of the map are drawn with."""

    names: list[str]
    colors: list[str]
    counts: list[list[int]] = Field(description="Of each graph: parts of each type.")


class Map(BaseModel):
    """Every graph of the service in the plane."""

    x: list[float]
    y: list[float]
    ids: list[str]
    columns: list[MapColumn] = Field(description="What graphs can be coloured by.")
    colors: list[str] = Field(description="Of classes.")
    parts: MapParts | None
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
