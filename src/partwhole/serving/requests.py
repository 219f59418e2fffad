"""What a request may hold, as types that check it and that describe it: graphs as the run reads them, within
the limits of the service.

The types are made for each run, since its attributes and limits are part of them.
"""

import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypeGuard

import numpy as np
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, JsonValue, StrictStr
from pydantic import WithJsonSchema as Described
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from partwhole.errors import PartwholeError
from partwhole.graphs.schema import Column, Schema
from partwhole.serving.limits import Limits
from partwhole.sources.attributes import category

NEIGHBORS = 10  # where a request does not say
LARGEST = float(np.finfo(np.float32).max)
MadeType = Any  # a type that is made when the service starts; Python has no name for such types yet
JsonObject = dict[str, JsonValue]


class GraphRequest(TypedDict, total=False):
    """A request that was checked: either `smiles` or `graphs`."""

    smiles: list[str]
    graphs: list[JsonObject]  # node-link JSON
    k: int  # neighbours


@dataclass(frozen=True)
class RequestTypes:
    """The types of the bodies that the paths take, by what is asked for."""

    embed: MadeType  # graphs
    neighbors: MadeType  # graphs and k
    look: MadeType  # the same, as many graphs as are drawn at once


def request_types(schema: Schema, example: JsonObject, molecules: bool, limits: Limits) -> RequestTypes:
    """Types for one run. `example`: a graph that it can read; `molecules`: whether it reads SMILES too."""
    network = _network(schema, limits)
    examples = [{"smiles": ["CCO", "c1ccccc1"]}] * molecules + [{"graphs": [example]}]
    k = {"k": NotRequired[Annotated[neighbors(limits), BeforeValidator(_whole)]]}

    def graphs(name: str, most: int, more: Mapping[str, MadeType] | None = None) -> MadeType:
        few = Field(min_length=1, max_length=most)
        fields = {"graphs": Annotated[list[network], few]}  # type: ignore[valid-type]
        if molecules:
            fields["smiles"] = Annotated[list[_smiles(limits)], few]  # type: ignore[misc]
        reason = "Give either `smiles` or `graphs`" if molecules else "Give `graphs`; SMILES were not learned"
        described = {"examples": examples}
        return _object(name, more or {}, extra="forbid", one_of=fields, reason=reason, described=described)

    return RequestTypes(
        graphs("Graphs", limits.graphs),
        graphs("Query", limits.graphs, k),
        graphs("Shown", min(limits.graphs, limits.shown), k),
    )


def neighbors(limits: Limits) -> MadeType:
    """The type of `k`."""
    meaning = f"How many neighbours; {NEIGHBORS} where it is left out."
    return Annotated[int, Field(ge=1, le=limits.neighbors, description=meaning)]


def require_text(request: GraphRequest) -> None:
    """Raise for halves of characters, which JSON can spell and no answer could repeat."""
    try:
        json.dumps(request, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise PartwholeError("The request has text that is not Unicode, or is nested too deep.") from None


# ---------------------------------------------------------------- graphs


def _smiles(limits: Limits) -> MadeType:
    most = 2 * limits.nodes  # as `parse_smiles` has it
    return Annotated[StrictStr, Field(min_length=1, max_length=most, json_schema_extra={"format": "smiles"})]


def _network(schema: Schema, limits: Limits) -> MadeType:
    """Node-link JSON. A node without an id is called by its place in the list."""
    name = Annotated[
        Any, AfterValidator(_name), Described({"anyOf": [{"type": "string"}, {"type": "number"}]})
    ]
    node = _object("Node", {"id": NotRequired[name]} | _attributes(schema.node))
    link = _object("Link", {"source": name, "target": name} | _attributes(schema.edge))
    links = Annotated[
        list[link],  # type: ignore[valid-type]
        Field(max_length=limits.edges, description="Source and target are ids of nodes of the same graph."),
    ]
    nodes = Annotated[list[node], Field(max_length=limits.nodes)]  # type: ignore[valid-type]
    reason = "A graph has either `links` or `edges`, and `nodes`"
    return _object("Network", {"nodes": nodes}, one_of={"links": links, "edges": links}, reason=reason)


def _name(value: object) -> str | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise PydanticCustomError("name", "Input should be text or a number")
    return value


def _attributes(columns: tuple[Column, ...]) -> dict[str, MadeType]:
    """All that the run learned from must be named; null where a value is not known."""
    return {column.name: _numbers(column) if not column.values else _categories(column) for column in columns}


def _numbers(column: Column) -> MadeType:
    number = Annotated[float, Field(strict=True, ge=-LARGEST, le=LARGEST)]
    row = Annotated[list[number], Field(min_length=column.width, max_length=column.width)]
    value = number | row if column.width == 1 else row
    return value | None if column.center else value  # without a mean, nothing stands for a missing number


def _categories(column: Column) -> MadeType:
    known = [*(spelling for value in column.values for spelling in _spellings(value)), None]
    keys = {_key(value) for value in known}
    described: dict[str, Any] = {"enum": known}
    if column.is_numbered:
        flags = {"items": {"enum": [0, 1]}, "contains": {"const": 1}, "minContains": 0, "maxContains": 1}
        one_hot = {"type": "array", "minItems": column.width, "maxItems": column.width} | flags
        described = {"anyOf": [described, one_hot]}

    def learned(value: JsonValue) -> JsonValue:
        if column.is_numbered and _is_one_hot(value, column.width):
            return value.index(1) if 1 in value else None
        if isinstance(value, list | dict) or _key(value) not in keys:
            shown = ", ".join(map(str, column.values))
            reason = "{value} is a value which the model never saw; it knows {known}"
            raise PydanticCustomError("unseen", reason, {"value": repr(value)[:80], "known": shown})
        return value

    return Annotated[Any, AfterValidator(learned), Described(described)]


def _is_one_hot(value: object, width: int) -> TypeGuard[list[JsonValue]]:
    if not isinstance(value, list) or len(value) != width:
        return False
    flags = all(flag in (0, 1) and not isinstance(flag, bool) for flag in value)
    return flags and sum(value) <= 1


def _spellings(value: str | int) -> list[JsonValue]:
    """What JSON may call a category."""
    name = category(value)
    if name in ("true", "false"):
        return [name, name.capitalize(), name == "true"]
    with suppress(ValueError):
        number = float(name)
        if math.isfinite(number) and category(number) == name:
            return [name, int(name) if number.is_integer() else number]
    return [name]


def _key(value: JsonValue) -> tuple[str, JsonValue]:
    """1 and 1.0 are the same in JSON; 1 and true are not."""
    return "boolean" if isinstance(value, bool) else "other", value


# ---------------------------------------------------------------- objects


def _object(
    name: str,
    fields: Mapping[str, MadeType],
    *,
    extra: Literal["allow", "forbid"] = "allow",
    one_of: Mapping[str, MadeType] | None = None,
    reason: str = "",
    described: dict[str, Any] | None = None,
) -> MadeType:
    """An object with these fields and, where `one_of` is given, with exactly one of those."""
    choices = one_of or {}
    if len(choices) > 1:
        described = (described or {}) | {"oneOf": [{"required": [field]} for field in choices]}
        choices = {field: NotRequired[own] for field, own in choices.items()}
    made = TypedDict(name, {**choices, **fields})  # type: ignore[misc]
    made.__pydantic_config__ = ConfigDict(extra=extra, json_schema_extra=described)  # type: ignore
    return Annotated[made, BeforeValidator(_exactly_one(set(choices), reason))] if choices else made


def _exactly_one(names: set[str], reason: str) -> Callable[[object], object]:
    def checked(value: object) -> object:
        if isinstance(value, dict) and len(names & value.keys()) != 1:
            raise PydanticCustomError("one_of", reason)
        return value

    return checked


def _whole(value: object) -> object:
    """JSON has numbers of its own: neither text nor a truth value is one."""
    if isinstance(value, str | bool):
        raise PydanticCustomError("whole", "Input should be a whole number")
    return value
